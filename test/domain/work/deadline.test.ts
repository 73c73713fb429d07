import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either } from "effect"
import { bySystem } from "../../../domain/workspace/Actor.ts"
import { answer, type DecisionContext, expire } from "../../../domain/work/ResolveDecision.ts"
import { close, Decision, isDue } from "../../../domain/work/Decision.ts"
import * as Sample from "../Sample.ts"

const { matter, now } = Sample
const asked = Sample.decision("plan_approval", "approve_plan")

describe("the deadline", () => {
  const deadline = asked.expiresAt ?? now
  const command = { by: Sample.ana, role: "member", channel: "slack", optionId: "approve_plan", note: null } as const
  const answering = (at: DecisionContext) => Either.getOrThrow(answer(command, bySystem)(at))
  const at = (millis: number) => ({ ...matter(asked), now: DateTime.add(deadline, { millis }) })

  it.each([
    [-1, false],
    [0, true],
    [1, true]
  ])("%i ms from it: has passed is %s", (millis, hasPassed) => {
    assert.strictEqual(isDue(asked, at(millis).now), hasPassed)
    const { answer: told } = answering(at(millis))
    assert.strictEqual(Either.isLeft(told) ? told.left._tag : "answered", hasPassed ? "DecisionExpired" : "answered")
  })

  it("is none for a decision without one, and for one that is final", () => {
    const far = DateTime.unsafeMake("9999-01-01")
    assert.isFalse(isDue(new Decision({ ...asked, expiresAt: null }), far))
    for (const status of ["expired", "cancelled", "superseded"] as const)
      assert.isFalse(isDue(close(asked, status), far), status)
  })

  it("that is seen by whoever answers too late expires the decision, by the system", () => {
    const { change } = answering(at(0))
    assert.deepStrictEqual(change, expire(bySystem, at(0)))
    assert.deepStrictEqual(new Set(change.audit.map(({ actor }) => actor.type)), new Set(["system"]))
  })

  it.each([
    ["waiting", "timed_out", ["decision_expired", "run_state_changed", "decision_cancelled"]],
    ["running", "timed_out", ["decision_expired", "run_state_changed", "decision_cancelled"]],
    ["queued", null, ["decision_expired"]],
    ["succeeded", null, ["decision_expired"]]
  ] as const)("tells a run that is %s that nobody answered", (status, after, audit) => {
    const change = expire(bySystem, matter(asked, Sample.run(status)))
    const latest = change.changed?.runs?.[0]?.latest
    assert.strictEqual(latest?.status ?? null, after)
    if (after !== null) {
      assert.deepStrictEqual([latest?.failureClass, latest?.error], [null, "nobody answered dec-aaaa"])
      assert.deepStrictEqual(latest?.completedAt, now)
    }
    const keys = change.changed?.decisions?.map(({ key, status }) => `${key} ${status}`)
    assert.deepStrictEqual(keys, after ? ["dec-aaaa expired", "dec-bbbb cancelled"] : ["dec-aaaa expired"])
    assert.isUndefined(change.changed?.stories)
    assert.deepStrictEqual(
      change.audit.map(({ event }) => event),
      [...audit]
    )
    assert.deepStrictEqual(
      change.added?.jobs?.map(({ kind, payload }) => [kind, payload["note"]]),
      [["tell_agent", "nobody answered dec-aaaa"]]
    )
  })

  it("without a run expires the decision and nothing else", () => {
    const change = expire(bySystem, { ...matter(asked, null), pending: [] })
    assert.deepStrictEqual(change.added, {})
    assert.deepStrictEqual(change.changed, { decisions: [close(asked, "expired")] })
    assert.deepStrictEqual(
      change.audit.map(({ event }) => event),
      ["decision_expired"]
    )
  })
})
