import { Context, type Effect, Schema } from "effect"
import type { JobKind } from "../../domain/work/Job.ts"
import type { WorkspaceJob } from "./JobStore.ts"

/** A failed try, or a failed call of another system; a final failure is not retried. */
export class JobFailed extends Schema.TaggedError<JobFailed>()("JobFailed", {
  reason: Schema.String,
  isFinal: Schema.Boolean
}) {
  override get message() {
    return this.reason
  }
}

export type Handler = (work: WorkspaceJob) => Effect.Effect<void, JobFailed>

/** Handlers of the connected systems by job kind; jobs of other kinds rest as `no_adapter`. */
export class JobHandlers extends Context.Reference<JobHandlers>()("application/JobHandlers", {
  defaultValue: (): ReadonlyMap<JobKind, Handler> => new Map()
}) {}
