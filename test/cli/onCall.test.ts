import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as OnCall from "../support/OnCall.ts"
import { type Acme, asAdmin, asMember, asOwner, open, payments } from "./Acme.ts"

let at: Acme
beforeEach(async () => {
  at = await open()
  await at.json("service", "create", ...asAdmin, ...payments, "--name", "checkout")
  await at.json("source", "create", ...asAdmin, "--name", "tool", "--kind", "generic", "--services", "checkout")
})
afterEach(() => at.close())

const tool = ["--name", "tool"]
const drain = () => at.run(TriageWorker.drain())

/** Reports a problem in an environment and triages it; returns the delivery's id. */
const down = async (environment: string) => {
  const id = await at.run(
    Effect.gen(function* () {
      const workspace = yield* Workspaces.idOf("acme" as WorkspaceSlug)
      const [source] = (yield* (yield* OnCallStore).look(workspace)).sources
      return source === undefined
        ? assert.fail("there is no source")
        : yield* OnCall.receive({ workspace, source }, environment)
    })
  )
  await drain()
  return id
}

const incidents = () => at.json("incident", "list", ...asMember)
const keyOf = async (environment: string): Promise<string> => {
  await down(environment)
  return (await incidents())[0].key
}

describe("an incident", () => {
  it("is listed, newest first, and shown with its alerts, by names", async () => {
    assert.strictEqual(await at.said("incident", "list", ...asMember), "No incidents.")
    const [prod, test] = [await keyOf("prod"), await keyOf("test")]
    const listed = await incidents()
    const { openedAt } = listed[1]
    assert.deepStrictEqual(listed[1], {
      key: prod,
      status: "open",
      severity: "critical",
      service: "checkout",
      team: "payments",
      environment: "prod",
      title: "Down in prod",
      alerts: 1,
      openedAt,
      resolvedAt: null,
      acknowledgedAt: null,
      acknowledgedBy: null,
      investigation: null
    })
    assert.deepStrictEqual(
      listed.map(({ key }: { key: string }) => key),
      [test, prod]
    )
    const lines = (await at.said("incident", "list", ...asMember)).split("\n")
    assert.strictEqual(lines[1], `${prod}  open  critical  checkout in prod  1 alert  ${openedAt}  Down in prod`)
    const { alertList, ...rest } = await at.json("incident", "show", ...asMember, "--incident", prod.toUpperCase())
    assert.deepStrictEqual(rest, listed[1])
    assert.deepStrictEqual(alertList, await at.json("alert", "list", ...asMember, "--incident", prod))
    const [{ lastSeenAt }] = alertList
    assert.strictEqual(
      await at.said("incident", "show", ...asMember, "--incident", prod),
      [
        lines[1],
        `firing  critical  tool  checkout in prod  ${lastSeenAt}  Down in prod`,
        `          ${prod}: It opened ${prod}.`
      ].join("\n")
    )
  })

  it("is acknowledged once, by any member", async () => {
    const key = await keyOf("prod")
    const told = await at.json("incident", "acknowledge", ...asMember, "--incident", key)
    assert.deepStrictEqual([told.service, told.acknowledgedBy, told.status], ["checkout", "A member", "open"])
    assert.deepStrictEqual(told, (await incidents())[0])
    const again = await at.refused("incident", "acknowledge", ...asOwner, "--incident", key)
    assert.deepStrictEqual(again, {
      code: "incident_acknowledged",
      message: `The incident ${key} is acknowledged already, by A member.`
    })
    assert.include(await at.said("incident", "list", ...asMember), `${key}  open, A member looks after it  critical`)
    const other = await keyOf("test")
    assert.strictEqual(
      await at.said("incident", "acknowledge", ...asOwner, "--incident", other),
      `Olga Owner looks after ${other}.`
    )
    const { actor, event } = (await at.audit()).at(-1)
    assert.deepStrictEqual([event, actor.name], ["incident_updated", "Olga Owner"])
  })

  it("is resolved by hand, and its alerts with it", async () => {
    const key = await keyOf("prod")
    const resolved = await at.json("incident", "resolve", ...asMember, "--incident", key)
    assert.deepStrictEqual([resolved.service, resolved.status], ["checkout", "resolved"])
    assert.deepStrictEqual(resolved, (await incidents())[0])
    const [alert] = await at.json("alert", "list", ...asMember)
    assert.deepInclude(alert, { status: "resolved", reason: "recovered", explanation: `A member resolved ${key}.` })
    for (const verb of ["resolve", "acknowledge"]) {
      const again = await at.refused("incident", verb, ...asMember, "--incident", key)
      assert.deepStrictEqual(again, {
        code: "incident_resolved",
        message: `The incident ${key} is resolved already.`
      })
    }
    assert.include(await at.said("incident", "list", ...asMember), `${key}  resolved  critical`)
    const other = await keyOf("test")
    assert.strictEqual(await at.said("incident", "resolve", ...asOwner, "--incident", other), `Resolved ${other}.`)
  })
})

it("an alert is listed with everything known of it, also in no incident", async () => {
  assert.strictEqual(await at.said("alert", "list", ...asMember), "No alerts.")
  const key = await keyOf("prod")
  await at.json("source", "pause", ...asAdmin, ...tool)
  await down("test")
  const [quiet, loud, ...more] = await at.json("alert", "list", ...asMember)
  const { firstSeenAt, id, lastSeenAt } = loud
  assert.deepStrictEqual(loud, {
    id,
    title: "Down in prod",
    status: "firing",
    fingerprint: "prod",
    severity: "critical",
    source: "tool",
    service: "checkout",
    environment: "prod",
    description: null,
    startedAt: null,
    endedAt: null,
    labels: {},
    links: [],
    incident: key,
    reason: "opened",
    explanation: `It opened ${key}.`,
    count: 1,
    firstSeenAt,
    lastSeenAt,
    stale: false
  })
  assert.deepInclude(quiet, { incident: null, reason: "source_paused", service: "checkout", source: "tool" })
  assert.deepStrictEqual(more, [])
  assert.deepStrictEqual(await at.json("alert", "list", ...asMember, "--incident", key), [loud])
  const [first, second] = (await at.said("alert", "list", ...asMember)).split("\n")
  assert.match(first ?? "", /^firing {2}critical {2}tool {2}checkout in test {2}20\S+Z {2}Down in test$/)
  assert.strictEqual(second, "          no incident: The source tool is paused.")
})

describe("a delivery", () => {
  it("is listed with its verdicts, newest first, and with its body for scripts", async () => {
    const deliveries = ["source", "deliveries", ...asMember, ...tool]
    assert.strictEqual(await at.said(...deliveries), "No deliveries.")
    const [first, second] = [await down("prod"), await down("prod")]
    const [{ key }] = await incidents()
    const [again, opened, ...more] = await at.json(...deliveries)
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual([opened.id, again.id], [first, second])
    const { receivedAt, verdicts } = opened
    assert.deepStrictEqual(opened, {
      id: first,
      source: "tool",
      receivedAt,
      status: "done",
      verdicts: [
        {
          verdict: "opened",
          explanation: `It opened ${key}.`,
          fingerprint: "prod",
          alert: verdicts[0].alert,
          incident: key
        }
      ],
      body: opened.body
    })
    assert.deepInclude(opened.body, { title: "prod" })
    const lines = (await at.said(...deliveries)).split("\n")
    assert.deepStrictEqual(lines, [
      `${second}  ${again.receivedAt}  done`,
      `          repeat  prod  It still fires in ${key}.`,
      `${first}  ${receivedAt}  done`,
      `          opened  prod  It opened ${key}.`
    ])
    assert.deepStrictEqual(await at.json(...deliveries, "--limit", "1"), [again])
    for (let more = 0; more < 20; more++) await down("prod")
    assert.lengthOf(await at.json(...deliveries, "--limit", "20"), 20)
    assert.lengthOf(await at.json(...deliveries), 22)
    assert.include((await at.refused(...deliveries, "--limit", "0")).message, "--limit must be a whole number from 1")
  })

  it("is judged once more by what is set up now", async () => {
    await at.json("source", "pause", ...asAdmin, ...tool)
    const id = await down("prod")
    assert.deepStrictEqual(await incidents(), [])
    await at.json("source", "resume", ...asAdmin, ...tool)
    const replayed = await at.json("source", "replay", ...asAdmin, "--delivery", id.toUpperCase())
    assert.deepStrictEqual(replayed, { delivery: id, replayed: true })
    const waits = await at.refused("source", "replay", ...asAdmin, "--delivery", id)
    assert.strictEqual(waits.code, "delivery_not_found")
    await drain()
    assert.lengthOf(await incidents(), 1)
    assert.strictEqual(
      await at.said("source", "replay", ...asOwner, "--delivery", id),
      `The delivery ${id} is judged once more as soon as the service comes to it.`
    )
    const { actor, details, event } = (await at.audit()).at(-1)
    assert.deepStrictEqual([event, actor.name, details.replayed], ["signal_source_changed", "Olga Owner", id])
  })
})
