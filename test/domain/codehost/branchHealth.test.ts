import { assert, describe, it } from "@effect/vitest"
import {
  brokenBy,
  type CheckReport,
  healthOf,
  newest,
  ofConclusion,
  ofState
} from "../../../domain/codehost/BranchHealth.ts"

const report = (name: string, outcome: CheckReport["outcome"], at = 0): CheckReport => ({
  name,
  outcome,
  at,
  url: null
})

describe("outcomes", () => {
  it.each([
    [null, "pending"],
    ["success", "passed"],
    ["failure", "failed"],
    ["timed_out", "failed"],
    ["startup_failure", "failed"],
    ["action_required", "pending"],
    ["cancelled", "ignored"],
    ["skipped", "ignored"],
    ["neutral", "ignored"],
    ["stale", "ignored"],
    ["a new word", "ignored"]
  ])("a check run that concluded with %s is %s", (conclusion, outcome) => {
    assert.strictEqual(ofConclusion(conclusion), outcome)
  })

  it.each([
    ["success", "passed"],
    ["failure", "failed"],
    ["error", "failed"],
    ["pending", "pending"],
    ["a new word", "ignored"]
  ])("a status %s is %s", (state, outcome) => {
    assert.strictEqual(ofState(state), outcome)
  })
})

describe("the health of a commit", () => {
  it.each<readonly [string, ReadonlyArray<CheckReport>, string, ReadonlyArray<string>]>([
    ["without checks", [], "unknown", []],
    ["with ignored ones alone", [report("a", "ignored")], "unknown", []],
    ["that all passed", [report("a", "passed"), report("b", "passed")], "green", []],
    ["that runs", [report("a", "passed"), report("b", "pending")], "pending", []],
    ["that failed while another runs", [report("b", "pending"), report("a", "failed")], "red", ["a"]],
    ["whose newest run passed", [report("a", "failed", 1), report("a", "passed", 2)], "green", []],
    ["whose newest run failed", [report("a", "failed", 2), report("a", "passed", 1)], "red", ["a"]],
    ["whose newest run was cancelled", [report("a", "failed", 1), report("a", "ignored", 2)], "unknown", []],
    ["that failed twice", [report("b", "failed"), report("a", "failed")], "red", ["a", "b"]]
  ])("%s", (_, reports, state, failed) => {
    const health = healthOf(reports)
    assert.deepStrictEqual([health.state, health.failed.map(({ name }) => name)], [state, failed])
  })

  it("of two reports of one time, the last one counts", () => {
    assert.deepStrictEqual(newest([report("a", "failed", 1), report("a", "passed", 1)]), [report("a", "passed", 1)])
  })

  it("names the checks that failed at the parent already as not broken by it", () => {
    const head = healthOf([report("a", "failed"), report("b", "failed"), report("c", "failed")])
    const parent = healthOf([report("a", "failed"), report("b", "passed")])
    assert.deepStrictEqual(
      brokenBy(head, parent).map(({ name }) => name),
      ["b", "c"]
    )
  })
})
