import { Cause, Clock, Context, Effect, Layer } from "effect"
import { Unavailable } from "../ports/Health.ts"

/** When the outage of the database may be logged again. */
class Quiet extends Context.Reference<Quiet>()("application/Outage", {
  defaultValue: (): { until: number } | null => null
}) {}

/** All work fails in an outage at once: within a minute one line says so. */
export const layer = Layer.sync(Quiet, () => ({ until: 0 }))

/** Logs that some work failed, with its cause unless the database is away. */
export const logFailure = (what: string, cause: Cause.Cause<unknown>) =>
  Effect.gen(function* () {
    const error = Cause.squash(cause)
    if (!(error instanceof Unavailable)) return yield* Effect.logWarning(what, cause)
    const quiet = yield* Quiet
    const now = yield* Clock.currentTimeMillis
    if (quiet !== null && now < quiet.until) return
    if (quiet !== null) quiet.until = now + 60_000
    yield* Effect.logWarning(`${what}: ${error.message}`)
  })

/** Logs the first failure of a row of failures; the next success ends the row. */
export const failuresOf = (what: string) => {
  let isFailing = false
  return {
    failed: (cause: Cause.Cause<unknown>) =>
      Effect.suspend(() => {
        if (isFailing) return Effect.void
        isFailing = true
        return logFailure(what, cause)
      }),
    /** Runs an effect if there was a row. */
    succeeded: (afterwards: Effect.Effect<void> = Effect.void) =>
      Effect.suspend(() => {
        if (!isFailing) return Effect.void
        isFailing = false
        return afterwards
      })
  }
}
