import { Schema } from "effect"

const EffectType = Schema.Literal(
  "plan_approved",
  "implementation_started",
  "run_resumed",
  "exception_granted",
  "run_ended",
  "story_moved",
  "budget_raised",
  "spec_restored",
  "attempt_queued",
  "answer_delivered",
  "pull_request_merged",
  "revert_opened",
  "proposal_filed",
  "proposal_declined"
)

/**
 * A step taken by a resolution: `done` is committed here, `queued` waits for an external system to confirm it. The summary
 * is in the present tense, so that it says the same before and after the resolution.
 */
export const Step = Schema.Struct({
  type: EffectType,
  status: Schema.Literal("done", "queued"),
  summary: Schema.String,
  ref: Schema.NullOr(Schema.Struct({ type: Schema.Literal("decision", "run", "story", "job"), id: Schema.String }))
}).annotations({ identifier: "ResolutionStep" })
export type Step = typeof Step.Type
