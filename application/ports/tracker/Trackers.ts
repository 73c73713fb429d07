import { Context, type DateTime, type Duration, type Effect, Schema } from "effect"
import type { Connection } from "../../../domain/connection/Connection.ts"
import type { IssueChange } from "../../../domain/tracker/IssueChange.ts"
import type { Board, IssueStatus, Mark } from "../../../domain/tracker/Mapping.ts"
import type { GoneReason, IssueRef, IssueSnapshot, IssueTrail } from "../../../domain/tracker/TrackerIssue.ts"
import type { Platform } from "../../../domain/workspace/Tracker.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"

/** A failed call of a tracker; a final failure is not retried. */
export class TrackerFailed extends Schema.TaggedError<TrackerFailed>()("TrackerFailed", {
  reason: Schema.String,
  isFinal: Schema.Boolean,
  /** Time that the tracker asks to wait before any other call: nothing is wrong. Null when it asks for none. */
  wait: Schema.optionalWith(Schema.NullOr(Schema.DurationFromMillis), { default: () => null })
}) {
  override get message() {
    return this.reason
  }
}

/** A project of a tracker, such as a repository, over a connection. */
export interface Project {
  readonly workspace: WorkspaceId
  readonly connection: Connection
  readonly project: string
  /** Its board; without one no issue has a status. */
  readonly board?: Board | undefined
}

/** A project as it is found at set-up. */
export interface ProjectFacts {
  /** The project as the tracker spells it. */
  readonly project: string
  readonly url: string
  readonly labels: ReadonlyArray<string>
  /** Statuses of its board or workflow; none where there is no board. */
  readonly statuses: ReadonlyArray<string>
  /** Reason for which the board cannot be used, with the way out. */
  readonly boardProblem?: string | null
  /** Permissions that the connection lacks, in the tracker's words. */
  readonly missing: ReadonlyArray<string>
}

export interface PageOfIssues {
  /** Oldest update first; a request for changes never skips an issue that changed meanwhile. Pull requests are left out. */
  readonly issues: ReadonlyArray<IssueSnapshot>
  /** Null after the last page. */
  readonly next: string | null
  /** Latest change that was listed, of an issue or of what is left out; null without one. */
  readonly until: DateTime.Utc | null
  /** Mark of this answer for `unless`; null where the tracker gives none, and for a full page: it hides what comes after it. */
  readonly etag: string | null
  /** All issues of the project, where it was asked for and is known. */
  readonly total?: number | null
}

export interface PageRequest {
  /** Only issues that changed at or after this time. */
  readonly since: DateTime.Utc | null
  /** `next` of the page before. */
  readonly cursor: string | null
  /** Mark of an answer to the same request: null is returned when nothing has changed since. */
  readonly unless?: string | null
  /** Has the issues of the project counted. */
  readonly isCounted?: boolean
}

/** An issue that is not in the project any more. */
export interface Gone {
  readonly gone: GoneReason
}

export interface NewIssue {
  readonly title: string
  /** Ends with the marker. */
  readonly body: string
  readonly labels: ReadonlyArray<string>
}

/** A comment of ours, found again by its marker. */
export interface OwnComment {
  /** Hidden text that is part of the body. */
  readonly marker: string
  readonly body: string
  /** Its id, if it was written before. */
  readonly id: string | null
}

/** A system that keeps issues. Every call may be repeated. */
export interface Tracker {
  readonly platform: typeof Platform.Type
  /** Least time between two calls that create content. */
  readonly pace: Duration.Duration
  /** Name of the account that the service acts as. */
  readonly own: (at: Project) => Effect.Effect<string, TrackerFailed>
  readonly inspect: (at: Project) => Effect.Effect<ProjectFacts, TrackerFailed>
  /** Open and closed issues; null when `unless` is still the mark of the answer. */
  readonly page: (at: Project, request: PageRequest) => Effect.Effect<PageOfIssues | null, TrackerFailed>
  readonly get: (at: Project, issue: IssueRef) => Effect.Effect<IssueSnapshot | Gone, TrackerFailed>
  /** Statuses of at most a hundred issues by their ids. Issues that left are not among them. */
  readonly statuses: (
    at: Project,
    issues: ReadonlyArray<IssueRef>
  ) => Effect.Effect<ReadonlyMap<string, IssueStatus>, TrackerFailed>
  /** Acts on an issue; `marks` are the labels and statuses that make it Ready. */
  readonly trail: (at: Project, issue: IssueRef, marks: ReadonlyArray<Mark>) => Effect.Effect<IssueTrail, TrackerFailed>
  /** The issue whose body holds a marker, created at or after a time; null when there is none. */
  readonly find: (
    at: Project,
    marker: string,
    since: DateTime.Utc
  ) => Effect.Effect<IssueSnapshot | null, TrackerFailed>
  readonly create: (at: Project, issue: NewIssue) => Effect.Effect<IssueSnapshot, TrackerFailed>
  /** Changes labels, status and state; returns the issue afterwards. Labels that are missing in the project are created, and an issue that is not on the board is added to it. */
  readonly update: (
    at: Project,
    issue: IssueRef,
    change: IssueChange
  ) => Effect.Effect<IssueSnapshot | Gone, TrackerFailed>
  /** Creates or rewrites the comment; without an id it looks for the marker first. Returns its id. */
  readonly comment: (at: Project, issue: IssueRef, comment: OwnComment) => Effect.Effect<string | Gone, TrackerFailed>
}

/** The tracker behind a connection; null where its system has no issues. */
export class Trackers extends Context.Reference<Trackers>()("application/Trackers", {
  defaultValue: (): ((connection: Connection) => Tracker | null) => () => null
}) {}
