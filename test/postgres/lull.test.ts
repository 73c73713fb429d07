import { long } from "../support/Long.ts"
import { assert, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, TestClock } from "effect"
import { makeLull } from "../../adapters/postgres/connection/IdleConnections.ts"

const isOver = (fiber: Fiber.RuntimeFiber<void>) => Effect.map(Fiber.status(fiber), ({ _tag }) => _tag === "Done")

it.effect("judging waits until no delivery came for 20 ms, and not at all in a lull", () =>
  Effect.gen(function* () {
    const lull = makeLull(yield* Clock.clockWith(Effect.succeed))
    yield* lull.wait
    lull.interrupt()
    const waiting = yield* Effect.fork(lull.wait)
    yield* TestClock.adjust("19 millis")
    assert.isFalse(yield* isOver(waiting))
    yield* TestClock.adjust("1 millis")
    yield* Fiber.join(waiting)
    yield* lull.wait
  })
)

long(() => {
  it.effect("judging waits three seconds at most while deliveries come one upon the other", () =>
    Effect.gen(function* () {
      const lull = makeLull(yield* Clock.clockWith(Effect.succeed))
      lull.interrupt()
      const waiting = yield* Effect.fork(lull.wait)
      for (let passed = 0; passed < 2980; passed += 19) {
        yield* TestClock.adjust(Duration.millis(19))
        lull.interrupt()
        assert.isFalse(yield* isOver(waiting), `after ${passed} ms`)
      }
      yield* TestClock.adjust("100 millis")
      yield* Fiber.join(waiting)
    })
  )
})
