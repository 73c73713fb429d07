import { Context, Effect, Either, Layer, Option, Redacted } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, it } from "vitest"
import * as Memory from "../../adapters/memory/Memory.ts"
import { bySystem } from "../../domain/Actor.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import { TokenStore } from "../../application/ports/TokenStore.ts"
import { WorkspaceStore } from "../../application/ports/WorkspaceStore.ts"
import * as Tokens from "../../application/Tokens.ts"
import * as Workspaces from "../../application/Workspaces.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/Workspace.ts"
import * as Seed from "../support/Seed.ts"
import * as Json from "../../application/Json.ts"
import * as Terminal from "./Terminal.ts"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const wholeToken = "tk_abcdefghijklmnopqrstuvwxyz012345"

const acme = ["--slug", "acme", "--name", "Acme", "--owner-email", "owner@acme.test", "--owner-name", "Owner"]
const admin = ["--workspace", "acme", "--email", "admin@acme.test", "--name", "Admin", "--role", "admin"]
const ofOwner = ["--workspace", "acme", "--member", "owner@acme.test"]
const ci = [...ofOwner, "--name", "ci", "--permissions", "read,write", "--expires", "30d"]

let folder = ""
let good = ""
let terminal: ReturnType<typeof Terminal.open>

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-cli-"))
  good = file("good.json", JSON.stringify(Seed.small))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(() => {
  terminal = Terminal.open()
})
afterEach(() => terminal.close())

const file = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const workspace = () => terminal.json("workspace", "create", ...acme)
const token = () => terminal.json("token", "create", ...ci)

const works = async (value: string) => {
  const bearer = Effect.flatMap(TokenStore, (store) =>
    Tokens.lookUp(Option.some(Redacted.make(value)), store.authenticate)
  )
  return Either.match(await terminal.run(Effect.either(bearer)), { onLeft: ({ _tag }) => _tag, onRight: () => true })
}

const audit = async (id: string) => {
  const read = Effect.flatMap(AuditLog, (log) =>
    log.page(id as WorkspaceId, Seed.anyEntry, { limit: 1000, before: null })
  )
  const { items } = await terminal.run(read)
  return Json.each(items)
    .map((item) => JSON.parse(item))
    .toReversed()
}

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
    assert.deepStrictEqual(Object.keys(added), ["id", "email", "role"])
    assert.match(added.id, uuid)
    assert.deepStrictEqual([added.email, added.role], ["admin@acme.test", "admin"])
    const { role } = await terminal.json("member", "add", ...admin.slice(0, -2).with(3, "m@acme.test"))
    assert.strictEqual(role, "member")
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
    assert.deepStrictEqual(middle, { code: 0, out: ["[]"], err: [] })
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
  assert.match(shown, /^tk_[A-Za-z0-9]{32}\nShown this once\. It expires at 20[\d-]+T[\d:.]+Z\.$/)
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

describe("a failure", () => {
  it.each([
    [["workspace", "create", ...acme], "workspace_slug_taken", "'acme' is taken"],
    [["workspace", "delete", "--workspace", "acme", "--confirm", "acm"], "not_confirmed", "got 'acm'"],
    [["workspace", "delete", "--workspace", "none", "--confirm", "none"], "workspace_not_found", "'none'"],
    [["member", "add", ...admin.with(1, "none")], "workspace_not_found", "'none'"],
    [["member", "add", ...admin.with(3, "OWNER@acme.test")], "member_exists", "'OWNER@acme.test'"],
    [["member", "remove", "--workspace", "acme", "--email", "x@acme.test"], "member_not_found", "'x@acme.test'"],
    [["member", "remove", "--workspace", "acme", "--email", "owner@acme.test"], "last_owner", "Add another owner"],
    [["token", "create", ...ci.with(3, "x@acme.test")], "member_not_found", "'x@acme.test'"],
    [["token", "list", "--workspace", "none", "--member", "x@acme.test"], "workspace_not_found", "'none'"],
    [["token", "revoke", "--workspace", "acme", "--prefix", "tk_xxxxxxxx"], "token_not_found", "'token list'"],
    [["import", "--workspace", "acme", "/nowhere/at-all.json"], "invalid_document", "/nowhere/at-all.json"]
  ])("of %j is told to scripts as %s, and to people in the same words", async (words, code, part) => {
    await workspace()
    const told = await terminal.failure(...words)
    assert.strictEqual(told.code, code)
    assert.include(told.message, part)
    assert.deepStrictEqual(await terminal.gatehouse(...words), { code: 1, out: [], err: [told.message] })
  })

  it("of audit verify names the first entry that does not hold", async () => {
    const broken = Layer.map(Memory.layer, (stores) => {
      const log = Context.get(stores, AuditLog)
      return Context.add(stores, AuditLog, { ...log, verify: () => Effect.succeed({ entries: 4, firstBad: 5n }) })
    })
    const made = Layer.effectDiscard(
      Workspaces.create(bySystem, {
        slug: "acme" as WorkspaceSlug,
        name: "Acme",
        owner: { email: Seed.ownerEmail, name: "Olga" }
      })
    )
    const other = Terminal.open(Layer.orDie(Layer.provideMerge(made, broken)))
    const { code, message } = await other.failure("audit", "verify", "--workspace", "acme")
    assert.strictEqual(code, "audit_broken")
    assert.include(message, "entry 5 is the first")
    await other.close()
  })

  it("of the demo says so when the workspace demo is somebody's own", async () => {
    await terminal.json("workspace", "create", ...acme.with(1, "demo"))
    assert.strictEqual((await terminal.failure("demo")).code, "not_the_demo")
  })

  it.each([
    [["workspace", "create", "--slug", "acme"], "'--name'"],
    [["workspace", "create", "--slug", "acme"], "'--owner-email'"],
    [["workspace", "create", ...acme.with(1, "Not A Slug")], "--slug must be lowercase words joined by hyphens"],
    [["workspace", "create", ...acme.with(3, "")], "--name must be text of 1 to 200 characters; got ''"],
    [["workspace", "create", ...acme.with(5, "owner")], "--owner-email must be an e-mail address; got 'owner'"],
    [["member", "add", ...admin.with(-1, "boss")], "--role must be one of member, admin, owner; got 'boss'"],
    [["token", "create", ...ci.with(-1, "2d")], "--expires must be one of 30d, 90d, 1y; got '2d'"],
    [
      ["token", "create", ...ci.with(-3, "read,fly")],
      "--permissions must be one or more of read, write, delete, admin"
    ],
    [["token", "create", ...ci.with(-3, "")], "got ''"],
    [["token", "create", ...ci.with(-4, "--permission")], "Did you mean '--permissions'?"],
    [["import", "--workspace", "acme"], "FILE.json"],
    [["import", "--workspace", "acme", "one.json", "two.json"], "'two.json'"],
    [["workspac", "create"], "There is no command 'workspac'. Did you mean 'workspace'?"],
    [["workspace", "craete"], "There is no command 'workspace craete'. Did you mean 'workspace create'?"],
    [["token", "make"], "There is no command 'token make'. 'token' takes: create, list, revoke."],
    [
      ["constructor"],
      "Commands are: workspace, member, token, team, policy, story, run, decision, service, source, incident, alert, job, notification, audit, import, demo."
    ],
    [["workspace", "--slug", "acme"], "A command is missing. 'workspace' takes: create, delete."],
    [["team", "place", "--team", "web"], "A command is missing. 'team place' takes: add, list, remove."],
    [["team", "place", "ad"], "There is no command 'team place ad'. Did you mean 'team place add'?"],
    [["team", "plac", "add"], "There is no command 'team plac'. Did you mean 'team place'?"],
    [["member"], "A command is missing. 'member' takes: add, remove."]
  ])("to understand %j names what is wrong: %s", async (words, part) => {
    const { code, message } = await terminal.failure(...words)
    assert.strictEqual(code, "invalid_usage")
    assert.include(message, part)
    assert.notMatch(message, /\p{Cc}/u)
    if (words.length === 1 && words[0] === "member") return
    const hint = "Add --help to see what a command takes."
    assert.deepStrictEqual(await terminal.gatehouse(...words), { code: 1, out: [], err: [`${message}\n${hint}`] })
  })

  it.each([
    [["token", "revoke", "--workspace", "acme", "--prefix", wholeToken]],
    [["token", "create", ...ci, wholeToken]],
    [["token", "create", ...ci.with(-1, wholeToken)]],
    [["token", wholeToken]],
    [["import", "--workspace", "acme", wholeToken]]
  ])("of %j does not repeat a token", async (words) => {
    await workspace()
    for (const mode of [[], ["--json"]]) {
      const { code, err, out } = await terminal.gatehouse(...words, ...mode)
      assert.strictEqual(code, 1)
      assert.isFalse([...out, ...err].join().includes(wholeToken.slice(11)))
    }
  })
})

describe("help", () => {
  it.each(["bash", "zsh", "fish"])("comes as completions for %s", async (shell) => {
    const { code, out } = await terminal.gatehouse("--completions", shell)
    assert.strictEqual(code, 0)
    for (const word of ["gatehouse", "workspace", "owner-email", "revoke"]) assert.include(out.join("\n"), word)
  })

  it.each([
    [["--help"], 0],
    [["token", "create", "--help"], 0],
    [["--version"], 0],
    [["token", "create"], 1],
    [["token", "create", ...ci.with(-1, "2d")], 1]
  ])("and complaints about words need no database: %j", async (words, code) => {
    const closed = Terminal.open(Layer.die("opened"))
    try {
      const printed = await closed.gatehouse(...words)
      assert.strictEqual(printed.code, code)
      assert.isFalse([...printed.out, ...printed.err].join().includes("opened"))
    } finally {
      await closed.close()
    }
  })
})

describe("import refuses", () => {
  it.each([
    ["a file that is not there", "/nowhere/at-all.json", "/nowhere/at-all.json: there is no such file."],
    ["what is not JSON", '{"teams": [', "is not JSON"],
    ["what is not a document", "[]", "The document"],
    ["an empty document", "{}", "The document: holds no teams"],
    ["a missing field", '{"teams":[{"slug":"a","name":"A"}]}', "teams[0].keyPrefix: is missing"],
    ["a bad value", '{"teams":[{"slug":"a","name":"A","keyPrefix":"A","paused":"no"}]}', "teams[0].paused: "],
    ["an unknown field", '{"teams":[{"slug":"a","name":"A","keyPrefix":"A","colour":"red"}]}', "teams[0].colour: "],
    ["an unknown list", '{"team":[]}', "team: "],
    [
      "a bad field deep inside",
      JSON.stringify({
        ...Seed.small,
        runs: [{ story: "PAY-1", attemptList: [{}, { verification: { status: "ok" } }] }]
      }),
      "runs[0].attemptList[1].verification.status: "
    ],
    [
      "a reference to nothing",
      JSON.stringify({ ...Seed.small, stories: [{ team: "nobody", title: "?" }] }),
      "stories[0].team: there is no team 'nobody'"
    ]
  ])("%s, and stores nothing", async (_, text, part) => {
    const { id } = await workspace()
    const before = await audit(id)
    const path = text.startsWith("/") ? text : file("bad.json", text)
    const { code, message } = await terminal.failure("import", "--workspace", "acme", path)
    assert.strictEqual(code, "invalid_document")
    assert.include(message, part)
    assert.include(message, "Nothing was stored.")
    assert.deepStrictEqual(await audit(id), before)
    const teams = Effect.flatMap(TeamStore, (store) => store.list(id as WorkspaceId))
    assert.strictEqual(await terminal.run(teams), "[]")
    await terminal.json("import", "--workspace", "acme", good)
  })
})
