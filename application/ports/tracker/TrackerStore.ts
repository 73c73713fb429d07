import { Context, type DateTime, Duration, type Effect, type Either } from "effect"
import type { Decided } from "../../../domain/Change.ts"
import type { Connection, ConnectionId } from "../../../domain/connection/Connection.ts"
import type { Binding, BindingId, Sync } from "../../../domain/tracker/Binding.ts"
import type { BindingContext } from "../../../domain/tracker/ChangeBinding.ts"
import type { IssueStatus } from "../../../domain/tracker/Mapping.ts"
import type { MirrorContext, Mirrored } from "../../../domain/tracker/MirrorIssue.ts"
import type { MirroredIssue } from "../../../domain/tracker/MirroredIssue.ts"
import type { IssueRef } from "../../../domain/tracker/TrackerIssue.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import type { Story } from "../../../domain/work/Story.ts"
import type { TeamNotFound, TeamSlug } from "../../../domain/workspace/Team.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"

/** Longest wait for a call that is reserved. */
export const longestTurn = Duration.minutes(1)

/** So many calls within a time. */
export interface CallLimit {
  readonly most: number
  readonly within: Duration.Duration
}

/** Days for which the rows of a removed binding are kept: a team that is bound again goes on with them. */
export const keptDays = 7

/** A binding with the state of its mirror. */
export interface BindingState {
  readonly binding: Binding
  readonly sync: Sync
  /** Issues that have a story now. */
  readonly mirrored: number
  /** Issues whose change is to be written. */
  readonly unwritten: number
  /** Approved drafts that are to become issues. */
  readonly drafts: number
}

/** An open issue with the status that the mirror knows. */
export interface OpenIssue extends IssueRef, IssueStatus {}

/** An issue that is to be read again; the mark tells a later hint from the one that was followed. */
export interface Hint {
  readonly issue: IssueRef
  readonly mark: string
}

/** A binding whose project is due to be looked through. */
export interface DueBinding {
  readonly workspace: WorkspaceId
  readonly binding: Binding
  readonly connection: Connection
  readonly sync: Sync
  /** The oldest hints, and issues whose text waited for the end of a run. */
  readonly hints: ReadonlyArray<Hint>
}

/** A run whose comment is to be written. */
export interface UnwrittenRun {
  readonly run: RunKey
  readonly plan: string | null
  /** Name of the state that the comment shows. */
  readonly state: string
  /** Id of the comment; null before the first. */
  readonly comment: string | null
}

/** An issue that does not show the column of its story, or lacks a comment on a run. */
export interface UnwrittenIssue {
  readonly workspace: WorkspaceId
  readonly workspaceSlug: WorkspaceSlug
  readonly binding: Binding
  readonly connection: Connection
  readonly issue: MirroredIssue
  readonly story: Story
  readonly runs: ReadonlyArray<UnwrittenRun>
}

/** Identifies the row and the story of an issue. */
export interface MirrorTarget {
  readonly binding: BindingId
  readonly issue: IssueRef
  readonly url: string | null
  /** Id of the story that the issue was written for. */
  readonly story: string | null
}

export class TrackerStore extends Context.Tag("application/TrackerStore")<
  TrackerStore,
  {
    /** The bindings of a workspace by team. */
    readonly list: (workspace: WorkspaceId) => Effect.Effect<ReadonlyArray<BindingState>>
    /** Locks the workspace, calls `decide`, and commits its change. A new or changed binding is due at once, from the beginning; its sweeps are counted on. */
    readonly change: <A, E>(
      workspace: WorkspaceId,
      team: TeamSlug,
      decide: (at: BindingContext) => Either.Either<Decided<A>, E>
    ) => Effect.Effect<A, E | TeamNotFound>
    /** Locks an issue and its story, calls `decide`, and commits its row and change. Fails with null when it is unbound. */
    readonly mirror: <E>(
      workspace: WorkspaceId,
      target: MirrorTarget,
      decide: (at: MirrorContext) => Either.Either<Mirrored, E>
    ) => Effect.Effect<Mirrored, E | null>
    /** The mirrored issues among these ids. */
    readonly issues: (
      workspace: WorkspaceId,
      binding: BindingId,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<MirroredIssue>>
    /** Takes the due bindings of all workspaces; each is due again after the pause. */
    readonly due: (pauseSeconds: number) => Effect.Effect<ReadonlyArray<DueBinding>>
    /** Keeps the state of a mirror, which is due again after the wait. A binding that was changed since is left as it is. */
    readonly progress: (
      workspace: WorkspaceId,
      binding: Pick<Binding, "id" | "updatedAt">,
      sync: Sync,
      wait: Duration.Duration
    ) => Effect.Effect<void>
    /** Marks issues as read by a sweep. */
    readonly seen: (
      workspace: WorkspaceId,
      binding: BindingId,
      sweep: number,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<void>
    /** Mirrored issues that a sweep has not read. */
    readonly unseen: (
      workspace: WorkspaceId,
      binding: BindingId,
      sweep: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<IssueRef>>
    /** Mirrored open issues after an id, by their ids. */
    readonly open: (
      workspace: WorkspaceId,
      binding: BindingId,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<OpenIssue>>
    /** Has an issue of every binding to a project read again: at once, or with a look after the wait. */
    readonly hint: (
      workspace: WorkspaceId,
      connection: ConnectionId,
      project: string,
      issue: IssueRef,
      wait?: Duration.Duration
    ) => Effect.Effect<void>
    /** Forgets a hint that was followed, unless a later one came. */
    readonly followed: (workspace: WorkspaceId, binding: BindingId, hint: Hint) => Effect.Effect<void>
    /** Takes issues that are to be written, at most so many of each connection, the longest waiting first; nobody else gets them until the lease ends. */
    readonly unwritten: (lease: Duration.Duration, most: number) => Effect.Effect<ReadonlyArray<UnwrittenIssue>>
    /** Keeps the row after a write. A row that was synced since is left as it is. */
    readonly wrote: (workspace: WorkspaceId, issue: MirroredIssue, before: MirroredIssue) => Effect.Effect<void>
    readonly commented: (
      workspace: WorkspaceId,
      issue: MirroredIssue,
      written: UnwrittenRun & { readonly comment: string }
    ) => Effect.Effect<void>
    /** Ends the lease of an issue, which nobody takes before the wait is over. */
    readonly release: (workspace: WorkspaceId, issue: MirroredIssue, wait: Duration.Duration) => Effect.Effect<void>
    /** Reserves the next call that creates content, unless it is over a minute away; returns the time to wait for it. */
    readonly reserve: (
      workspace: WorkspaceId,
      connection: ConnectionId,
      pace: Duration.Duration
    ) => Effect.Effect<Duration.Duration>
    /** Delays all calls over a connection that create content. */
    readonly delay: (workspace: WorkspaceId, connection: ConnectionId, wait: Duration.Duration) => Effect.Effect<void>
    /** Counts a call over a connection that creates content, whichever instance makes it. Returns the time to wait when a limit is reached: such a call is not counted, and not to be made. */
    readonly spend: (
      workspace: WorkspaceId,
      connection: ConnectionId,
      limits: ReadonlyArray<CallLimit>
    ) => Effect.Effect<Duration.Duration>
    readonly now: Effect.Effect<DateTime.Utc>
    /** Forgets the rows of bindings that were removed a week ago, unless their team is bound over the same connection: its project may have a new name. */
    readonly purge: Effect.Effect<void>
  }
>() {}
