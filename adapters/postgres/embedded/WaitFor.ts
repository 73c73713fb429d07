import { Effect, type Duration } from "effect"
import { failed } from "./EmbeddedErrors.ts"

export const deadline: Duration.DurationInput = "30 seconds"

/** Polls until `look` returns a value; computes the reason when time is up. */
export const until = <A, E>(
  look: Effect.Effect<A | undefined, E>,
  reason: () => string,
  within: Duration.DurationInput = deadline,
  every: Duration.DurationInput = "10 millis"
) =>
  Effect.gen(function* () {
    let found = yield* look
    while (found === undefined) {
      yield* Effect.sleep(every)
      found = yield* look
    }
    return found
  }).pipe(Effect.interruptible, Effect.timeoutFail({ duration: within, onTimeout: () => failed(reason()) }))
