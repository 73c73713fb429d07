import { Context, type Duration, type Effect } from "effect"
import type { Job, JobId, JobKind, JobStatus, JobView } from "../../domain/work/Job.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Page, PageRequest } from "./Page.ts"

/** A job and whose it is. */
export interface Errand {
  readonly workspace: WorkspaceId
  readonly job: Job
}

/** What became of a try. */
export type Progress =
  | { readonly status: "running"; readonly tries: number; readonly error: string | null }
  | { readonly status: "done"; readonly tries: number }
  | { readonly status: "failed"; readonly tries: number; readonly error: string }
  | { readonly status: "no_adapter"; readonly tries: number }

/** The outbox: changes put jobs in with their other rows, the engine takes them out. */
export class JobStore extends Context.Tag("application/JobStore")<
  JobStore,
  {
    /** Newest first. */
    readonly page: (
      workspace: WorkspaceId,
      filter: { readonly status: JobStatus | null; readonly run?: RunKey | null },
      request: PageRequest
    ) => Effect.Effect<Page<JobView>>
    /**
     * Takes up to `limit` waiting jobs, oldest first. Those of a handled kind are handed to `begin` and marked running in
     * one step, all or none; the others rest as no_adapter until their kind is handled. Merges that a red main branch
     * holds stay as they are. Answers how many were begun.
     */
    readonly take: (
      handled: ReadonlyArray<JobKind>,
      limit: number,
      begin: (errands: ReadonlyArray<Errand>) => Effect.Effect<void>
    ) => Effect.Effect<number>
    /** The job as it is now; null when it is gone, or its workspace was deleted. */
    readonly find: (workspace: WorkspaceId, id: JobId) => Effect.Effect<Job | null>
    /** Writes what became of a try; what is done stays done. */
    readonly note: (workspace: WorkspaceId, id: JobId, progress: Progress) => Effect.Effect<void>
    /** Forgets what was done so many days ago. */
    readonly purge: (days: number) => Effect.Effect<void>
    /** How long the oldest queued job has been waiting. */
    readonly lag: Effect.Effect<Duration.Duration>
  }
>() {}
