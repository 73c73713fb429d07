import { Context, type Effect, Schema } from "effect"
import type { JobKind } from "../../domain/work/Job.ts"
import type { Errand } from "./JobStore.ts"

/** A try that came to nothing; one that can never succeed is not repeated. */
export class JobFailed extends Schema.TaggedError<JobFailed>()("JobFailed", {
  reason: Schema.String,
  isFinal: Schema.Boolean
}) {
  override get message() {
    return this.reason
  }
}

export type Handler = (errand: Errand) => Effect.Effect<void, JobFailed>

/** What is connected outside the process: one handler for each kind of job that somebody can do. */
export class Outside extends Context.Reference<Outside>()("application/Outside", {
  defaultValue: (): ReadonlyMap<JobKind, Handler> => new Map()
}) {}
