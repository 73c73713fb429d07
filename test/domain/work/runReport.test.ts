import { assert, describe, it } from "@effect/vitest"
import type { Fact } from "../../../domain/work/RunReport.ts"
import { type RunStatus, Stage } from "../../../domain/work/Run.ts"
import * as OneRun from "./OneRun.ts"
import * as Sample from "../Sample.ts"

const pullRequest = { url: "https://git.test/pull/7", number: 7 }
const evidence = {
  gates: [],
  acceptance: [
    { criterionId: "ac-1", status: "passed" },
    { criterionId: "ac-2", status: "skipped" },
    { criterionId: "ac-9", status: "failed" }
  ],
  demonstrate: [],
  diff: { files: 1, additions: 3, deletions: 4, commit: null }
} as const
const reason = "Because."
const team = Sample.team(Sample.policy({ planApproval: "never", mergePolicy: "verified" }))
const at = (status: RunStatus, stage: Stage = "implementing"): OneRun.OneRun => ({
  ...OneRun.queued(Sample.story("in_progress"), team),
  run: Sample.run(status, stage)
})

/** Every fact with the resulting state: status, stage, column and pending decisions. */
const facts: ReadonlyArray<readonly [Fact, string]> = [
  ...Stage.literals.map((stage) => {
    const column = stage === "done" ? "done" : stage === "handing_off" ? "review" : "in_progress"
    return [{ type: "stage", stage }, `running ${stage} ${column}`] as const
  }),
  [{ type: "cost", costCents: 499 }, "running implementing in_progress"],
  [{ type: "cost", costCents: 500 }, "waiting implementing in_progress budget_stop"],
  [{ type: "evidence", evidence }, "running implementing in_progress"],
  [{ type: "verification", status: "passed", summary: "" }, "running handing_off review"],
  [{ type: "verification", status: "failed", summary: "" }, "running implementing in_progress"],
  [{ type: "verification", status: "skipped", summary: "" }, "running implementing in_progress"],
  [{ type: "pull_request", pullRequest }, "running implementing in_progress"],
  [{ type: "merged" }, "running done done"],
  [{ type: "failure", failureClass: "gate", error: "Boom" }, "running implementing in_progress"],
  [{ type: "plan_ready", plan: "", size: null }, "running implementing in_progress"],
  [{ type: "path_needed", path: "src/a.ts", reason }, "running implementing in_progress"],
  [{ type: "path_needed", path: ".kanman/acceptance/a", reason }, "waiting implementing in_progress policy_exception"],
  [{ type: "question", question: "?" }, "waiting implementing in_progress clarification"],
  [{ type: "spec_failed", reason }, "waiting implementing in_progress gate_failure"],
  [{ type: "spec_changed", reason }, "waiting implementing in_progress diff_guard"],
  [{ type: "gate_failed", gate: "lint", reason }, "running implementing in_progress"],
  [{ type: "main_broken", merge: "abc", reason }, "waiting implementing in_progress revert_approval"],
  [{ type: "main_red", reason }, "waiting implementing in_progress main_red_incident"],
  [{ type: "maintenance_found", title: "?", reason }, "waiting implementing in_progress maintenance_proposal"],
  [{ type: "feature_idea", title: "?", reason }, "waiting implementing in_progress strategy_proposal"],
  [{ type: "scope_grew", reason }, "waiting implementing in_progress scope_change"]
]

const told = facts.map(([fact, expected]) => [fact.type, fact, expected] as const)

describe("a report", () => {
  it.each(told)("of a run that runs: %s", (_, fact, expected) => {
    const after = OneRun.report(fact)(at("running"))
    assert.strictEqual(OneRun.place(after), expected)
    assert.isNull(after.refusal)
  })

  it.each(told)("of a run that is queued or over is refused: %s", (_, fact) => {
    for (const status of ["queued", "succeeded", "failed", "timed_out", "stopped"] as const) {
      const before = at(status)
      const after = OneRun.report(fact)(before)
      assert.strictEqual(after.refusal, status === "queued" ? "RunNotRunning" : "RunOver")
      assert.strictEqual(after.run, before.run)
    }
  })

  it.each(told)("of a run that waits is only of what it cost and found: %s", (type, fact) => {
    const before = at("waiting")
    const isTaken = ["cost", "evidence", "pull_request", "failure"].includes(type)
    assert.strictEqual(OneRun.report(fact)(before).refusal, isTaken ? null : "RunNotRunning")
    const both = OneRun.report({ type: "cost", costCents: 9 }, fact)(before)
    assert.strictEqual(both.run.latest.costCents >= 9, isTaken)
  })

  it("keeps what it tells", () => {
    const { run } = OneRun.report(
      { type: "cost", costCents: 40 },
      { type: "evidence", evidence },
      { type: "pull_request", pullRequest },
      { type: "failure", failureClass: "dependency", error: "Boom" },
      { type: "verification", status: "skipped", summary: "No tests" }
    )(at("running"))
    assert.deepStrictEqual([run.evidence, run.pullRequest], [evidence, pullRequest])
    const { costCents, error, failureClass, verification } = run.latest
    assert.deepStrictEqual([costCents, error, failureClass], [40, "Boom", "dependency"])
    assert.deepStrictEqual(verification, { status: "skipped", summary: "No tests", completedAt: Sample.now })
  })

  it("of evidence marks the criteria that were checked", () => {
    const criteria = ["ac-1", "ac-2"].map((id) => ({ id, text: id, status: "pending" as const }))
    const before = { ...at("running"), story: Sample.story("in_progress", { acceptanceCriteria: criteria }) }
    const once = OneRun.report({ type: "evidence", evidence })(before)
    assert.deepStrictEqual(
      once.story.acceptanceCriteria.map(({ status }) => status),
      ["passed", "pending"]
    )
    assert.strictEqual(OneRun.report({ type: "evidence", evidence })(once).story, once.story)
  })

  it("of a cost that is late or comes twice never lowers it", () => {
    const once = OneRun.report({ type: "cost", costCents: 40 })(at("running"))
    for (const costCents of [0, 39, 40])
      assert.strictEqual(OneRun.report({ type: "cost", costCents })(once).run.latest.costCents, 40)
  })

  it("of the budget asks once, however often it is told", () => {
    const once = OneRun.report({ type: "cost", costCents: 600 })(at("running"))
    const twice = OneRun.report({ type: "cost", costCents: 700 })(once)
    assert.strictEqual(twice.run.latest.costCents, 700)
    assert.strictEqual(OneRun.place(twice), "waiting implementing in_progress budget_stop")
    assert.deepStrictEqual(twice.decisions, once.decisions)
  })

  it("of a plan is judged by the size of the story, not by what the report says", () => {
    const large = Sample.team(Sample.policy({ planApproval: "large_stories" }))
    const of = (size: "s" | "xl", said: "s" | "xl") => {
      const before = { ...at("running", "planning"), team: large, story: Sample.story("in_progress", { size }) }
      return OneRun.pending(OneRun.report({ type: "plan_ready", plan: "", size: said })(before)).length
    }
    assert.deepStrictEqual([of("xl", "s"), of("s", "xl")], [1, 0])
  })

  it.each(["lint", "constructor", "toString"])("of a gate counts its failures: %s", (gate) => {
    const failed = OneRun.report({ type: "gate_failed", gate, reason })
    const twice = failed(failed(at("running")))
    assert.deepStrictEqual(twice.run.gateFailures, { [gate]: 2 })
    assert.strictEqual(OneRun.place(failed(twice)), "waiting implementing in_progress repeated_gate_failure")
  })

  it("merges nothing by itself without a pull request", () =>
    assert.deepStrictEqual(
      OneRun.report({ type: "verification", status: "passed", summary: "" })(at("running")).jobs,
      []
    ))

  it("that is refused loses everything it told", () => {
    const before = at("running")
    const idea = (title: string): Fact => ({ type: "feature_idea", title, reason })
    const after = OneRun.report({ type: "cost", costCents: 9 }, idea(""))(before)
    assert.deepStrictEqual([after.refusal, after.run], ["InvalidDecision", before.run])
  })
})
