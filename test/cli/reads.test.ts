import { Context } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import * as LocalCodeHost from "../../adapters/localgit/LocalCodeHost.ts"
import { CodeHosts } from "../../application/ports/codehost/CodeHost.ts"
import { type Acme, acme, asAdmin, asMember, asOwner, open, payments } from "./Acme.ts"

let at: Acme
beforeEach(async () => {
  at = await open()
})
afterEach(() => at.close())

describe("a team", () => {
  it("is listed and shown with what it is bound to, which an admin sets", async () => {
    const [pay, fees] = ["https://git.acme.test/pay", "git@git.acme.test:fees"]
    const tools = ["--repository", pay, "--repository", fees]
    const set = await at.json("team", "set", ...asAdmin, ...payments, ...tools)
    assert.deepInclude(set, { slug: "payments", repositories: [pay, fees], trackerProject: null })
    assert.deepStrictEqual(await at.json("team", "show", ...asMember, ...payments), set)
    const [listed, ...more] = await at.json("team", "list", ...asMember)
    assert.deepStrictEqual([listed.slug, listed.policy.preset, more], ["payments", "standard", []])
    assert.strictEqual(await at.said("team", "list", ...asMember), "payments  PAY  active  standard  Payments")
    const said = await at.said("team", "show", ...asMember, ...payments)
    for (const part of [
      /^payments: Payments$/m,
      /Tracker +none$/m,
      /Repositories +https:\/\/git\.acme\.test\/pay, git@git\.acme\.test:fees$/m
    ])
      assert.match(said, part)
    const { event, team } = (await at.audit()).at(-1)
    assert.deepStrictEqual([event, team], ["team_changed", "payments"])
  })

  it("is refused what it has, and a change of nothing", async () => {
    const pay = ["--repository", "https://git.acme.test/pay"]
    const set = (...words: ReadonlyArray<string>) => at.refused("team", "set", ...asAdmin, ...payments, ...words)
    assert.strictEqual(
      await at.said("team", "set", ...asAdmin, ...payments, ...pay),
      "payments is bound to the repositories https://git.acme.test/pay."
    )
    assert.strictEqual((await set(...pay)).code, "team_unchanged")
    assert.strictEqual((await set()).message, "There is nothing to change: give --repository")
  })

  it("is bound to a path on this machine by the operator alone", async () => {
    const path = ["--repository", "/srv/git/pay.git"]
    const refused = await at.refused("team", "set", ...asAdmin, ...payments, ...path)
    assert.strictEqual(refused.code, "invalid_team")
    assert.include(refused.message, "gatehouse team set without --as")
    const set = await at.json("team", "set", ...acme, ...payments, ...path)
    assert.deepStrictEqual(set.repositories, ["/srv/git/pay.git"])
    assert.strictEqual((await at.audit()).at(-1).actor.type, "system")
  })

  it("is bound to a path only if there is a repository that the service can use", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gh-paths-"))
    try {
      at.outside(
        Context.make(CodeHosts, [LocalCodeHost.make({ email: "gatehouse@localhost" })]) as Context.Context<never>
      )
      const set = (path: string) => ["team", "set", ...acme, ...payments, "--repository", path]
      const [missing, bare, empty] = [join(folder, "none.git"), join(folder, "pay.git"), join(folder, "empty")]
      mkdirSync(empty)
      execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", bare])
      for (const path of [missing, empty]) {
        const { code, message } = await at.refused(...set(path))
        assert.deepStrictEqual(
          [code, message],
          [
            "invalid_team",
            `repositories: There is no git repository at ${path} on the machine of the service. Create it, or correct the team's repository. The team is unchanged.`
          ]
        )
      }
      assert.include((await at.refused(...set(`${folder}/../x`))).message, "must not hold . or ..")
      assert.include(
        (await at.refused("team", "set", ...asAdmin, ...payments, "--repository", missing)).message,
        "only the operator"
      )
      for (const path of [bare, "https://git.acme.test/pay"])
        assert.deepStrictEqual((await at.json(...set(path))).repositories, [path])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("shows every member all of its policy", async () => {
    await at.json("policy", "set", ...asAdmin, ...payments, "--denied-path", "infra/**", "--run-budget", "250")
    const shown = await at.json("policy", "show", ...asMember, ...payments)
    assert.deepInclude(shown, { team: "payments", preset: "standard", custom: true, version: 2, decisionHours: 72 })
    assert.deepStrictEqual([shown.budgets.runCents, shown.deniedPaths], [250, ["infra/**", ".kanman/acceptance/**"]])
    const said = await at.said("policy", "show", ...asMember, ...payments)
    assert.match(said, /^The policy of payments is version 2: preset standard with changes, set 20\S+ \d\d:\d\d UTC$/m)
    assert.match(said, /Budget of a run +2\.50 EUR$/m)
    assert.match(said, /Denied paths +infra\/\*\*, \.kanman\/acceptance\/\*\*$/m)
    await at.load({ teams: [{ slug: "web", name: "Web", keyPrefix: "WEB", policy: null }] })
    const bare = await at.json("policy", "show", ...asMember, "--team", "web")
    assert.deepInclude(bare, { team: "web", preset: null, version: null, planApproval: "always" })
    assert.match(await at.said("policy", "show", ...asMember, "--team", "web"), /^web has no policy of its own/)
  })

  it("says what is allowed of a setting", async () => {
    const refused = await at.refused("policy", "set", ...asAdmin, ...payments, "--decision-hours", "abc")
    assert.strictEqual(refused.message, "--decision-hours must be a whole number from 1 to 8760; got 'abc'")
  })
})

describe("a story", () => {
  const content = [
    "--description",
    "Why",
    "--criterion",
    "It works",
    "--demonstrate",
    "Refund 5",
    "--test-plan",
    "By hand"
  ]

  it("is shown with its criteria, Demonstrate block and test plan", async () => {
    const key = await at.story(...content)
    const shown = await at.json("story", "show", ...asMember, "--story", key.toLowerCase())
    assert.deepInclude(shown, { key, demonstrate: ["Refund 5"], testPlan: "By hand", returnNote: null, runKeys: [] })
    const said = await at.said("story", "show", ...asMember, "--story", key)
    assert.include(said, "Acceptance criteria:\n  ac-1  pending  It works")
    assert.include(said, "Demonstrate:\n  1. Refund 5")
    assert.include(said, "Test plan:\n  By hand")
    assert.match(said, /^PAY-1: Refund in part$/m)
  })

  it("shows the note it was rejected with", async () => {
    const run = await at.running("--size", "xl")
    const plan = await at.asked(run, "--plan", "1. Do it")
    const words = ["--decision", plan, "--option", "reject", "--note", "Too large"]
    await at.json("decision", "answer", ...asMember, ...words)
    const shown = await at.json("story", "show", ...asMember, "--story", "PAY-1")
    assert.deepStrictEqual([shown.returnNote, shown.column.role, shown.runKeys], ["Too large", "backlog", [run]])
    const said = await at.said("story", "show", ...asMember, "--story", "PAY-1")
    assert.include(said, "Returned to Backlog with the note:\n  Too large")
    assert.include(await at.said("decision", "show", ...asMember, "--decision", plan), "Too large")
  })

  it("is moved by any member, unless a run holds it or it is a draft", async () => {
    const key = await at.story()
    const moved = await at.json("story", "move", ...asMember, "--story", key, "--column", "refining")
    assert.deepStrictEqual(moved.column, { id: "refining", name: "Refining", role: "refining" })
    const said = await at.said("story", "move", ...asMember, "--story", key, "--column", "in_progress")
    assert.strictEqual(said, "Moved PAY-1 to In progress.")
    const { actor, details, event } = (await at.audit()).at(-1)
    assert.deepStrictEqual([event, actor.name], ["story_moved", "A member"])
    assert.deepInclude(details, { before: { column: "refining" }, after: { column: "in_progress" } })
    const refused = (story: string, column: string) =>
      at.refused("story", "move", ...asMember, "--story", story, "--column", column)
    assert.strictEqual((await refused(key, "in_progress")).code, "story_already_there")
    const draft = await at.story("--draft")
    assert.strictEqual((await refused(draft, "ready")).code, "draft_not_movable")
    const { run } = await at.json("run", "start", ...asMember, "--story", key)
    const held = await refused(key, "done")
    assert.strictEqual(held.code, "run_holds_story")
    assert.include(held.message, `'./gatehouse run stop --run ${run}'`)
  })

  it("is listed page by page, drafts on request", async () => {
    for (const title of ["One", "Two", "Three"])
      await at.json("story", "create", ...asMember, ...payments, "--title", title)
    await at.story("--draft")
    const list = ["story", "list", ...asMember, ...payments]
    const keys = async (...words: ReadonlyArray<string>) =>
      (await at.json(...list, ...words)).map(({ key }: { readonly key: string }) => key)
    assert.deepStrictEqual(await keys(), ["PAY-3", "PAY-2", "PAY-1"])
    assert.deepStrictEqual(await keys("--drafts"), ["PAY-4", "PAY-3", "PAY-2", "PAY-1"])
    const { data, nextCursor } = await at.page(...list, "--limit", "2")
    assert.lengthOf(data, 2)
    assert.deepStrictEqual(await keys("--cursor", nextCursor), ["PAY-1"])
    const [first, second, third] = (await at.said(...list, "--limit", "2")).split("\n")
    assert.match(first ?? "", /^PAY-3 {2}Backlog {2}ready 0 {2}– {2}standard {2}20\S+ \d\d:\d\d UTC {2}Three$/)
    assert.match(second ?? "", /Two$/)
    assert.strictEqual(third, `There are more; add --cursor ${nextCursor}`)
    const others = await at.refused(...list, "--drafts", "--cursor", nextCursor)
    assert.strictEqual(others.code, "invalid_usage")
    assert.match(others.message, /^--cursor belongs to another list or other filters; got '.+'\. Give the one/)
    assert.match((await at.refused(...list, "--cursor", "x")).message, /^--cursor is not one of ours; got 'x'\./)
  })
})

describe("a run", () => {
  it("is listed by team and story, and shown with its attempts and evidence", async () => {
    const run = await at.running()
    await at.json("run", "report", ...acme, "--run", run, "--cost", "120", "--pull-request", "https://git.test/pull/7")
    const [listed, ...more] = await at.json("run", "list", ...asMember, "--story", "pay-1", ...payments)
    assert.deepStrictEqual([listed.key, listed.costCents, more], [run, 120, []])
    const line = await at.said("run", "list", ...asMember)
    assert.match(
      line,
      new RegExp(`^${run} {2}running {2}planning {2}payments {2}PAY-1 {2}1\\.20 EUR of 5\\.00 EUR {2}20`)
    )
    assert.strictEqual(await at.said("run", "list", ...asMember, "--story", "PAY-9"), "No runs.")
    const said = await at.said("run", "show", ...asMember, "--run", run)
    assert.match(said, /Pull request +https:\/\/git\.test\/pull\/7$/m)
    assert.match(said, /^Attempts:\n {2}1 {2}running {2}planning {2}1\.20 EUR/m)
  })

  it("asks about its pull request by number and address", async () => {
    await at.json("policy", "set", ...asAdmin, ...payments, "--merge-policy", "manual")
    const run = await at.running()
    const words = ["--pull-request", "https://git.test/pull/7", "--verification", "passed", "--reason", "Green"]
    const key = await at.asked(run, ...words)
    const said = await at.said("decision", "show", ...asMember, "--decision", key)
    assert.match(said, new RegExp(`^${key}: Merge the verified pull request #7\\?$`, "m"))
    assert.include(said, "Reasoning:\n  The pull request is https://git.test/pull/7.\n  \n  Green")
  })
})

it("every reading verb is for every member", async () => {
  const run = await at.running()
  const decision = await at.asked(run, "--question", "Which?")
  const verbs = [
    ["team", "list"],
    ["team", "show", ...payments],
    ["policy", "show", ...payments],
    ["story", "list", ...payments],
    ["story", "show", "--story", "PAY-1"],
    ["run", "list"],
    ["run", "show", "--run", run],
    ["decision", "list"],
    ["decision", "show", "--decision", decision],
    ["member", "list"],
    ["incident", "list"],
    ["alert", "list"],
    ["service", "list"],
    ["source", "list"],
    ["notification", "list"]
  ]
  for (const [command = "", verb = "", ...words] of verbs)
    for (const who of [asMember, asAdmin, asOwner]) await at.json(command, verb, ...who, ...words)
  assert.deepStrictEqual(await at.denials(), [])
})
