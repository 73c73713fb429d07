import type { CloseReason } from "./TrackerIssue.ts"

/** A change of an issue's labels and state. Only what is named changes: never title or description. */
export interface IssueChange {
  readonly addLabels: ReadonlyArray<string>
  readonly removeLabels: ReadonlyArray<string>
  /** Null reopens; undefined leaves the state. */
  readonly closed?: CloseReason | null
  /** The status to set on a board or workflow; null takes it away. */
  readonly status?: string | null
}
