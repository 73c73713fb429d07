import { Context, type Effect, Schema } from "effect"
import { JobKind } from "../../domain/work/Job.ts"
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

/** Nothing is connected that can do this job, though others of its kind can be done: it rests. */
export class NotConnected extends Schema.TaggedError<NotConnected>()("NotConnected", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** Another system has taken the work over and is not done with it: the job looks again after a while, and no try counts. */
export class StillWaiting extends Schema.TaggedError<StillWaiting>()("StillWaiting", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

export type Unfinished = JobFailed | NotConnected | StillWaiting

export type Handler = (work: WorkspaceJob) => Effect.Effect<void, Unfinished>

type Handlers = Readonly<Record<JobKind, Handler | null>>

/** No system is connected. */
export const noHandlers = Object.fromEntries(JobKind.literals.map((kind) => [kind, null])) as Handlers

/** Handlers of the connected systems; jobs of a kind without one rest as `no_adapter`. */
export class JobHandlers extends Context.Reference<JobHandlers>()("application/JobHandlers", {
  defaultValue: () => noHandlers
}) {}

/** The kinds that have a handler. */
export const handledBy = (handlers: Handlers): ReadonlyArray<JobKind> =>
  JobKind.literals.filter((kind) => handlers[kind] !== null)
