import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either } from "effect"
import type { Action, DecisionKey, Kind } from "../../../domain/work/Decision.ts"
import { raise, type RaiseContext } from "../../../domain/work/RaiseDecision.ts"
import { type Ask, usual } from "../../../domain/work/DecisionTriggers.ts"
import { RunStatus } from "../../../domain/work/Run.ts"
import * as Sample from "../Sample.ts"

const option = (id: string, action: Action = "reject") => ({ id, label: `Do ${id}`, action })
const plan: Ask = {
  kind: "plan_approval",
  title: "Plan?",
  body: "First this.",
  subject: null,
  authority: "admin",
  recommendation: "yes",
  options: [option("yes", "approve_plan"), option("no")]
}
const raising = (ask: Partial<Ask> = {}, at: Partial<RaiseContext> = {}) => {
  const decided = raise(Sample.ana, Sample.raising(at), { ...plan, ...ask })
  return Either.flatMap(decided, ({ answer, change }) => Either.map(answer, (decision) => ({ decision, change })))
}
const raised = (ask: Partial<Ask> = {}, at: Partial<RaiseContext> = {}) => Either.getOrThrow(raising(ask, at))
const refusal = (ask: Partial<Ask> = {}, at: Partial<RaiseContext> = {}) =>
  Either.getOrNull(Either.flip(raising(ask, at)))
const field = (ask: Partial<Ask>) => {
  const error = refusal(ask)
  return error?._tag === "InvalidDecision" ? error.field : error
}

describe("a raised decision", () => {
  it("is pending, belongs where it was raised, and is due as the policy says", () => {
    const { decision } = raised()
    const { createdAt, expiresAt, key, runKey, status, story, team } = decision
    assert.deepStrictEqual([key, status, team, story, runKey], ["dec-0001", "pending", "payments", "PAY-1", "run-aaaa"])
    assert.deepStrictEqual([createdAt, expiresAt], [Sample.now, DateTime.add(Sample.now, { hours: 72 })])
    assert.deepStrictEqual([decision.authority, decision.title, decision.body], ["admin", "Plan?", "First this."])
  })

  it("may belong to a story or only to a team", () => {
    const ofStory = raised({}, { run: null }).decision
    const ofTeam = raised({}, { run: null, story: null }).decision
    assert.deepStrictEqual([ofStory.runKey, ofStory.story], [null, "PAY-1"])
    assert.deepStrictEqual([ofTeam.runKey, ofTeam.story, ofTeam.team], [null, null, "payments"])
  })

  it.each([1, 24, 8760])("is due after %i hours", (decisionHours) => {
    const team = Sample.team(Sample.policy({ decisionHours }))
    assert.deepStrictEqual(
      raised({}, { team }).decision.expiresAt,
      DateTime.add(Sample.now, { millis: decisionHours * 3_600_000 })
    )
  })

  it("is due after 72 hours in a team without a policy", () =>
    assert.deepStrictEqual(
      raised({}, { team: Sample.team(null) }).decision.expiresAt,
      DateTime.add(Sample.now, { days: 3 })
    ))

  it("has exactly one recommended option", () => {
    for (const recommendation of ["yes", "no"])
      assert.deepStrictEqual(
        raised({ recommendation }).decision.options.map(({ id, recommended }) => [id, recommended]),
        [
          ["yes", recommendation === "yes"],
          ["no", recommendation === "no"]
        ]
      )
  })

  it("is on record with who raised it", () => {
    const { change } = raised()
    assert.deepStrictEqual(
      change.audit.map(({ actor, details, entity, event, runKey }) => [
        event,
        actor.name,
        entity.id,
        runKey,
        details["kind"] ?? details["after"]
      ]),
      [
        ["decision_raised", "Ana", "dec-0001", "run-aaaa", "plan_approval"],
        ["run_state_changed", "Ana", "run-aaaa", "run-aaaa", { status: "waiting" }]
      ]
    )
  })
})

describe("a decision is refused, naming the field", () => {
  it.each([0, 1, 5])("with %i options", (count) =>
    assert.strictEqual(
      field({ recommendation: "o0", options: Array.from({ length: count }, (_, index) => option(`o${index}`)) }),
      "options"
    )
  )
  it.each([2, 3, 4])("but not with %i options", (count) =>
    assert.isNull(
      field({ recommendation: "o0", options: Array.from({ length: count }, (_, index) => option(`o${index}`)) })
    )
  )
  it.each([
    ["two options of one id", "options", { options: [option("yes"), option("yes")] }],
    ["a recommendation that is no option", "recommendation", { recommendation: "maybe" }],
    ["no title", "title", { title: "" }],
    ["a title of 501", "title", { title: "x".repeat(501) }],
    ["NUL in its body", "body", { body: "a\u0000b" }],
    ["a subject of 501", "subject", { subject: "x".repeat(501) }],
    ["an option without a label", "options.1.label", { options: [option("yes"), { ...option("no"), label: "" }] }],
    ["an option without an id", "options.1.id", { options: [option("yes"), option("")] }]
  ])("with %s", (_, expected, ask) => assert.strictEqual(field(ask), expected))

  it("in words that say what to do", () => {
    assert.strictEqual(
      refusal({ recommendation: "maybe" })?.message,
      "recommendation: must be one of the option ids: yes, no."
    )
    assert.strictEqual(refusal({}, { freshDecisions: [] })?.message, "key: no free decision key was found.")
  })
})

describe("raising about a run", () => {
  const ends: Record<RunStatus, string> = {
    queued: "RunNotRunning",
    running: "waiting",
    waiting: "as it was",
    succeeded: "RunOver",
    failed: "RunOver",
    timed_out: "RunOver",
    stopped: "RunOver"
  }
  it.each(RunStatus.literals)("that is %s", (status) => {
    const end = Either.match(raising({}, { run: Sample.run(status) }), {
      onLeft: ({ _tag }) => _tag as string,
      onRight: ({ change }) => change.changed?.runs?.[0]?.latest.status ?? "as it was"
    })
    assert.strictEqual(end, ends[status])
  })

  const older = (kind: Kind, key: string) =>
    Sample.decision(kind, usual(kind).options[0]?.action ?? "reject", { key: key as DecisionKey })
  const pending = [older("plan_approval", "dec-aaaa"), Sample.another, older("plan_approval", "dec-cccc")]

  it("takes the place of what is pending of its kind, and of nothing else", () => {
    const { change } = raised({}, { run: Sample.run("waiting"), pending })
    assert.deepStrictEqual(
      change.changed?.decisions?.map(({ key, status }) => [key, status]),
      [
        ["dec-aaaa", "superseded"],
        ["dec-cccc", "superseded"]
      ]
    )
    assert.deepStrictEqual(
      change.audit.map(({ details, entity, event }) => [event, entity.id, details["by"]]),
      [
        ["decision_raised", "dec-0001", undefined],
        ["decision_superseded", "dec-aaaa", "dec-0001"],
        ["decision_superseded", "dec-cccc", "dec-0001"]
      ]
    )
  })

  it("takes nobody's place without a run", () =>
    assert.deepStrictEqual(raised({}, { run: null, pending }).change.changed?.decisions, []))
})

describe("a proposal that was declined", () => {
  const idea = { kind: "strategy_proposal", title: "Wish lists", ...usual("strategy_proposal") } as const
  const declined = [{ key: "dec-7777" as DecisionKey, kind: idea.kind, title: idea.title }]
  it("is not proposed again", () =>
    assert.strictEqual(
      refusal(idea, { declined })?.message,
      "'Wish lists' was proposed before and declined as dec-7777; it is not proposed again."
    ))
  it("does not stop another one", () => {
    assert.isNull(refusal({ ...idea, title: "Gift cards" }, { declined }))
    assert.isNull(refusal({ ...idea, kind: "maintenance_proposal" }, { declined }))
    assert.isNull(refusal(idea))
  })
})
