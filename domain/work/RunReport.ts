import { Schema } from "effect"
import { Cents } from "../workspace/Policy.ts"
import { Evidence, FailureClass, ReportedPullRequest, Stage, Verification } from "./Run.ts"
import { Size } from "./Story.ts"
import { Line, Text } from "../value/Text.ts"

const fact = <Type extends string, Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), ...fields })

/** A fact that the worker on a run reports. */
export const Fact = Schema.Union(
  fact("stage", { stage: Stage }),
  /** Total of the current attempt, so that a report sent twice counts once. */
  fact("cost", {
    costCents: Cents,
    /** Version of the prices and the rate that it was reckoned with. */
    prices: Schema.optionalWith(Line(100), { exact: true })
  }),
  fact("evidence", { evidence: Evidence }),
  fact("verification", {
    status: Verification.fields.status,
    summary: Text,
    /** True when a person allowed the failure: the change is handed off, and its merge needs an approval. */
    allowed: Schema.optionalWith(Schema.Boolean, { exact: true })
  }),
  /** The branch is pushed; the code host opens the pull request, and the service continues from there. */
  fact("handed_off", {
    repository: Line(500),
    branch: Line(250),
    head: Line(100),
    base: Line(250),
    title: Line(500),
    /** Summary of the verification. */
    summary: Text,
    /** False when the verification failed and a person allowed that. */
    verified: Schema.optionalWith(Schema.Boolean, { exact: true })
  }),
  fact("pull_request", { pullRequest: ReportedPullRequest }),
  fact("merged", {}),
  fact("failure", { failureClass: FailureClass, error: Text }),
  fact("plan_ready", { plan: Text, size: Schema.NullOr(Size) }),
  fact("path_needed", { path: Line(500), reason: Text }),
  fact("question", { question: Text }),
  /** The agent has ended and cannot go on without the answers to its questions; the run waits if one is pending. */
  fact("answer_awaited", {}),
  fact("spec_failed", { reason: Text }),
  fact("spec_changed", { reason: Text }),
  fact("gate_failed", { gate: Line(200), reason: Text }),
  fact("main_broken", { merge: Line(500), reason: Text }),
  fact("main_red", { reason: Text }),
  fact("maintenance_found", { title: Line(500), reason: Text }),
  fact("feature_idea", { title: Line(500), reason: Text }),
  fact("scope_grew", { reason: Text })
)
export type Fact = typeof Fact.Type
