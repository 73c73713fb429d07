import { asMember } from "./Acme.ts"
import { acme, admin, audit, ci, file, good, settle, terminal, wholeToken, workspace } from "./Verbs.ts"
import { Context, Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import * as Memory from "../../adapters/memory/Memory.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Seed from "../support/Seed.ts"
import * as Terminal from "./Terminal.ts"
import { printable } from "../../domain/value/Text.ts"

settle()

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
    [
      ["workspace", "create", ...acme.with(3, "")],
      "--name must be text of 1 to 200 characters on one line, without control characters; got ''"
    ],
    [
      ["member", "add", ...admin.with(-3, "Eve\u202E")],
      "--name must be text of 1 to 200 characters on one line, without"
    ],
    [
      ["workspace", "create", ...acme.with(5, "owner")],
      "--owner-email must be an e-mail address without control characters; got 'owner'"
    ],
    [["member", "add", ...admin.with(-5, "eve\u202E@acme.test")], "--email must be an e-mail address without control"],
    [["service", "create", ...asMember, "--team", "payments", "--name", "a\nb"], "--name must be text of 1 to 200"],
    [["source", "create", ...asMember, "--name", "a\nb"], "--name must be text of 1 to 200"],
    [
      ["team", "place", "add", ...asMember, "--team", "payments", "--url", "https://a.test", "--name", "a\nb"],
      "--name must be text of 1 to 200"
    ],
    [["policy", "set", ...asMember, "--team", "payments", "--executor", "co\ndex"], "--executor must be text of 1 to"],
    [["story", "create", ...asMember, "--team", "payments", "--title", "a\nb"], "--title must be text of 1 to 500"],
    [["story", "edit", ...asMember, "--story", "PAY-1", "--title", "\u200B"], "--title must be text of 1 to 500"],
    [["run", "list", ...asMember, "--limit", "3", "--limit", "4"], "'--limit' is given twice. Give it once."],
    [["member", "add", ...admin.with(-1, "boss")], "--role must be one of member, admin, owner; got 'boss'"],
    [["token", "create", ...ci.with(-1, "2d")], "--expires must be one of 30d, 90d, 1y; got '2d'"],
    [
      ["token", "create", ...ci.with(-3, "read,fly")],
      "--permissions must be one or more of read, write, delete, admin"
    ],
    [["token", "create", ...ci.with(-3, "")], "got ''"],
    [["token", "create", ...ci.with(-4, "--permission")], "Did you mean '--permissions'?"],
    [
      ["runner", "show", ...asMember, "--runner", "x"],
      "'runner show' has no option '--runner'. It takes: --workspace, --as, --name, --json."
    ],
    [["team", "show", ...asMember, "--taem=x"], "'team show' has no option '--taem'. Did you mean '--team'?"],
    [["run", "retry", ...asMember, "--note", "--run"], "'--run' is missing"],
    [["import", "--workspace", "acme"], "FILE.json"],
    [["import", "--workspace", "acme", "one.json", "two.json"], "'two.json'"],
    [["workspac", "create"], "There is no command 'workspac'. Did you mean 'workspace'?"],
    [["workspace", "craete"], "There is no command 'workspace craete'. Did you mean 'workspace create'?"],
    [["token", "make"], "There is no command 'token make'. 'token' takes: create, list, revoke."],
    [
      ["constructor"],
      "Commands are: workspace, member, token, team, policy, story, run, runner, connection, tracker, mcp, decision, service, source, delivery, incident, alert, job, notification, audit, import, demo."
    ],
    [["workspace", "--slug", "acme"], "A command is missing. 'workspace' takes: create, delete, list, rename."],
    [["team", "place", "--team", "web"], "A command is missing. 'team place' takes: add, list, remove."],
    [["team", "place", "ad"], "There is no command 'team place ad'. Did you mean 'team place add'?"],
    [["team", "plac", "add"], "There is no command 'team plac'. Did you mean 'team place'?"],
    [["member"], "A command is missing. 'member' takes: add, list, remove, set, sign-in-link."]
  ])("to understand %j names what is wrong: %s", async (words, part) => {
    const { code, message } = await terminal.failure(...words)
    assert.strictEqual(code, "invalid_usage")
    assert.include(message, part)
    assert.notMatch(message, /\p{Cc}/u)
    if (words.length === 1 && words[0] === "member") return
    const hint = "Add --help to see what a command takes."
    assert.deepStrictEqual(await terminal.gatehouse(...words), {
      code: 1,
      out: [],
      err: [`${printable(message)}\n${hint}`]
    })
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
