import { assert, describe, it } from "vitest"
import type { IncidentKey } from "../../../domain/value/IncidentKey.ts"
import type { Action, Decision, DecisionKey, Kind } from "../../../domain/work/Decision.ts"
import { type DecisionContext, expire } from "../../../domain/work/ResolveDecision.ts"
import { bySystem } from "../../../domain/workspace/Actor.ts"
import * as Sample from "../Sample.ts"

/** Ana takes the recommended option of a decision about a run that waits for it alone. */
const summaries = (
  kind: Kind,
  action: Action,
  more: Partial<DecisionContext> = {},
  decisionMore: Partial<Decision> = {}
) => {
  const asked = Sample.decision(kind, action, decisionMore)
  const at = { ...Sample.matter(asked), pending: [asked], story: Sample.story("ready"), ...more }
  return Sample.answered(at).effects.map(
    ({ ref, status, summary }) => `${status}: ${summary} (${ref?.type} ${ref?.id})`
  )
}

const job = `(job ${Sample.fresh.job})`
const goesOn = "done: run-aaaa resumes (run run-aaaa)"
const hold = { decision: "dec-rrrr" as DecisionKey, status: "pending", since: Sample.before } as const

describe("what an answer does is told in words", () => {
  it.each<readonly [string, () => ReadonlyArray<string>, ReadonlyArray<string>]>([
    [
      "a plan is approved",
      () => summaries("plan_approval", "approve_plan"),
      [
        "done: The plan of dec-aaaa is approved (decision dec-aaaa)",
        "done: run-aaaa implements the plan (run run-aaaa)",
        "done: PAY-1 moves to In progress (story PAY-1)"
      ]
    ],
    [
      "a question is answered",
      () => summaries("clarification", "answer"),
      [`queued: The answer goes to the agent of run-aaaa ${job}`, goesOn]
    ],
    [
      "a path is allowed",
      () => summaries("policy_exception", "allow_once", {}, { subject: "infra/a.tf" }),
      ["done: Allowed for run-aaaa: infra/a.tf (run run-aaaa)", goesOn]
    ],
    [
      "something without a name is allowed",
      () => summaries("policy_exception", "allow_once"),
      ["done: Allowed for run-aaaa: Which way? (run run-aaaa)", goesOn]
    ],
    [
      "the budget is raised",
      () => summaries("budget_stop", "raise_budget"),
      ["done: The budget of run-aaaa becomes 10.00 € (run run-aaaa)", goesOn]
    ],
    [
      "a plan is rejected",
      () => summaries("plan_approval", "reject"),
      ["done: run-aaaa stops (run run-aaaa)", "done: PAY-1 returns to Backlog (story PAY-1)"]
    ],
    [
      "a run is tried again",
      () => summaries("verification_failed", "retry"),
      ["done: Attempt 2 of run-aaaa is queued (run run-aaaa)"]
    ],
    [
      "a changed spec is restored",
      () => summaries("diff_guard", "revert_spec_and_retry"),
      [`queued: The acceptance spec is to be restored ${job}`, "done: Attempt 2 of run-aaaa is queued (run run-aaaa)"]
    ],
    [
      "a merge is approved",
      () => summaries("merge_approval", "merge"),
      [`queued: The pull request is to be merged ${job}`, goesOn]
    ],
    [
      "a merge is approved while the main branch is red",
      () => summaries("merge_approval", "merge", { mergeHold: hold }),
      [
        `queued: The pull request is to be merged: held by dec-rrrr (pending) since 2026-03-01T10:00:00.000Z, when the main branch was reported red; it continues when dec-rrrr is resolved ${job}`,
        goesOn
      ]
    ],
    [
      "a revert is opened",
      () => summaries("revert_approval", "open_revert"),
      [`queued: A revert pull request is to be opened ${job}`, goesOn]
    ],
    [
      "a proposal is accepted",
      () => summaries("strategy_proposal", "accept_proposal"),
      ["done: A draft story is filed as PAY-77 (story PAY-77)", goesOn]
    ],
    [
      "a proposal is declined",
      () => summaries("strategy_proposal", "decline_proposal"),
      ["done: Declined, and not proposed again (decision dec-aaaa)", goesOn]
    ],
    [
      "a revert is declined",
      () => summaries("revert_approval", "decline_proposal"),
      ["done: Declined (decision dec-aaaa)", goesOn]
    ],
    [
      "the fix of an incident is accepted",
      () => summaries("maintenance_proposal", "accept_proposal", { run: null }, { subject: "inc-aaaa" as IncidentKey }),
      [
        "done: An expedite story is filed as PAY-77 (story PAY-77)",
        "done: Attempt 1 of run-7777 is queued (run run-7777)"
      ]
    ],
    [
      "the fix of an incident is accepted while the team is paused",
      () =>
        summaries(
          "maintenance_proposal",
          "accept_proposal",
          { run: null, team: Sample.team(Sample.policy(), { pausedAt: Sample.now }) },
          { subject: "inc-aaaa" as IncidentKey }
        ),
      ["done: An expedite story is filed as PAY-77 (story PAY-77)"]
    ],
    [
      "a run proposes a fix",
      () => summaries("maintenance_proposal", "accept_proposal", {}, { subject: "inc-aaaa" as IncidentKey }),
      ["done: A draft story is filed as PAY-77 (story PAY-77)", goesOn]
    ]
  ])("%s", (_, told, expected) => assert.deepStrictEqual(told(), expected))

  it("the story of a fix has what the decision said, and why", () => {
    const asked = Sample.decision("maintenance_proposal", "accept_proposal", { subject: "inc-aaaa" })
    const at = { ...Sample.matter(asked, null), pending: [asked], story: null }
    const { change, effects } = Sample.answered(at, "At once")
    assert.deepStrictEqual(
      effects.map(({ type }) => type),
      ["proposal_filed", "attempt_queued"]
    )
    const [filed] = change.added?.stories ?? []
    assert.deepStrictEqual(
      [filed?.title, filed?.description, filed?.returnNote, filed?.classOfService, filed?.draft],
      ["Which way?", "Because.", "At once", "expedite", false]
    )
    assert.deepStrictEqual<unknown>(
      change.changed?.runs?.map(({ key, story }) => [key, story]),
      [["run-7777", "PAY-77"]]
    )
    assert.deepInclude(
      change.audit.find(({ event }) => event === "story_moved"),
      {
        team: "payments",
        entity: { type: "story", id: "PAY-77", name: "Which way?" }
      } as never
    )
    assert.deepInclude(change.audit.find(({ event }) => event === "story_moved")?.details, {
      before: null,
      after: { draft: false, column: "in_progress" }
    })
  })

  it("a story that was in Backlog already is noted, and has not moved", () => {
    const asked = Sample.decision("plan_approval", "reject")
    const at = { ...Sample.matter(asked, null), pending: [asked], story: Sample.story("backlog") }
    const { change } = Sample.answered(at, "Too large")
    assert.strictEqual(change.changed?.stories?.[0]?.returnNote, "Too large")
    assert.deepStrictEqual(
      change.audit.map(({ event }) => event),
      ["decision_resolved"]
    )
  })

  it.each([
    ["its story", Sample.story(), "PAY-1"],
    ["no story", null, null]
  ])("the agent of a run with %s is told that nobody answered", (_, story, key) => {
    const asked = Sample.decision("clarification", "answer")
    const change = expire(bySystem, { ...Sample.matter(asked), pending: [asked], story })
    assert.deepStrictEqual<unknown>(
      change.added?.jobs?.map((one) => [one.kind, one.story, one.payload]),
      [["tell_agent", key, { answer: null, note: "nobody answered dec-aaaa" }]]
    )
  })

  it.each([
    ["merge_approval", "merge", true],
    ["clarification", "answer", false]
  ] as const)("the audit entry of a run names the hold on its merge: %s %s %s", (kind, action, isNamed) => {
    const asked = Sample.decision(kind, action)
    const { change } = Sample.answered({ ...Sample.matter(asked), pending: [asked], mergeHold: hold })
    const { details } = change.audit.find(({ event }) => event === "run_state_changed") ?? {}
    const expected = { ...hold, since: "2026-03-01T10:00:00.000Z" }
    assert.deepStrictEqual(details?.["mergeHold"], isNamed ? expected : undefined)
  })
})
