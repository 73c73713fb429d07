import { assert, describe, it } from "@effect/vitest"
import type { Action, Decision, DecisionKey, Kind } from "../../../domain/work/Decision.ts"
import { queued } from "../../../domain/work/Job.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import type { StoryKey } from "../../../domain/work/Story.ts"
import type { TeamSlug } from "../../../domain/workspace/Team.ts"
import * as Sample from "../Sample.ts"

const { answered, matter, now } = Sample
const on = (kind: Kind, action: Action, more: Partial<Decision> = {}) => Sample.decision(kind, action, more)

describe("what an answer writes", () => {
  it("who answered what, when and through which channel", () => {
    const asked = on("plan_approval", "approve_plan")
    const { change, decision, effects } = answered(matter(asked), "Go")
    assert.deepStrictEqual(
      { ...decision },
      {
        ...asked,
        status: "resolved",
        resolution: { optionId: "approve_plan", note: "Go" },
        resolvedVia: "slack",
        resolvedAt: now,
        resolvedBy: "Ana",
        effects
      }
    )
    assert.strictEqual(change.changed?.decisions?.[0], decision)
  })

  it("entries by whoever answered, of the team and run, with only what changed", () => {
    const { change } = answered(matter(on("plan_approval", "reject")), "No")
    assert.deepStrictEqual(new Set(change.audit.map(({ actor }) => actor)), new Set([Sample.ana.actor]))
    assert.deepStrictEqual(
      change.audit.map(({ entity, event, result, runKey, team }) => [event, result, team, runKey, entity.id]),
      [
        ["decision_resolved", "success", "payments", "run-aaaa", "dec-aaaa"],
        ["run_state_changed", "success", "payments", "run-aaaa", "run-aaaa"],
        ["story_moved", "success", "payments", "run-aaaa", "PAY-1"],
        ["decision_cancelled", "success", "payments", "run-aaaa", "dec-bbbb"]
      ]
    )
    const head = { v: 1, requestId: "req-1", channel: "slack" }
    assert.deepStrictEqual(
      change.audit.map(({ details }) => details),
      [
        { ...head, optionId: "reject", action: "reject" },
        { ...head, decision: "dec-aaaa", before: { status: "waiting" }, after: { status: "stopped" } },
        { ...head, before: { column: "in_progress" }, after: { column: "backlog" } },
        head
      ]
    )
  })

  it.each([
    ["request_changes", "merge_approval", "tell_agent", { answer: "request_changes", note: "Hm" }],
    ["answer", "clarification", "tell_agent", { answer: "answer", note: "Hm" }],
    ["revert_spec_and_retry", "diff_guard", "restore_spec", { note: "Hm" }],
    ["open_revert", "revert_approval", "open_revert", { subject: "abc123", note: "Hm" }],
    ["merge", "merge_approval", "merge_pull_request", { pullRequest: { url: "https://git.test/pull/7", number: 7 } }]
  ] as const)("a job for %s that knows all it needs", (action, kind, job, payload) => {
    const pullRequest = { url: "https://git.test/pull/7", number: 7 }
    const run = Sample.run("waiting", "verifying", { pullRequest })
    const { change, effects } = answered(matter(on(kind, action, { subject: "abc123" }), run), "Hm")
    const expected = queued(
      {
        id: Sample.fresh.job,
        kind: job,
        team: "payments" as TeamSlug,
        story: "PAY-1" as StoryKey,
        runKey: "run-aaaa" as RunKey,
        decision: "dec-aaaa" as DecisionKey,
        payload
      },
      now
    )
    assert.deepStrictEqual(change.added?.jobs, [expected])
    assert.deepStrictEqual([expected.status, expected.tries, expected.error], ["queued", 0, null])
    const step = effects.find(({ status }) => status === "queued")
    assert.deepStrictEqual(step?.ref, { type: "job", id: Sample.fresh.job })
  })

  it("steps that name what they touched", () => {
    const refs = (kind: Kind, action: Action) =>
      answered({ ...matter(on(kind, action)), pending: [] }).effects.map(({ ref }) => `${ref?.type} ${ref?.id}`)
    assert.deepStrictEqual(refs("plan_approval", "reject"), ["run run-aaaa", "story PAY-1"])
    assert.deepStrictEqual(refs("plan_approval", "approve_plan"), ["decision dec-aaaa", "run run-aaaa"])
    assert.deepStrictEqual(refs("maintenance_proposal", "accept_proposal"), ["story PAY-77", "run run-aaaa"])
    assert.deepStrictEqual(refs("budget_stop", "raise_budget"), ["run run-aaaa", "run run-aaaa"])
  })

  it.each([
    [500, 1000],
    [1, 2],
    [0, 500],
    [1_500_000_000, 2_147_483_647]
  ])("a budget of %i cents is raised to %i", (budgetCents, raised) => {
    const run = Sample.run("waiting", "verifying", { budgetCents })
    assert.strictEqual(answered(matter(on("budget_stop", "raise_budget"), run)).run?.budgetCents, raised)
  })

  it("changes to a plan are made while planning; changes to code by implementing", () => {
    const stageAfter = (stage: "planning" | "verifying" | "handing_off") =>
      answered(matter(on("plan_approval", "request_changes"), Sample.run("waiting", stage)), "Smaller").run?.latest
        .stage
    assert.deepStrictEqual((["planning", "verifying", "handing_off"] as const).map(stageAfter), [
      "planning",
      "implementing",
      "implementing"
    ])
  })

  it("an attempt given up for a red main branch failed by its dependency, any other by a gate", () => {
    const failure = (kind: Kind) => answered(matter(on(kind, "retry"))).run?.attemptList[0]?.failureClass
    assert.deepStrictEqual(
      (["main_red_incident", "verification_failed", "gate_failure", "repeated_gate_failure"] as const).map(failure),
      ["dependency", "gate", "gate", "gate"]
    )
  })

  it("an accepted proposal as a draft in Backlog, in the words of the decision", () => {
    const filed = (body: string) =>
      answered(matter(on("strategy_proposal", "accept_proposal", { title: "Wish lists", body }))).change.added
        ?.stories?.[0]
    const { column, description, draft, readinessScore, team, title } = filed("People ask.") ?? {}
    assert.deepStrictEqual(
      [title, description, column?.role, draft, readinessScore, team],
      ["Wish lists", "People ask.", "backlog", true, 40, "payments"]
    )
    assert.isNull(filed("")?.description)
  })

  it("the note of a rejection on a story that is in Backlog already, without a move", () => {
    const at = { ...matter(on("plan_approval", "reject")), story: Sample.story("backlog") }
    const { change, effects } = answered(at, "Not now")
    assert.strictEqual(change.changed?.stories?.[0]?.returnNote, "Not now")
    assert.notInclude(
      effects.map(({ type }) => type),
      "story_moved"
    )
  })

  it("a move of a story under its run, though nothing of that run changed", () => {
    const run = Sample.run("queued", "planning")
    const { change } = answered({ ...matter(on("plan_approval", "approve_plan"), run), story: Sample.story("ready") })
    assert.isUndefined(change.changed?.runs)
    const [, moved] = change.audit
    assert.deepStrictEqual([moved?.event, moved?.runKey], ["story_moved", "run-aaaa"])
  })

  it("nothing of a run that still waits for another decision and was told nothing", () => {
    const run = Sample.run("waiting", "implementing")
    assert.isUndefined(answered(matter(on("merge_approval", "request_changes"), run)).run)
  })
})
