import { Schema } from "effect"
import { DecisionKey } from "../work/Decision.ts"
import { PullRequest } from "../work/Run.ts"
import { RunKey } from "../value/RunKey.ts"
import { SourceKind } from "./SignalSource.ts"
import { StoryKey } from "../work/Story.ts"
import { Timestamp } from "../value/Timestamp.ts"

/** A change of the team that was merged into main. */
export const Merge = Schema.Struct({
  runKey: RunKey,
  story: StoryKey,
  pullRequest: Schema.NullOr(PullRequest),
  mergedAt: Timestamp
})
export type Merge = typeof Merge.Type

export const Confidence = Schema.Literal("high", "medium", "low")
export type Confidence = typeof Confidence.Type

/** Finding about an incident, and the decision, story or run that followed from it. */
export const Investigation = Schema.Struct({
  at: Timestamp,
  summary: Schema.String,
  /** The merge that is the cause, with high confidence. */
  suspect: Schema.NullOr(Merge),
  isCodeCaused: Schema.Boolean,
  /** Confidence that the likeliest merge is the cause; null where none was examined. */
  confidence: Schema.optionalWith(Schema.NullOr(Confidence), { default: () => null }),
  reasons: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
  decision: Schema.NullOr(DecisionKey),
  storyKey: Schema.NullOr(StoryKey),
  runKey: Schema.NullOr(RunKey)
})
export type Investigation = typeof Investigation.Type

/** An alert as an investigation sees it. */
export const EvidenceAlert = Schema.Struct({
  title: Schema.String,
  description: Schema.NullOr(Schema.String),
  labels: Schema.Record({ key: Schema.String, value: Schema.String }),
  /** Start by the tool's own clock. */
  startedAt: Schema.NullOr(Timestamp),
  kind: SourceKind
})
export type EvidenceAlert = typeof EvidenceAlert.Type

/** A merge with its story's title and the paths it changed, where they were reported. */
export const Candidate = Schema.Struct({
  ...Merge.fields,
  title: Schema.String,
  paths: Schema.NullOr(Schema.Array(Schema.String))
})
export type Candidate = typeof Candidate.Type

/** An incident with its first alerts and the team's merges of the last day. */
export const Evidence = Schema.Struct({
  title: Schema.String,
  service: Schema.String,
  environment: Schema.NullOr(Schema.String),
  openedAt: Timestamp,
  /** Names of the team's other services. */
  otherServices: Schema.Array(Schema.String),
  /** Oldest first. */
  alerts: Schema.Array(EvidenceAlert),
  /** Newest first. */
  merges: Schema.Array(Candidate)
})
export type Evidence = typeof Evidence.Type

export type Finding = Pick<Investigation, "summary" | "suspect" | "isCodeCaused" | "confidence" | "reasons">

export const hoursOfSuspicion = 24

/** Alerts an investigation reads; a storm repeats itself. */
export const mostAlertsRead = 20
