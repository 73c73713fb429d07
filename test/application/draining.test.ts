import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Stream, TestClock } from "effect"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"

it.scoped("judging that fails is logged once until it succeeds again", () =>
  Effect.gen(function* () {
    let [rounds, logged, isDown] = [0, 0, true]
    const store = {
      waiting: Effect.suspend(() => {
        rounds++
        return isDown ? Effect.die("down") : Effect.succeed(0)
      }),
      calm: Effect.void,
      arrivals: Stream.never
    }
    const ports = Layer.succeed(SignalStore, store as unknown as SignalStore["Type"])
    const count = Logger.replace(
      Logger.defaultLogger,
      Logger.make(() => void logged++)
    )
    yield* Layer.build(TriageWorker.layer.pipe(Layer.provide([ports, count])))
    const outage = Effect.gen(function* () {
      isDown = true
      yield* TestClock.adjust("10 seconds")
      isDown = false
      yield* TestClock.adjust("10 seconds")
    })
    yield* outage
    assert.isAtLeast(rounds, 10)
    assert.strictEqual(logged, 1)
    yield* outage
    assert.strictEqual(logged, 2)
  })
)
