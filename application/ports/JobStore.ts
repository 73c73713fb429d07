import { Context, type Duration, type Effect, type Stream } from "effect"
import type { Job, JobId, JobKind, JobStatus, JobView } from "../../domain/work/Job.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Json } from "./Json.ts"
import type { Page, PageRequest } from "./Page.ts"

/** A job with its workspace. */
export interface WorkspaceJob {
  readonly workspace: WorkspaceId
  readonly job: Job
}

/** Claim of one process on the jobs it takes; it lapses unless renewed within `duration`. */
export interface Lease {
  readonly holder: string
  readonly duration: Duration.Duration
}

export interface TakenJob extends WorkspaceJob {
  /** Failed tries since the job was first taken, or taken again after it rested. */
  readonly failures: number
}

export interface Batch {
  readonly jobs: ReadonlyArray<TakenJob>
  /** Number of jobs whose state the take changed; as many as its limit when there may be more. */
  readonly seen: number
}

export type Room = Readonly<Partial<Record<JobKind, number>>>

/** Outcome of a try. */
export type Progress =
  | {
      readonly status: "running"
      readonly tries: number
      readonly error: string | null
      /** Time until the next try, which any process may make. */
      readonly wait: Duration.Duration
    }
  | { readonly status: "done"; readonly tries: number }
  | { readonly status: "failed"; readonly tries: number; readonly error: string }
  | {
      readonly status: "no_adapter"
      readonly tries: number
      readonly error?: string
      /** Time until its handler is asked again. */
      readonly wait?: Duration.Duration
    }

/** The only queue of work outside the process: changes add jobs with their other rows, workers take them. */
export class JobStore extends Context.Tag("application/JobStore")<
  JobStore,
  {
    /** Newest first. */
    readonly page: (
      workspace: WorkspaceId,
      filter: { readonly status: JobStatus | null; readonly run?: RunKey | null },
      request: PageRequest
    ) => Effect.Effect<Page<JobView>>
    /** The jobs with these ids; those that were done and deleted are missing. */
    readonly find: (workspace: WorkspaceId, ids: ReadonlyArray<JobId>) => Effect.Effect<ReadonlyArray<Json<JobView>>>
    /**
     * Takes up to `limit` due jobs, first tries before retries and oldest first, and marks them running under the lease: queued ones, ones of a handled
     * kind that rested, and running ones whose lease lapsed or whose wait is over. Jobs of other kinds rest as
     * no_adapter. Merges that a red main branch holds stay queued.
     */
    readonly take: (
      lease: Lease,
      handled: ReadonlyArray<JobKind>,
      limit: number,
      /** Most jobs of a kind; kinds that are not named have no limit of their own. */
      room?: Room
    ) => Effect.Effect<Batch>
    /** Extends the lease of the jobs that its holder is trying. */
    readonly renew: (lease: Lease, jobs: ReadonlyArray<JobId>) => Effect.Effect<void>
    /** Lets other processes take the jobs of a holder at once. */
    readonly release: (holder: string) => Effect.Effect<void>
    /**
     * Writes the outcome of a try and ends its lease. A job that is done stays done; a process that lost its lease
     * cannot write over the process that has it, unless the job is done.
     */
    readonly note: (workspace: WorkspaceId, id: JobId, holder: string, progress: Progress) => Effect.Effect<void>
    /** Has the handlers of a workspace's resting jobs asked at once: something was connected. */
    readonly wake: (workspace: WorkspaceId) => Effect.Effect<void>
    /** Deletes jobs that were done so many days ago. */
    readonly purge: (days: number) => Effect.Effect<void>
    /** Time since the oldest job that waits for a worker became due. */
    readonly lag: Effect.Effect<Duration.Duration>
    /** Emits after a change that added due jobs; emissions may be lost. */
    readonly added: Stream.Stream<void>
  }
>() {}
