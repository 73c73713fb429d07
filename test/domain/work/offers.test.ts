import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { Action, Kind } from "../../../domain/work/Decision.ts"
import { raise } from "../../../domain/work/RaiseDecision.ts"
import type { Ask } from "../../../domain/work/DecisionTriggers.ts"
import * as Sample from "../Sample.ts"

/** In the order of the actions: x where the kind may offer it. */
const offers: Record<Kind, string> = {
  // approve_plan, request_changes, allow_once, reject, raise_budget, abandon, revert_spec_and_retry,
  // retry, answer, merge, open_revert, accept_proposal, decline_proposal
  plan_approval: "x x . x . x . . . . . . .",
  policy_exception: ". x x x . x . . . . . . .",
  clarification: ". . . . . x . . x . . . .",
  budget_stop: ". . . . x x . . . . . . .",
  verification_failed: ". x x . . x . x . . . . .",
  gate_failure: ". x x . . x . x . . . . .",
  diff_guard: ". . x x . x x . . . . . .",
  repeated_gate_failure: ". x x . . x . x . . . . .",
  merge_approval: ". x . x . x . . . x . . .",
  revert_approval: ". . . . . . . . . . x . x",
  main_red_incident: ". . . . . . . x . . x . x",
  maintenance_proposal: ". . . . . . . . . . . x x",
  strategy_proposal: ". . . . . . . . . . . x x",
  scope_change: "x x . x . x . . . . . . ."
}

describe("what a kind may offer", () => {
  it.each(Kind.literals)("%s", (kind) => {
    const cells = offers[kind].split(" ")
    assert.strictEqual(cells.length, Action.literals.length)
    const safe = Action.literals[cells.indexOf("x")] ?? "reject"
    for (const [index, action] of Action.literals.entries()) {
      const options = [action, safe].map((one, place) => ({ id: `o${place}`, label: one, action: one }))
      const ask: Ask = { kind, title: "?", body: "", subject: null, authority: "member", recommendation: "o1", options }
      const refused = Either.getOrNull(Either.flip(raise(Sample.ana, Sample.raising(), ask)))
      if (cells[index] === "x") assert.isNull(refused, action)
      else assert.match(refused?.message ?? "", new RegExp(`^options\\.0\\.action: ${kind} may offer `), action)
    }
  })
})
