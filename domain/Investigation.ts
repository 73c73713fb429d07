import { Schema } from "effect"
import { DecisionKey } from "./Decision.ts"
import { PullRequest } from "./Run.ts"
import { RunKey } from "./RunKey.ts"
import type { SourceKind } from "./SignalSource.ts"
import { StoryKey } from "./Story.ts"
import { Timestamp } from "./Timestamp.ts"

/** A change of the team's that got into main. */
export const Merge = Schema.Struct({
  runKey: RunKey,
  story: StoryKey,
  pullRequest: Schema.NullOr(PullRequest),
  mergedAt: Timestamp
})
export type Merge = typeof Merge.Type

/** What was found out about an incident, and what followed from it. */
export const Investigation = Schema.Struct({
  at: Timestamp,
  summary: Schema.String,
  suspect: Schema.NullOr(Merge),
  isCodeCaused: Schema.Boolean,
  decision: Schema.NullOr(DecisionKey),
  storyKey: Schema.NullOr(StoryKey),
  runKey: Schema.NullOr(RunKey)
})
export type Investigation = typeof Investigation.Type

/** What an investigation is made from. */
export interface Evidence {
  readonly title: string
  /** The kinds of the sources that its alerts came from. */
  readonly kinds: ReadonlyArray<SourceKind>
  /** Those of the team in the last day, newest first. */
  readonly merges: ReadonlyArray<Merge>
}

export type Finding = Pick<Investigation, "summary" | "suspect" | "isCodeCaused">

export const hoursOfSuspicion = 24
