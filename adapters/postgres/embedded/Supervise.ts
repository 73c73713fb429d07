import { Clock, Effect, Either } from "effect"
import { failed, type EmbeddedPostgresFailed } from "./EmbeddedErrors.ts"
import type { Running } from "./Postmaster.ts"
import * as Process from "./Process.ts"

const most = 5
const minute = 60_000

/** Counts the deaths of the last minute; `isHopeless` when they are too many to continue. */
export const count = (deaths: ReadonlyArray<number>, now: number) => {
  const recent = [...deaths.filter((at) => at > now - minute), now]
  return { recent, isHopeless: recent.length >= most }
}

const gone = ({ pid }: Running) =>
  Effect.gen(function* () {
    const exit = Process.exitOf(pid)
    if (exit !== undefined) return yield* Effect.promise(() => exit)
    const id = Process.identity(pid)
    while (id !== undefined && Process.isRunning(id)) yield* Effect.sleep("1 second")
  })

/** Restarts the server whenever it ends, for any reason; fails after five deaths within a minute. */
export const supervise = (started: Running, again: Effect.Effect<Running, EmbeddedPostgresFailed>) =>
  Effect.gen(function* () {
    let deaths: ReadonlyArray<number> = []
    let running: Running | undefined = started
    let reason = ""
    for (;;) {
      if (running === undefined) yield* Effect.sleep("1 second")
      else {
        yield* gone(running)
        reason = `process ${running.pid} ended.`
      }
      const { isHopeless, recent } = count(deaths, yield* Clock.currentTimeMillis)
      if (isHopeless)
        return yield* failed(`it ended ${most} times within a minute and is not started again. Last: ${reason}`)
      deaths = recent
      yield* Effect.logWarning(`the embedded Postgres is started again: ${reason}`)
      const outcome: Either.Either<Running, EmbeddedPostgresFailed> = yield* Effect.either(again)
      running = Either.getOrUndefined(outcome)
      if (Either.isLeft(outcome)) reason = outcome.left.reason
      else yield* Effect.logInfo(`the embedded Postgres runs again as process ${outcome.right.pid}`)
    }
  })
