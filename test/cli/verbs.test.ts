import {
  acme,
  admin,
  audit,
  ci,
  good,
  instant,
  ofOwner,
  settle,
  terminal,
  token,
  uuid,
  works,
  workspace
} from "./Verbs.ts"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { WorkspaceStore } from "../../application/ports/WorkspaceStore.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"

settle()

describe("for scripts, a verb prints one JSON value", () => {
  it("workspace create", async () => {
    const created = await workspace()
    assert.deepStrictEqual(Object.keys(created), ["id", "slug"])
    assert.match(created.id, uuid)
    assert.strictEqual(created.slug, "acme")
  })

  it("member add, with the role member unless told", async () => {
    await workspace()
    const added = await terminal.json("member", "add", ...admin)
    assert.deepStrictEqual(Object.keys(added), ["id", "email", "name", "role", "createdAt"])
    assert.match(added.id, uuid)
    assert.deepStrictEqual([added.email, added.role], ["admin@acme.test", "admin"])
    const { role } = await terminal.json("member", "add", ...admin.slice(0, -2).with(3, "m@acme.test"))
    assert.strictEqual(role, "member")
  })

  it("member sign-in-link, for a member of the workspace", async () => {
    await workspace()
    const owner = ["--workspace", "acme", "--email", "OWNER@acme.test"]
    const made = await terminal.json("member", "sign-in-link", ...owner)
    assert.deepStrictEqual(Object.keys(made), ["url", "expiresAt"])
    assert.match(made.url, /^http:\/\/localhost:3000\/sign-in\/gtl_[\w-]{43}$/)
    assert.match(made.expiresAt, instant)
    const { code } = await terminal.failure("member", "sign-in-link", ...owner.with(3, "no@acme.test"))
    assert.strictEqual(code, "member_not_found")
  })

  it("workspace rename, which keeps the workspace's tokens", async () => {
    const { id } = await workspace()
    const made = await terminal.json("token", "create", ...ci)
    const rename = ["workspace", "rename", "--workspace", "acme", "--to"]
    assert.deepStrictEqual(await terminal.json(...rename, "acme-pay"), { id, slug: "acme-pay" })
    assert.strictEqual(await works(made.token), true)
    assert.strictEqual((await terminal.failure(...rename, "acme-two")).code, "workspace_not_found")
    const again = rename.with(3, "acme-pay")
    assert.strictEqual((await terminal.failure(...again, "acme-pay")).code, "workspace_slug_taken")
    assert.strictEqual((await terminal.failure(...again, "settings")).code, "workspace_slug_reserved")
  })

  it("member remove, which ends the member's tokens", async () => {
    await workspace()
    await terminal.json("member", "add", ...admin)
    const made = await terminal.json("token", "create", ...ci.with(3, "admin@acme.test"))
    assert.strictEqual(await works(made.token), true)
    const removed = await terminal.json("member", "remove", "--workspace", "acme", "--email", "admin@acme.test")
    assert.deepStrictEqual(removed, { email: "admin@acme.test", removed: true })
    assert.strictEqual(await works(made.token), "TokenRevoked")
  })

  it.each([
    ["30d", 30],
    ["90d", 90],
    ["1y", 365]
  ])("token create that expires in %s", async (expires, days) => {
    await workspace()
    const made = await terminal.json("token", "create", ...ci.with(-1, expires))
    assert.deepStrictEqual(Object.keys(made), ["token", "prefix", "expiresAt"])
    assert.match(made.token, /^tk_[A-Za-z0-9]{32}$/)
    assert.strictEqual(made.prefix, made.token.slice(0, 11))
    assert.match(made.expiresAt, instant)
    const [listed] = await terminal.json("token", "list", ...ofOwner)
    assert.strictEqual(Date.parse(listed.expiresAt) - Date.parse(listed.createdAt), days * 86_400_000)
    assert.strictEqual(await works(made.token), true)
  })

  it("token list, without the token or its hash", async () => {
    await workspace()
    assert.deepStrictEqual(await terminal.json("token", "list", ...ofOwner), [])
    const made = await token()
    const second = await terminal.json("token", "create", ...ci.with(-3, "admin, read,admin"))
    const listed = await terminal.json("token", "list", ...ofOwner)
    assert.deepStrictEqual(listed, [
      {
        name: "ci",
        prefix: made.prefix,
        permissions: ["read", "write"],
        createdAt: listed[0].createdAt,
        expiresAt: made.expiresAt,
        lastUsedAt: null,
        revokedAt: null
      },
      { ...listed[1], prefix: second.prefix, permissions: ["admin", "read"] }
    ])
    assert.match(listed[0].createdAt, instant)
  })

  it("token revoke, given its prefix or all of it", async () => {
    await workspace()
    for (const prefix of [(made: { prefix: string }) => made.prefix, (made: { token: string }) => made.token]) {
      const made = await token()
      const revoked = await terminal.json("token", "revoke", "--workspace", "acme", "--prefix", prefix(made))
      assert.deepStrictEqual(revoked, { prefix: made.prefix, revoked: true })
      assert.strictEqual(await works(made.token), "TokenRevoked")
    }
    const listed = await terminal.json("token", "list", ...ofOwner)
    for (const { revokedAt } of listed) assert.match(revokedAt, instant)
  })

  it("import, with counts of what was written", async () => {
    await workspace()
    const counts = await terminal.json("import", "--workspace", "acme", good)
    assert.deepStrictEqual(counts, { teams: 2, services: 1, stories: 3, runs: 2, decisions: 2 })
  })

  it("demo, and demo again, which ends the first one's token", async () => {
    const first = await terminal.json("demo")
    assert.deepStrictEqual(first.workspace, "demo")
    assert.isAtLeast(first.teams, 3)
    assert.isAtLeast(first.stories, 40)
    assert.isAtLeast(first.runs, 15)
    assert.isAtLeast(first.decisions, 10)
    assert.strictEqual(first.prefix, first.token.slice(0, 11))
    assert.match(first.expiresAt, instant)
    const second = await terminal.json("demo")
    assert.strictEqual(await works(first.token), "TokenRevoked")
    assert.strictEqual(await works(second.token), true)
  })

  it("workspace delete, which ends the workspace's tokens", async () => {
    await workspace()
    const made = await token()
    const deleted = await terminal.json("workspace", "delete", "--workspace", "acme", "--confirm", "acme")
    assert.deepStrictEqual(deleted, { slug: "acme", deleted: true })
    assert.strictEqual(await works(made.token), "TokenRevoked")
  })

  it("audit verify, with how many entries hold", async () => {
    await workspace()
    assert.deepStrictEqual(await terminal.json("audit", "verify", "--workspace", "acme"), { entries: 2, intact: true })
    const { out } = await terminal.gatehouse("audit", "verify", "--workspace", "acme")
    assert.deepStrictEqual(out, ["All 2 entries hold."])
  })

  it("wherever --json stands", async () => {
    const { code, out } = await terminal.gatehouse("--json", "workspace", "create", ...acme)
    assert.strictEqual(code, 0)
    assert.strictEqual(JSON.parse(out.join("\n")).slug, "acme")
    const middle = await terminal.gatehouse("token", "--json", "list", ...ofOwner)
    assert.deepStrictEqual(middle, { code: 0, out: ['{"data":[],"nextCursor":null}'], err: [] })
  })
})

it("for people, a verb says in words what it did", async () => {
  const said = async (...words: ReadonlyArray<string>) => {
    const { code, err, out } = await terminal.gatehouse(...words)
    assert.deepStrictEqual([code, err], [0, []])
    return out.join("\n")
  }
  assert.match(await said("workspace", "create", ...acme), /^Created workspace acme \([0-9a-f-]{36}\)\.$/)
  assert.strictEqual(await said("member", "add", ...admin), "Added admin@acme.test as admin.")
  assert.strictEqual(await said("token", "list", ...ofOwner), "No tokens.")
  const shown = await said("token", "create", ...ci)
  assert.match(shown, /^tk_[A-Za-z0-9]{32}\nShown this once\. It expires at 20[\d-]+ \d\d:\d\d UTC\.$/)
  const prefix = shown.slice(0, 11)
  assert.match(
    await said("token", "list", ...ofOwner),
    new RegExp(`^${prefix}…  ci  \\[read, write\\]  expires .*  never used$`)
  )
  assert.strictEqual(await said("token", "revoke", "--workspace", "acme", "--prefix", prefix), `Revoked ${prefix}….`)
  assert.match(await said("token", "list", ...ofOwner), /revoked 20/)
  assert.strictEqual(
    await said("import", "--workspace", "acme", good),
    "Imported 2 teams, 1 service, 3 stories, 2 runs, 2 decisions."
  )
  assert.strictEqual(
    await said("member", "remove", "--workspace", "acme", "--email", "admin@acme.test"),
    "Removed admin@acme.test."
  )
  assert.match(await said("demo"), /^Created the workspace demo with .*\nToken, shown this once: tk_[A-Za-z0-9]{32}$/)
  assert.strictEqual(
    await said("workspace", "delete", "--workspace", "acme", "--confirm", "acme"),
    "Deleted workspace acme."
  )
})

it("every change is recorded, and recorded as made by the system", async () => {
  const { id } = await workspace()
  await terminal.json("member", "add", ...admin)
  await terminal.json("member", "remove", "--workspace", "acme", "--email", "admin@acme.test")
  const made = await token()
  await terminal.json("token", "revoke", "--workspace", "acme", "--prefix", made.prefix)
  await terminal.json("import", "--workspace", "acme", good)
  await terminal.json("workspace", "delete", "--workspace", "acme", "--confirm", "acme")
  const entries = await audit(id)
  assert.deepStrictEqual(
    entries.map((entry) => entry.event),
    [
      "workspace_created",
      "member_added",
      "member_added",
      "member_removed",
      "token_created",
      "token_revoked",
      "team_created",
      "team_created",
      "service_changed",
      "story_moved",
      "story_moved",
      "story_moved",
      "run_state_changed",
      "run_state_changed",
      "decision_raised",
      "decision_raised",
      "workspace_deleted",
      "run_state_changed",
      "run_state_changed",
      "decision_cancelled"
    ]
  )
  for (const { actor, result } of entries)
    assert.deepStrictEqual([actor, result], [{ type: "system", name: "system", userId: null }, "success"])
  assert.isFalse(JSON.stringify(entries).includes(made.token))

  const { workspace: demo } = await terminal.json("demo")
  const roster = Effect.flatMap(WorkspaceStore, (store) => store.roster(demo as WorkspaceSlug))
  const recorded = await audit((await terminal.run(roster)).workspace?.id ?? "")
  for (const event of ["workspace_created", "member_added", "team_created", "token_created"]) {
    const made = recorded.filter((entry) => entry.event === event)
    assert.isNotEmpty(made, event)
    for (const { actor } of made) assert.strictEqual(actor.type, "system")
  }
})
