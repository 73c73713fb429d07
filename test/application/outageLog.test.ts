import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Logger, TestClock } from "effect"
import * as OutageLog from "../../application/jobs/OutageLog.ts"
import { Unavailable } from "../../application/ports/Health.ts"

const lines = <E, R>(work: Effect.Effect<unknown, E, R>) => {
  const logged: Array<string> = []
  const logger = Logger.make(({ cause, message }) => {
    logged.push(`${message}${Cause.isEmpty(cause) ? "" : " with cause"}`)
  })
  return Effect.as(Effect.provide(work, [OutageLog.layer, Logger.replace(Logger.defaultLogger, logger)]), logged)
}

const away = Cause.die(new Unavailable())

describe("work that fails", () => {
  it.effect("because the database is away is logged once a minute for all of it, on one line", () =>
    Effect.gen(function* () {
      const six = Effect.forEach([1, 2, 3, 4, 5, 6], (n) => OutageLog.logFailure(`round ${n} failed`, away))
      const logged = yield* lines(Effect.zipRight(six, Effect.zipRight(TestClock.adjust("1 minute"), six)))
      const line = "round 1 failed: The database cannot be reached right now. Nothing was changed; try again shortly."
      assert.deepStrictEqual(logged, [line, line])
    })
  )

  it.effect("for any other reason is logged each time, with its cause", () =>
    Effect.gen(function* () {
      const bug = Cause.die(new Error("bug"))
      const both = Effect.forEach([1, 2], (n) => OutageLog.logFailure(`round ${n} failed`, bug))
      assert.deepStrictEqual(yield* lines(both), ["round 1 failed with cause", "round 2 failed with cause"])
    })
  )
})
