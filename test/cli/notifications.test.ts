import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import { JobStore } from "../../application/ports/JobStore.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { follow } from "../../domain/oncall/NotifyPlan.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as OnCall from "../support/OnCall.ts"
import { type Acme, asAdmin, asMember, asOwner, open, payments } from "./Acme.ts"
import { lease } from "../jobs/Queue.ts"

let at: Acme
beforeEach(async () => {
  at = await open()
  await at.json("service", "create", ...asAdmin, ...payments, "--name", "checkout")
  const settings = JSON.stringify({ notify: ["owner@acme.test", "member@acme.test"] })
  await at.json("service", "set", ...asAdmin, "--name", "checkout", "--settings", settings)
  await at.json("source", "create", ...asAdmin, "--name", "tool", "--kind", "generic", "--services", "checkout")
})
afterEach(() => at.close())

/** Reports a problem in an environment and notifies its recipients. */
const down = (environment: string) =>
  at.run(
    Effect.gen(function* () {
      const workspace = yield* Workspaces.idOf("acme" as WorkspaceSlug)
      const store = yield* OnCallStore
      const [source] = (yield* store.look(workspace)).sources
      if (source === undefined) return assert.fail("there is no source")
      yield* OnCall.receive({ workspace, source }, environment)
      yield* TriageWorker.drain()
      const linkTo = () => "https://acme.test"
      const { jobs: errands } = yield* (yield* JobStore).take(lease, ["follow_incident"], 10)
      yield* Effect.forEach(errands, ({ job }) =>
        store.follow(workspace, job.id, (one) => follow(one, { event: "opened", isLater: false }, linkTo))
      )
    })
  )

const list = (as: ReadonlyArray<string>) => at.json("notification", "list", ...as)
const subjects = async (as: ReadonlyArray<string>) => {
  const all: ReadonlyArray<{ readonly subject: string; readonly readAt: string | null }> = await list(as)
  return all.map(({ readAt, subject }) => [subject, readAt !== null])
}

describe("what a member was told", () => {
  it("is listed newest first, as everything for scripts and a line each for people", async () => {
    assert.strictEqual(await at.said("notification", "list", ...asMember), "No notifications.")
    assert.deepStrictEqual(await list(asMember), [])
    await down("prod")
    await down("test")
    const [test, prod, ...more] = await list(asMember)
    assert.deepStrictEqual(more, [])
    const first = await at.page("notification", "list", ...asMember, "--limit", "1")
    const second = await at.page("notification", "list", ...asMember, "--limit", "1", "--cursor", first.nextCursor)
    assert.deepStrictEqual([first.data, second.data, second.nextCursor], [[test], [prod], null])
    const [, { key }] = await at.json("incident", "list", ...asMember)
    const { createdAt, id, member, text } = prod
    assert.deepStrictEqual(prod, {
      id,
      member,
      incident: key,
      event: "opened",
      subject: "[critical] Down in prod",
      text,
      createdAt,
      readAt: null
    })
    assert.include(text, "https://acme.test")
    await at.json("notification", "read", ...asMember, "--id", test.id)
    assert.deepStrictEqual((await at.said("notification", "list", ...asMember)).split("\n"), [
      `${test.id}  read  ${test.incident}  ${test.createdAt}  [critical] Down in test`,
      `${id}  unread  ${key}  ${createdAt}  [critical] Down in prod`
    ])
  })

  it("is their own: others see theirs, and who was not told sees none", async () => {
    await down("prod")
    const [[own], [others]] = [await list(asMember), await list(asOwner)]
    assert.notStrictEqual(own.id, others.id)
    assert.notStrictEqual(own.member, others.member)
    assert.deepStrictEqual(await list(asAdmin), [])
    assert.strictEqual(await at.said("notification", "list", ...asAdmin), "No notifications.")
  })

  it("is read one by one, by its id in any letters, once", async () => {
    await down("prod")
    await down("test")
    const [test] = await list(asMember)
    const one = ["notification", "read", ...asMember, "--id"]
    assert.deepStrictEqual(await at.json(...one, test.id.toUpperCase()), { read: 1 })
    assert.deepStrictEqual(await at.json(...one, test.id), { read: 0 })
    assert.strictEqual(await at.said(...one, test.id), "0 notifications are read now.")
    assert.deepStrictEqual(await subjects(asMember), [
      ["[critical] Down in test", true],
      ["[critical] Down in prod", false]
    ])
  })

  it("is read all at once, of nobody else", async () => {
    await down("prod")
    await down("test")
    assert.strictEqual(await at.said("notification", "read", ...asMember), "2 notifications are read now.")
    assert.deepStrictEqual(await at.json("notification", "read", ...asMember), { read: 0 })
    assert.deepStrictEqual(
      (await subjects(asMember)).map(([, isRead]) => isRead),
      [true, true]
    )
    assert.deepStrictEqual(
      (await subjects(asOwner)).map(([, isRead]) => isRead),
      [false, false]
    )
    await down("spare")
    assert.strictEqual(await at.said("notification", "read", ...asMember), "1 notification is read now.")
  })

  it("is not read by another member, nor by an id that is none's", async () => {
    await down("prod")
    const [own] = await list(asMember)
    const read = (as: ReadonlyArray<string>, id: string) => at.json("notification", "read", ...as, "--id", id)
    assert.deepStrictEqual(await read(asOwner, own.id), { read: 0 })
    assert.deepStrictEqual(await read(asMember, crypto.randomUUID()), { read: 0 })
    assert.isNull((await list(asMember))[0].readAt)
    assert.deepStrictEqual(await at.refused("notification", "read", ...asMember, "--id", "prod"), {
      code: "invalid_usage",
      message: "--id must be the id of a notification; got 'prod'"
    })
  })

  it("is nobody's who is no member", async () => {
    const stranger = ["--workspace", "acme", "--as", "eve@acme.test"]
    for (const verb of ["list", "read"])
      assert.strictEqual((await at.refused("notification", verb, ...stranger)).code, "member_not_found")
  })
})
