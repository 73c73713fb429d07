import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, assert, beforeEach, describe, it } from "vitest"
import { type Acme, acme, asMember, open } from "./Acme.ts"

const folder = mkdtempSync(join(tmpdir(), "gatehouse-reports-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const file = (name: string, value: unknown) => {
  const path = join(folder, name)
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value))
  return path
}

let at: Acme
beforeEach(async () => {
  at = await open()
})
afterEach(() => at.close())

const pullRequest = ["--pull-request", "https://github.com/acme/pay/pull/7"]

describe("what is reported of a run", () => {
  it.each([
    [["--plan", "1. Do it"], "plan_approval"],
    [["--needs-path", ".kanman/acceptance/a.md", "--reason", "It is wrong"], "policy_exception"],
    [["--question", "Which?"], "clarification"],
    [["--cost", "500"], "budget_stop"],
    [["--spec-failed", "No way"], "gate_failure"],
    [["--spec-changed", "It did"], "diff_guard"],
    [["--main-broken", "#7", "--reason", "Red"], "revert_approval"],
    [["--main-red", "Red"], "main_red_incident"],
    [["--maintenance", "Update TLS", "--reason", "Old"], "maintenance_proposal"],
    [["--idea", "Vouchers", "--reason", "Wished for"], "strategy_proposal"],
    [["--scope", "Grows"], "scope_change"],
    [["--verification", "passed", "--reason", "Green", ...pullRequest], "merge_approval"]
  ])("as %j asks people", async (words, kind) => {
    const run = await at.running("--size", "l")
    const decision = await at.asked(run, ...words)
    const [{ body, key, kind: raised, status }] = await at.json("decision", "list", ...asMember, "--run", run)
    assert.deepStrictEqual([key, raised, status], [decision, kind, "pending"])
    const why = words.includes("--reason") ? words[words.indexOf("--reason") + 1] : words[1]
    if (kind !== "budget_stop") assert.include(body, why)
  })

  it("asks nobody where the policy does not", async () => {
    const run = await at.running("--size", "s")
    const known = ["--gate-failed", "lint", "--reason", "Semicolons", "--plan", "1. Do it", "--needs-path", "src/a.ts"]
    const told = await at.json("run", "report", ...acme, "--run", run, ...known)
    assert.deepInclude(told, { status: "running", stage: "implementing", raised: [] })
    const evidence = file("evidence.json", {
      gates: [{ name: "lint", status: "passed", summary: null, url: null, completedAt: null }],
      acceptance: [],
      demonstrate: [],
      diff: { files: 1, additions: 10, deletions: 2, commit: null }
    })
    const verified = ["--evidence", evidence, "--verification", "passed", ...pullRequest]
    const merging = await at.json("run", "report", ...acme, "--run", run, ...verified)
    assert.deepInclude(merging, { stage: "handing_off", raised: [] })
    const [job] = await at.json("job", "list", ...acme)
    assert.deepInclude(job, { kind: "merge_pull_request", status: "queued", runKey: run })
    assert.match(await at.said("job", "list", ...acme), new RegExp(`^${job.id}  queued  merge_pull_request  ${run}  `))
    assert.deepStrictEqual(await at.json("job", "list", ...acme, "--status", "done"), [])
    assert.strictEqual(await at.said("job", "list", ...acme, "--status", "done"), "No jobs.")
    const merged = await at.json("run", "report", ...acme, "--run", run, "--merged")
    assert.deepStrictEqual([merged.stage, merged.story.column], ["done", "done"])
  })

  it.each([
    [[], "There is nothing to report"],
    [["--reason", "Just so"], "There is nothing to report"],
    [["--cost", "12.5"], "--cost must be a whole number from 0 to 2147483647; got '12.5'"],
    [["--cost", "2147483648"], "got '2147483648'"],
    [
      ["--stage", "resting"],
      "--stage must be one of planning, implementing, verifying, handing_off, done; got 'resting'"
    ],
    [
      ["--pull-request", "https://github.com/acme"],
      "--pull-request must be an http or https address that ends in its number"
    ],
    [
      ["--pull-request", "https://github.com/pull/99999999999999999999"],
      "got 'https://github.com/pull/99999999999999999999'"
    ],
    [["--gate-failed", ""], "--gate-failed must be text of 1 to 200 characters; got ''"],
    [
      ["--needs-path", "x".repeat(501)],
      `--needs-path must be text of 1 to 500 characters on one line, without control characters; got '${"x".repeat(200)}…'`
    ],
    [["--failure", "x", "--class", "bad"], "--class must be one of transient, persistent, policy"],
    [["--verification", "ok"], "--verification must be one of passed, failed, skipped; got 'ok'"],
    [["--evidence", "/nowhere/at-all.json"], "--evidence: cannot read '/nowhere/at-all.json'"]
  ])("as %j is refused: %s", async (words, part) => {
    const run = await at.running()
    const { code, message } = await at.refused("run", "report", ...acme, "--run", run, ...words)
    assert.strictEqual(code, "invalid_usage")
    assert.include(message, part)
  })

  it("as evidence of another shape is refused by the file's name", async () => {
    const path = file("bad.json", { gates: "all" })
    const run = await at.running()
    const { message } = await at.refused("run", "report", ...acme, "--run", run, "--evidence", path)
    assert.include(message, `--evidence: '${path}' is no evidence pack: `)
    const text = file("text.json", "{")
    const torn = await at.refused("run", "report", ...acme, "--run", run, "--evidence", text)
    assert.include(torn.message, `--evidence: '${text}' is no evidence pack: `)
  })
})
