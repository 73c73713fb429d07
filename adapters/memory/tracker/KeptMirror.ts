import type { ConnectionId } from "../../../domain/connection/Connection.ts"
import type { BindingId, Sync } from "../../../domain/tracker/Binding.ts"
import type { MirroredIssue } from "../../../domain/tracker/MirroredIssue.ts"
import type { IssueRef } from "../../../domain/tracker/TrackerIssue.ts"

export interface KeptIssue {
  row: MirroredIssue
  sweep: number
  /** Until when nobody else writes to it, and until when it rests. */
  leasedUntil: number
  restsUntil: number
}

interface KeptHint {
  readonly binding: BindingId
  readonly issue: IssueRef
  readonly mark: number
  readonly dueAt: number
}

/** The state of the mirrors of a workspace, by binding, or by binding and issue. */
export interface KeptMirror {
  readonly syncs: Map<BindingId, { sync: Sync; dueAt: number }>
  readonly issues: Map<string, KeptIssue>
  readonly hints: Map<string, KeptHint>
  /** By binding, issue and run. */
  readonly comments: Map<string, { readonly id: string; readonly state: string }>
  /** Time of the next call that creates content. */
  readonly nextWrites: Map<ConnectionId, number>
  /** Times of the calls that created content. */
  readonly writes: Map<ConnectionId, ReadonlyArray<number>>
}

export const newMirror = (): KeptMirror => ({
  syncs: new Map(),
  issues: new Map(),
  hints: new Map(),
  comments: new Map(),
  nextWrites: new Map(),
  writes: new Map()
})
