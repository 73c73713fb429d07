import { Either } from "effect"
import { assert, describe, it } from "vitest"
import { record } from "../../../domain/work/ApplyReport.ts"
import { expediteFix } from "../../../domain/work/ExpediteFix.ts"
import { raise } from "../../../domain/work/RaiseDecision.ts"
import type { Fact } from "../../../domain/work/RunReport.ts"
import * as Context from "../../../domain/work/WorkContext.ts"
import * as Sample from "../Sample.ts"

const evidence = { gates: [], acceptance: [], demonstrate: [], diff: null }
const criteria = (...statuses: ReadonlyArray<"pending" | "passed" | "failed">) =>
  statuses.map((status, index) => ({ id: `c${index}`, text: "It works", status }))

describe("a reported fact", () => {
  const after = (fact: Fact, isAsked = false, story = Sample.story()) =>
    record(Sample.run("running", "verifying"), story, fact, isAsked, Sample.now)

  it("sets the criteria of the story that were judged", () => {
    const story = Sample.story("in_progress", {
      acceptanceCriteria: criteria("pending", "passed", "pending", "passed")
    })
    const acceptance = [
      { criterionId: "c0", status: "passed" },
      { criterionId: "c1", status: "failed" },
      { criterionId: "c2", status: "skipped" }
    ] as const
    const judged = after({ type: "evidence", evidence: { ...evidence, acceptance } }, false, story).story
    assert.deepStrictEqual(judged.acceptanceCriteria, criteria("passed", "failed", "pending", "passed"))
    assert.deepStrictEqual(judged.updatedAt, Sample.now)
    assert.strictEqual(after({ type: "evidence", evidence }, false, story).story, story)
  })

  it.each([
    ["failed", false, "implementing", false],
    ["failed", true, "verifying", false],
    ["passed", false, "handing_off", true],
    ["passed", true, "handing_off", false],
    ["skipped", false, "verifying", false]
  ] as const)("of a verification that %s, asked %s: %s, merges %s", (status, isAsked, stage, merges) => {
    const found = after({ type: "verification", status, summary: "S" }, isAsked)
    assert.deepStrictEqual([found.run.latest.stage, found.merges], [stage, merges])
    assert.deepStrictEqual(found.run.latest.verification, { status, summary: "S", completedAt: Sample.now })
  })

  it.each([
    [false, "implementing"],
    [true, "verifying"]
  ])("of a plan, asked %s: %s", (isAsked, stage) =>
    assert.strictEqual(after({ type: "plan_ready", plan: "P", size: null }, isAsked).run.latest.stage, stage)
  )
})

describe("on record", () => {
  it("a run, a story and a decision are entered with their kind, key and change", () => {
    const run = Sample.run("running")
    const first = Context.runChanged(Sample.ana, null, run)
    assert.deepStrictEqual<unknown>(first.entity, { type: "run", id: "run-aaaa", name: "run-aaaa" })
    assert.deepInclude(first.details, {
      before: null,
      after: { status: "running", stage: "implementing", attempts: 1, costCents: 0, budgetCents: 500 }
    })
    const raised = Context.runChanged(Sample.ana, run, Sample.run("waiting", "implementing", { budgetCents: 600 }))
    assert.deepInclude(raised.details, {
      before: { status: "running", budgetCents: 500 },
      after: { status: "waiting", budgetCents: 600 }
    })
    const { entity, runKey } = Context.decisionFact(Sample.ana, "decision_raised", Sample.another)
    assert.deepStrictEqual<unknown>(
      [entity, runKey],
      [{ type: "decision", id: "dec-bbbb", name: "Which way?" }, "run-aaaa"]
    )
  })
})

it.each([
  ["", null, 0],
  ["Why", "Why", 40]
])("the story of a fix described by '%s' is %i of 100 ready", (description, kept, score) => {
  const at = { now: Sample.now, team: Sample.team(), fresh: Sample.fresh }
  const { story } = expediteFix(Sample.ana, at, { title: "Fix", description, note: null })
  assert.deepStrictEqual([story.description, story.readinessScore, story.acceptanceCriteria], [kept, score, []])
})

it.each([
  [{ run: Sample.run("queued") }, "run-aaaa is queued, so it cannot report plan_approval: lease it first."],
  [{ run: Sample.run("stopped") }, "run-aaaa is over (stopped). Retry it to queue a new attempt."],
  [{ freshDecisions: [] }, "key: no free decision key was found."]
])("a decision is not raised: %#", (more, message) => {
  const { body, kind, options, subject, title } = Sample.decision("plan_approval", "approve_plan")
  const ask = { kind, title, body, subject, options, recommendation: "approve_plan", authority: "member" } as const
  const refused = Either.flip(raise(Sample.ana, Sample.raising(more), ask as unknown as Parameters<typeof raise>[2]))
  assert.strictEqual(Either.getOrThrow(refused).message, message)
})
