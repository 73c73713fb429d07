import { Cause, Context, Duration, Effect, Layer, Schedule } from "effect"
import { JobPace } from "../../application/jobs/JobPace.ts"
import * as JobWorker from "../../application/jobs/JobWorker.ts"
import { type Handler, JobHandlers, noHandlers } from "../../application/ports/JobHandlers.ts"
import type { JobKind } from "../../domain/work/Job.ts"

/** Waits are shorter than in real life, so that a test need not wait. */
export const quick: Context.Tag.Service<typeof JobPace> = {
  poll: Duration.millis(100),
  firstWait: Duration.millis(10),
  patience: Duration.minutes(1),
  atOnce: 20,
  eachKind: 20,
  lease: Duration.seconds(9),
  farewell: Duration.millis(500)
}

/** An engine with these handlers connected, until the scope is closed. */
export const start = (handlers: Partial<Record<JobKind, Handler>>, pace: Partial<typeof quick> = {}) => {
  const connected = { ...noHandlers, ...handlers }
  const context = Context.make(JobPace, { ...quick, ...pace }).pipe(Context.add(JobHandlers, connected))
  return Layer.build(JobWorker.layer.pipe(Layer.provide(Layer.succeedContext(context))))
}

/** Looks again and again until it is so. */
export const eventually = <A, E, R>(look: Effect.Effect<A, E, R>, isSo: (seen: A) => boolean, seconds = 60) =>
  Effect.gen(function* () {
    let last: A | undefined
    return yield* Effect.tap(look, (seen) => {
      last = seen
    }).pipe(
      Effect.repeat({ until: isSo, schedule: Schedule.spaced("50 millis") }),
      Effect.map(() => last as A),
      Effect.timeoutFailCause({
        duration: Duration.seconds(seconds),
        onTimeout: () => Cause.die(`not within ${seconds} s; last seen: ${JSON.stringify(last).slice(0, 500)}`)
      })
    )
  })
