import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { type Acme, acme, asAdmin, asMember, asOwner, open, payments } from "./Acme.ts"

let at: Acme
beforeEach(async () => {
  at = await open()
})
afterEach(() => at.close())

const set = (...words: ReadonlyArray<string>) => at.json("policy", "set", ...asAdmin, ...payments, ...words)
const spec = ".kanman/acceptance/**"

describe("a team", () => {
  const web = ["--slug", "web", "--name", "Web shop", "--key-prefix", "WEB"]

  it("is created with a policy, and numbers its stories", async () => {
    const team = await at.json("team", "create", ...asAdmin, ...web, "--preset", "trial", "--description", "The shop")
    assert.deepInclude(team, { slug: "web", name: "Web shop", keyPrefix: "WEB", pausedAt: null })
    assert.strictEqual(team.policy.preset, "trial")
    assert.deepStrictEqual(await at.json("team", "show", ...asMember, "--team", "web"), team)
    const said = await at.said("team", "create", ...asOwner, ...web.with(1, "mobile").with(5, "MOB"))
    assert.strictEqual(said, "Created team mobile; its stories are MOB-1 and so on.")
    const { key, team: slug } = await at.json("story", "create", ...asMember, "--team", "web", "--title", "Wish list")
    assert.deepStrictEqual([key, slug], ["WEB-1", "web"])
  })

  it("is refused a slug or key prefix that is taken, by the option's name", async () => {
    const slug = await at.refused("team", "create", ...asAdmin, ...web.with(1, "payments"))
    assert.match(slug.message, /^--slug: 'payments' is taken in this workspace/)
    const prefix = await at.refused("team", "create", ...asAdmin, ...web.with(5, "PAY"))
    assert.match(prefix.message, /^--key-prefix: 'PAY' is taken/)
  })

  it("is paused and resumed, and starts no new work in between", async () => {
    const story = await at.story()
    const running = await at.running()
    assert.strictEqual(await at.said("team", "pause", ...asAdmin, ...payments), "Paused payments.")
    const again = await at.refused("team", "pause", ...asAdmin, ...payments)
    assert.deepStrictEqual(again, { code: "team_already_paused", message: "The team 'payments' is paused already." })
    const start = await at.refused("run", "start", ...asMember, "--story", story)
    assert.deepStrictEqual([start.code, start.message.includes("Resume it first")], ["team_is_paused", true])
    assert.deepInclude(await at.json("run", "finish", ...acme, "--run", running), { status: "succeeded" })
    const resumed = await at.json("team", "resume", ...asAdmin, ...payments)
    assert.deepInclude(resumed, { slug: "payments", pausedAt: null })
    const once = await at.refused("team", "resume", ...asAdmin, ...payments)
    assert.deepStrictEqual(once, { code: "team_not_paused", message: "The team 'payments' is not paused." })
    assert.deepInclude(await at.json("run", "start", ...asMember, "--story", story), { status: "queued" })
  })

  it("is deleted by an owner who repeats its slug; its runs stop and its slug stays taken", async () => {
    const run = await at.running()
    await at.asked(run, "--question", "Which?")
    const typo = await at.refused("team", "delete", ...asOwner, ...payments, "--confirm", "payment")
    assert.deepStrictEqual(
      [typo.code, typo.message.includes("must repeat 'payments'; got 'payment'")],
      ["not_confirmed", true]
    )
    const deleted = await at.json("team", "delete", ...asOwner, ...payments, "--confirm", "payments")
    assert.deepStrictEqual(deleted, { slug: "payments", deleted: true })
    const events = (await at.audit()).slice(-3).map(({ event }) => event)
    assert.deepStrictEqual(events, ["team_deleted", "run_state_changed", "decision_cancelled"])
    assert.deepStrictEqual(await at.json("decision", "list", ...asMember), [])
    assert.strictEqual((await at.refused("run", "retry", ...asMember, "--run", run)).code, "run_not_found")
    const again = await at.refused("team", "create", ...asAdmin, ...web.with(1, "payments"))
    assert.include(again.message, "'payments' is taken")
  })
})

describe("a policy", () => {
  it("changes where it is told to, and stays otherwise", async () => {
    const first = await set("--merge-policy", "verified", "--run-budget", "900")
    assert.deepInclude(first, { team: "payments", preset: "standard", custom: true, version: 2 })
    assert.deepInclude(first, { mergePolicy: "verified", planApproval: "large_stories", maxConcurrency: 3 })
    assert.deepStrictEqual(first.budgets, { runCents: 900, dayCents: 10_000, monthCents: 100_000 })
    const words = [
      "--executor",
      "codex",
      "--max-concurrency",
      "2",
      "--plan-approval",
      "always",
      "--decision-hours",
      "24"
    ]
    const more = [
      "--gate-failure-budget",
      "0",
      "--merge-max-lines",
      "50",
      "--day-budget",
      "none",
      "--month-budget",
      "0"
    ]
    const second = await set(...words, ...more)
    assert.deepInclude(second, {
      executor: "codex",
      maxConcurrency: 2,
      planApproval: "always",
      mergePolicy: "verified",
      gateFailureBudget: 0,
      mergeMaxLines: 50,
      decisionHours: 24,
      version: 3
    })
    assert.deepStrictEqual(second.budgets, { runCents: 900, dayCents: null, monthCents: 0 })
    const { details } = (await at.audit()).at(-1)
    assert.notProperty(details.after, "mergePolicy")
    assert.deepInclude(details.after, { executor: "codex", version: 3 })
    const said = await at.said("policy", "set", ...asAdmin, ...payments, "--preset", "guarded")
    assert.strictEqual(said, "The policy of payments is version 4 now: preset guarded, coding agent claude-code.")
    assert.deepInclude(await set("--preset", "guarded"), {
      mergePolicy: "manual",
      executor: "claude-code",
      custom: false
    })
  })

  it("says the executor custom apart from a preset with changes", async () => {
    const said = await at.said("policy", "set", ...asAdmin, ...payments, "--executor", "custom")
    assert.strictEqual(
      said,
      "The policy of payments is version 2 now: preset standard with changes, coding agent custom."
    )
    assert.match(await at.said("team", "list", ...asMember), /^payments +PAY +active +standard with changes +Payments$/)
  })

  it("never loses the acceptance folder from its denied paths", async () => {
    assert.deepStrictEqual((await set("--denied-path", "infra/**")).deniedPaths, ["infra/**", spec])
    assert.deepStrictEqual((await set("--denied-path", "a", "--denied-path", "b")).deniedPaths, ["a", "b", spec])
    assert.deepStrictEqual((await set("--denied-path", spec)).deniedPaths, [spec])
    assert.deepStrictEqual((await set("--preset", "trial", "--denied-path", "a")).deniedPaths, ["a", spec])
  })

  it("of a team that has none starts from guarded, which the team counted as", async () => {
    await at.load({ teams: [{ slug: "web", name: "Web", keyPrefix: "WEB" }] })
    const first = await at.json("policy", "set", ...asAdmin, "--team", "web", "--day-budget", "5")
    assert.deepInclude(first, { preset: "guarded", custom: true, version: 1, changed: true })
    assert.deepInclude(first, { maxConcurrency: 1, planApproval: "always", mergePolicy: "manual", mergeMaxLines: 0 })
    assert.deepStrictEqual(first.budgets, { runCents: 500, dayCents: 5, monthCents: 50_000 })
  })

  it("keeps denied paths when its preset changes, until others are stated", async () => {
    await set("--denied-path", "infra/**", "--denied-path", "db/**")
    for (const preset of ["autonomous", "trial", "standard"]) {
      const { custom, deniedPaths } = await set("--preset", preset)
      assert.deepStrictEqual([custom, deniedPaths], [true, ["infra/**", "db/**", spec]])
    }
    assert.deepStrictEqual((await set("--preset", "guarded", "--denied-path", "db/**")).deniedPaths, ["db/**", spec])
    assert.deepInclude(await set("--denied-path", spec), { custom: false, deniedPaths: [spec] })
  })

  it.each([
    [["--preset", "standard"]],
    [["--merge-policy", "small_changes", "--day-budget", "10000"]],
    [["--preset", "standard", "--run-budget", "500", "--acceptance-spec", "on"]],
    [["--denied-path", spec]]
  ])("that is set to what it is by %j is no new version and leaves no entry", async (words) => {
    const entries = (await at.audit()).length
    assert.deepInclude(await set(...words), { version: 1, preset: "standard", changed: false })
    const said = await at.said("policy", "set", ...asAdmin, ...payments, ...words)
    assert.strictEqual(said, "The policy of payments stays version 1: preset standard, coding agent claude-code.")
    assert.lengthOf(await at.audit(), entries)
    assert.deepInclude(await set("--max-concurrency", "4"), { version: 2, changed: true })
  })

  it("is the same with its denied paths in another order", async () => {
    await set("--denied-path", "a", "--denied-path", "b")
    assert.deepInclude(await set("--denied-path", "b", "--denied-path", "a"), { version: 2, changed: false })
  })

  it("does without acceptance specs only on trial", async () => {
    for (const preset of ["guarded", "standard", "autonomous"]) {
      await set("--preset", preset)
      const { code, message } = await at.refused("policy", "set", ...asAdmin, ...payments, "--acceptance-spec", "off")
      assert.strictEqual(code, "invalid_policy")
      assert.include(message, "can be turned off only on the trial preset. The policy is unchanged.")
      assert.isTrue((await set("--max-concurrency", "4")).acceptanceSpecRequired)
    }
    assert.isFalse((await set("--preset", "trial", "--acceptance-spec", "off")).acceptanceSpecRequired)
    assert.isTrue((await set("--preset", "standard")).acceptanceSpecRequired)
  })

  it.each([
    [[], "There is nothing to change: name at least one setting"],
    [["--max-concurrency", "many"], "--max-concurrency must be a whole number from 0 to 2147483647; got 'many'"],
    [["--max-concurrency", "99999999999"], "got '99999999999'"],
    [["--decision-hours", "0"], "--decision-hours must be a whole number from 1 to"],
    [["--decision-hours", "9000"], "--decision-hours must be a whole number from 1 to 8760; got '9000'"],
    [["--run-budget", "12.5"], "--run-budget must be a whole number of cents up to 2147483647, or none; got '12.5'"],
    [["--day-budget", "-1"], "--day-budget must be a whole number"],
    [["--acceptance-spec", "maybe"], "--acceptance-spec must be one of on, off; got 'maybe'"],
    [["--preset", "wild"], "--preset must be one of trial, guarded, standard, autonomous; got 'wild'"],
    [["--denied-path", "x".repeat(501)], "--denied-path must be text of 1 to 500 characters; got 'xxx"]
  ])("is not changed by %j: %s", async (words, part) => {
    const { message } = await at.refused("policy", "set", ...asAdmin, ...payments, ...words)
    assert.include(message, part)
    assert.deepInclude(await set("--plan-approval", "never"), { version: 2 })
  })
})
