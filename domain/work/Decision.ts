import { DateTime, Schema } from "effect"
import { Channel } from "../workspace/Actor.ts"
import { TokenId } from "../workspace/ApiToken.ts"
import * as Key from "../value/Key.ts"
import { Role } from "../workspace/Member.ts"
import { RunKey } from "../value/RunKey.ts"
import { StoryKey } from "./Story.ts"
import { TeamSlug } from "../workspace/Team.ts"
import { Line, Text } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"
import { skipValidation } from "../value/SkipValidation.ts"
import { Step } from "./Step.ts"

export const DecisionKey = Schema.String.pipe(
  Schema.pattern(Key.shape("dec"), { message: () => "must be a decision key such as dec-4m2q" }),
  Schema.brand("DecisionKey")
)
export type DecisionKey = typeof DecisionKey.Type
export const parseKey = Key.parser(DecisionKey, (text) => text.toLowerCase())

export const DecisionStatus = Schema.Literal("pending", "resolved", "expired", "cancelled", "superseded")
export type DecisionStatus = typeof DecisionStatus.Type

export const Action = Schema.Literal(
  "approve_plan",
  "request_changes",
  "allow_once",
  "reject",
  "raise_budget",
  "abandon",
  "revert_spec_and_retry",
  "retry",
  "answer",
  "merge",
  "open_revert",
  "accept_proposal",
  "decline_proposal"
)
export type Action = typeof Action.Type

export const Kind = Schema.Literal(
  "plan_approval",
  "policy_exception",
  "clarification",
  "budget_stop",
  "verification_failed",
  "gate_failure",
  "diff_guard",
  "repeated_gate_failure",
  "merge_approval",
  "revert_approval",
  "main_red_incident",
  "maintenance_proposal",
  "strategy_proposal",
  "scope_change"
)
export type Kind = typeof Kind.Type

const afterFailure: ReadonlyArray<Action> = ["retry", "request_changes", "allow_once", "abandon"]

/** Actions a decision of each kind may offer. */
export const actions: Record<Kind, ReadonlyArray<Action>> = {
  plan_approval: ["approve_plan", "request_changes", "reject", "abandon"],
  policy_exception: ["allow_once", "request_changes", "reject", "abandon"],
  clarification: ["answer", "abandon"],
  budget_stop: ["raise_budget", "abandon"],
  verification_failed: afterFailure,
  gate_failure: afterFailure,
  diff_guard: ["revert_spec_and_retry", "allow_once", "reject", "abandon"],
  repeated_gate_failure: afterFailure,
  merge_approval: ["merge", "request_changes", "reject", "abandon"],
  revert_approval: ["open_revert", "decline_proposal"],
  main_red_incident: ["open_revert", "retry", "decline_proposal"],
  maintenance_proposal: ["accept_proposal", "decline_proposal"],
  strategy_proposal: ["accept_proposal", "decline_proposal"],
  scope_change: ["approve_plan", "request_changes", "reject", "abandon"]
}

export const Option = Schema.Struct({
  id: Line(100),
  label: Line(200),
  action: Action,
  recommended: Schema.Boolean
})
export type Option = typeof Option.Type

export const longestNote = 4000

/** At most 4,000 code points, regardless of their UTF-16 length. */
export const Note = Text.pipe(
  Schema.filter((text) => [...text].length <= longestNote || "must be at most 4,000 characters")
)

export const Resolution = Schema.Struct({ optionId: Schema.String, note: Schema.NullOr(Note) })

/** Kinds whose declined decisions are remembered. */
export const proposals: ReadonlyArray<Kind> = ["maintenance_proposal", "strategy_proposal"]

const shown = {
  key: DecisionKey,
  kind: Kind,
  authority: Role,
  title: Line(500),
  body: Text,
  status: DecisionStatus,
  recommendation: Schema.String,
  options: Schema.Array(Option).pipe(Schema.minItems(2), Schema.maxItems(4)),
  team: TeamSlug,
  story: Schema.NullOr(StoryKey),
  runKey: Schema.NullOr(RunKey),
  resolution: Schema.NullOr(Resolution),
  resolvedVia: Schema.NullOr(Channel),
  resolvedAt: Schema.NullOr(Timestamp),
  expiresAt: Schema.NullOr(Timestamp),
  createdAt: Timestamp
}

/** Decision as the API shows it. */
export const DecisionView = Schema.Struct(shown).annotations({ identifier: "Decision", title: "Decision" })
export type DecisionView = typeof DecisionView.Type

/** A point where the service needs a human. */
export class Decision extends Schema.Class<Decision>("Decision")(
  Schema.Struct({
    ...shown,
    /** Subject of the decision: the path, the gate or the merge. An exception granted for it holds for this alone. */
    subject: Schema.NullOr(Line(500)),
    /** Named to a person who answers second. */
    resolvedBy: Schema.NullOr(Schema.String),
    /** Steps that the resolution took; null for decisions that were imported or resolved by an earlier release. */
    effects: Schema.optionalWith(Schema.NullOr(Schema.Array(Step)), { default: () => null }),
    /** The API token that raised it. */
    askedBy: Schema.optionalWith(Schema.NullOr(TokenId), { default: () => null })
  }).pipe(
    Schema.filter((decision) => {
      const ids = decision.options.map((option) => option.id)
      const allowed = actions[decision.kind]
      const misplaced = decision.options.findIndex((option) => !allowed.includes(option.action))
      if (misplaced >= 0)
        return { path: ["options", misplaced, "action"], message: `${decision.kind} may offer ${allowed.join(", ")}` }
      if (new Set(ids).size < ids.length) return { path: ["options"], message: "option ids must be unique" }
      if (!ids.includes(decision.recommendation))
        return { path: ["recommendation"], message: `must be one of the option ids: ${ids.join(", ")}` }
      if (decision.options.some((option) => option.recommended !== (option.id === decision.recommendation)))
        return { path: ["options"], message: "exactly the recommended option is marked recommended" }
      const early = (["resolution", "resolvedVia", "resolvedAt"] as const).find((field) => decision[field] !== null)
      if (decision.status !== "resolved" && early !== undefined)
        return { path: [early], message: "only a resolved decision has it" }
      if (decision.resolution !== null && !ids.includes(decision.resolution.optionId))
        return { path: ["resolution", "optionId"], message: `must be one of the option ids: ${ids.join(", ")}` }
      return true
    })
  )
) {}

export const isDue = (decision: Decision, now: DateTime.Utc): boolean =>
  decision.status === "pending" && decision.expiresAt !== null && DateTime.greaterThanOrEqualTo(now, decision.expiresAt)

/** Closes a decision without an answer: its deadline passed, its run or story ended, or a newer one replaced it. */
export const close = (decision: Decision, status: "expired" | "cancelled" | "superseded"): Decision =>
  new Decision({ ...decision, status }, skipValidation)

export class DecisionNotFound extends Schema.TaggedError<DecisionNotFound>()("DecisionNotFound", {
  decision: Schema.String
}) {
  override get message() {
    return `There is no decision '${this.decision}' in this workspace; GET /v1/decisions lists them.`
  }
}
