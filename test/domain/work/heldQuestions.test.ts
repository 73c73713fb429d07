import { assert, describe, it } from "@effect/vitest"
import type { Fact } from "../../../domain/work/RunReport.ts"
import { holder, leased, one, question, stage, through, token } from "./LeasedRun.ts"
import * as OneRun from "./OneRun.ts"

const awaited: Fact = { type: "answer_awaited" }
const text = "Which currency?"
const asked = OneRun.questionAs(holder(leased), text)(leased)
const report = (...facts: [Fact, ...Array<Fact>]) => OneRun.reportAs(holder(leased), facts)
const answer = OneRun.resolve("answer", "Euro")

describe("a question of the agent that holds a run", () => {
  it("raises a decision, and the run goes on under its lease", () => {
    assert.deepStrictEqual(
      asked.decisions.map(({ body, kind, status }) => [kind, status, body]),
      [["clarification", "pending", text]]
    )
    assert.strictEqual(asked.run, leased.run)
    assert.deepStrictEqual(
      asked.entries.slice(leased.entries.length).map(({ event }) => event),
      ["decision_raised"]
    )
  })

  it.each([
    ["the same again", holder(leased), "AskedAlready"],
    ["under an older lease", holder(leased, { fence: 7 }), "LeaseLost"]
  ] as const)("is no second decision: %s", (_, hold, refusal) => {
    const again = OneRun.questionAs(hold, text)(asked)
    assert.deepStrictEqual([again.refusal, again.decisions.length], [refusal, 1])
  })

  it.each([
    ["a runner that awaits the answer", [report(awaited)], "waiting planning in_progress clarification", false],
    ["other work", [report(stage)], "running implementing in_progress clarification", true],
    [
      "a cost within the budget",
      [report({ type: "cost", costCents: 1 })],
      "running planning in_progress clarification",
      true
    ],
    ["an answer", [answer], "running planning in_progress", true],
    ["an answer, and a runner that awaits it", [answer, report(awaited)], "running planning in_progress", true],
    ["a runner that awaits it, and an answer", [report(awaited), answer], "running planning in_progress", false],
    [
      "another question by report",
      [report({ ...question, question: "Which tax?" } as Fact)],
      "waiting planning in_progress clarification clarification",
      false
    ],
    ["a person who abandons the run", [OneRun.resolve("abandon")], "stopped planning backlog", false],
    ["a failure", [OneRun.finishAs(holder(leased), "failed")], "failed planning in_progress", false],
    ["nobody who answers", [OneRun.ignore], "timed_out planning in_progress", false]
  ] as const)("is followed by %s", (_, steps, place, isHeld) => {
    const after = through(asked, ...steps)
    assert.isNull(after.refusal)
    assert.deepStrictEqual([OneRun.place(after), after.run.lease !== null], [place, isHeld])
  })

  it("is answered for the holder: the answer is its input, nothing resumes, and a report takes it over", () => {
    const answered = answer(asked)
    assert.deepStrictEqual(
      answered.decisions[0]?.effects?.map(({ type }) => type),
      ["answer_delivered"]
    )
    assert.deepStrictEqual([answered.run.inputs.at(-1)?.note, answered.run.resumedAt], ["Euro", null])
    const statuses = [answered, report(stage)(answered), report(awaited)(answered)].map(({ jobs }) => jobs[0]?.status)
    assert.deepStrictEqual(statuses, ["queued", "queued", "done"])
  })

  it("waits for the last runner first, which takes the answer with the next lease", () => {
    const next = through(asked, report(awaited), answer, OneRun.leaseBy(one, token))
    assert.deepStrictEqual([next.run.fence, next.run.inputs.length, next.jobs[0]?.status], [2, 1, "done"])
  })
})
