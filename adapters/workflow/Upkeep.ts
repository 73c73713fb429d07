import { Duration, Effect, Metric, Schedule } from "effect"
import { JobStore } from "../../application/ports/JobStore.ts"
import { Retention } from "../../application/jobs/Retention.ts"

export const age = Metric.gauge("gatehouse_oldest_due_job_seconds", {
  description: "How long the job that has been due for longest has been waiting."
})

/** What the engine keeps of its own, beside the jobs. */
interface Engine {
  readonly lag: Effect.Effect<Duration.Duration>
  readonly purge: (days: number) => Effect.Effect<void>
}

/** Watches how far behind the engine is, and forgets what was done long ago. */
export const start = Effect.fn("Jobs.upkeep")(function* (engine: Engine) {
  const store = yield* JobStore
  const measure = Effect.zipWith(store.lag, engine.lag, Duration.max).pipe(
    Effect.flatMap((lag) => Metric.set(age, Duration.toSeconds(lag)))
  )
  const { finishedJobs } = yield* Retention
  const purge = Effect.zipRight(store.purge(finishedJobs), engine.purge(finishedJobs))
  // The starter tells when the database is away; this one tries again next time.
  const every = (interval: Duration.DurationInput) => (effect: Effect.Effect<void>) =>
    Effect.forkScoped(
      Effect.repeat(
        Effect.catchAllCause(effect, (cause) => Effect.logDebug("no upkeep of jobs right now", cause)),
        Schedule.spaced(interval)
      )
    )
  yield* every("10 seconds")(measure)
  yield* every("1 hour")(purge)
})
