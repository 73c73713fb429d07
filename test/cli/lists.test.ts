import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { columns, row, section } from "../../adapters/cli/Columns.ts"
import * as OnCall from "../support/OnCall.ts"
import { type Acme, acme, asAdmin, asMember, asOwner, open, payments } from "./Acme.ts"

let at: Acme
beforeEach(async () => {
  at = await open()
})
afterEach(() => at.close())

it("a value with line breaks stays in its row and below its heading", () => {
  assert.deepStrictEqual(columns([["PAY-1", "One\nPAY-2  forged\r\n\u2028end"]]), ["PAY-1  One PAY-2  forged end"])
  assert.deepStrictEqual(
    columns([
      ["a\nb", "c"],
      ["d", "e"]
    ]),
    ["a b  c", "d    e"]
  )
  assert.strictEqual(row(["dec-aaaa", "One\ndec-bbbb"]), "dec-aaaa  One dec-bbbb")
  assert.deepStrictEqual(section("Steps", ["1. Open\nDone"]), ["", "Steps:", "  1. Open\n  Done"])
})

describe("members", () => {
  it("are listed with their roles, by a member and by the operator", async () => {
    const listed = await at.json("member", "list", ...asMember)
    assert.deepStrictEqual(
      listed.map(({ email, role }: Record<string, string>) => [email, role]),
      [
        ["owner@acme.test", "owner"],
        ["admin@acme.test", "admin"],
        ["member@acme.test", "member"]
      ]
    )
    assert.deepStrictEqual(await at.json("member", "list", ...acme), listed)
    assert.match(await at.said("member", "list", ...acme), /^owner@acme\.test {3}owner {3}20.* UTC {2}Olga Owner$/m)
  })

  const set = (who: ReadonlyArray<string>, email: string, role: string) =>
    ["member", "set", ...who, "--email", email, "--role", role] as const

  it("get another role from admins, the role of an owner from owners alone", async () => {
    const made = await at.json(...set(asAdmin, "member@acme.test", "admin"))
    assert.deepStrictEqual([made.email, made.role], ["member@acme.test", "admin"])
    for (const [who, email, role, code] of [
      [asAdmin, "member@acme.test", "owner", "owner_required"],
      [asAdmin, "owner@acme.test", "member", "owner_required"],
      [asOwner, "owner@acme.test", "member", "last_owner"],
      [asOwner, "member@acme.test", "admin", "role_already_set"],
      [asOwner, "who@acme.test", "admin", "member_not_found"]
    ] as const)
      assert.strictEqual((await at.refused(...set(who, email, role))).code, code)
    const denial = ["access_denied", "A admin", "member set owner"]
    assert.deepStrictEqual(await at.denials(), [denial, denial, denial, denial])
    assert.strictEqual(
      await at.said(...set(asOwner, "member@acme.test", "owner")),
      "member@acme.test has the role owner now."
    )
    assert.strictEqual((await at.json(...set(acme, "admin@acme.test", "member"))).role, "member")
    const denied = await at.refused(...set(asAdmin, "member@acme.test", "member"))
    assert.strictEqual(denied.code, "admin_required")
  })
})

it("workspaces are listed for the operator, page by page", async () => {
  const owner = ["--owner-email", "o@b.test", "--owner-name", "O"]
  await at.json("workspace", "create", "--slug", "beta", "--name", "Beta", ...owner)
  const [first, second] = await at.json("workspace", "list")
  assert.deepStrictEqual([first.slug, first.members, first.teams, second.slug], ["acme", 3, 1, "beta"])
  const [line, more] = (await at.said("workspace", "list", "--limit", "1")).split("\n")
  assert.match(line ?? "", /^acme {2}3 members {2}1 team {2}20.* UTC {2}Acme$/)
  assert.strictEqual(more, "There are more; add --cursor acme")
  assert.deepStrictEqual(await at.json("workspace", "list", "--cursor", "acme"), [second])
})

describe("the audit log", () => {
  it("is read by admins and owners, with the filters of the API", async () => {
    await at.json("team", "pause", ...asAdmin, ...payments)
    const list = (...words: ReadonlyArray<string>) => at.json("audit", "list", ...asOwner, ...words)
    const events = async (...words: ReadonlyArray<string>) =>
      (await list(...words)).map(({ event }: { readonly event: string }) => event)
    assert.deepStrictEqual(await events("--event", "Team paused", ...payments), ["team_paused"])
    assert.deepStrictEqual(await events("--actor", "human"), ["team_paused", "team_created"])
    assert.deepStrictEqual(await events("--run", "run-zzzz"), [])
    assert.deepStrictEqual(await events("--to", "2000-01-01"), [])
    assert.lengthOf(await list("--from", "2000-01-01"), (await list()).length)
    assert.deepStrictEqual(await at.json("audit", "list", ...acme), await list())
    assert.match(
      await at.said("audit", "list", ...asAdmin, "--event", "team_paused"),
      /^20\S+ \d\d:\d\d UTC {2}team_paused {2}success {2}A admin {2}payments {2}– {2}team Payments$/
    )
  })

  it("is closed to members, and says what a filter takes", async () => {
    assert.strictEqual((await at.refused("audit", "list", ...asMember)).code, "admin_required")
    const denial = ["access_denied", "A member", "audit read"]
    assert.deepStrictEqual(await at.denials(), [denial, denial])
    const refused = async (...words: ReadonlyArray<string>) =>
      (await at.refused("audit", "list", ...asOwner, ...words)).message
    assert.strictEqual(await refused("--actor", "robot"), "--actor must be one of human, service, system; got 'robot'")
    assert.match(await refused("--event", "nothing"), /^--event must be one of decision_resolved, .*; got 'nothing'$/)
    assert.include(await refused("--from", "soon"), "--from must be a day such as 2026-01-31 or an ISO 8601 timestamp")
    assert.include(await refused("--from", "2026-02-02", "--to", "2026-02-01"), "--from must not be after --to")
  })
})

describe("incidents and alerts", () => {
  const down = (environment: string) =>
    at.run(
      Effect.gen(function* () {
        const workspace = yield* Workspaces.idOf("acme" as WorkspaceSlug)
        const [source] = (yield* (yield* OnCallStore).look(workspace)).sources
        if (source) yield* OnCall.receive({ workspace, source }, environment)
        yield* TriageWorker.drain()
      })
    )
  beforeEach(async () => {
    await at.json("service", "create", ...asAdmin, ...payments, "--name", "checkout")
    await at.json("source", "create", ...asAdmin, "--name", "tool", "--kind", "generic", "--services", "checkout")
    for (const environment of ["a", "b", "c"]) await down(environment)
  })

  it("are filtered and paged", async () => {
    const [c, b, a] = await at.json("incident", "list", ...asMember)
    await at.json("incident", "resolve", ...asMember, "--incident", a.key)
    const keys = async (...words: ReadonlyArray<string>) =>
      (await at.json("incident", "list", ...asMember, ...words)).map(({ key }: { readonly key: string }) => key)
    assert.deepStrictEqual(await keys("--status", "open"), [c.key, b.key])
    assert.deepStrictEqual(await keys("--status", "resolved", "--service", "CHECKOUT"), [a.key])
    assert.deepStrictEqual(await keys("--since", "2999-01-01"), [])
    assert.lengthOf(await keys("--since", c.openedAt.slice(0, 10)), 3)
    const { nextCursor } = await at.page("incident", "list", ...asMember, "--limit", "1")
    assert.deepStrictEqual(await keys("--limit", "5", "--cursor", nextCursor), [b.key, a.key])
    const alerts = async (...words: ReadonlyArray<string>) =>
      (await at.json("alert", "list", ...asMember, ...words)).map(({ incident }: { incident: string }) => incident)
    assert.deepStrictEqual(await alerts("--status", "firing", "--source", "Tool"), [c.key, b.key])
    assert.deepStrictEqual(await alerts("--status", "resolved"), [a.key])
    assert.deepStrictEqual(await alerts("--incident", b.key), [b.key])
  })

  it("of a name that nobody gave are refused with the way out", async () => {
    const incidents = await at.refused("incident", "list", ...asMember, "--service", "nothing")
    assert.strictEqual(incidents.code, "service_unknown")
    assert.include(incidents.message, "'./gatehouse service list' shows them")
    assert.strictEqual((await at.refused("alert", "list", ...asMember, "--source", "nothing")).code, "source_unknown")
    assert.include((await at.refused("incident", "list", ...asMember, "--status", "shut")).message, "got 'shut'")
  })
})
