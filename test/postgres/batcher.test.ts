import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Runtime } from "effect"
import * as Batcher from "../../adapters/postgres/Batcher.ts"
import { Unavailable } from "../../application/ports/Health.ts"

const options = { most: 10, slots: 1, queue: 100, patience: 60_000 } as const
const range = (count: number) => Array.from({ length: count }, (_, index) => index)
const atOnce = { concurrency: "unbounded" } as const

const isUnavailable = (exit: Exit.Exit<unknown>) =>
  Exit.isFailure(exit) && exit.cause._tag === "Die" && exit.cause.defect instanceof Unavailable

it.live("what comes together is done together, no more at once than asked for, and each has its own answer", () =>
  Effect.gen(function* () {
    const sizes: Array<number> = []
    const double = Batcher.make(
      Runtime.defaultRuntime,
      (items: ReadonlyArray<number>) => {
        sizes.push(items.length)
        return Effect.as(
          Effect.yieldNow(),
          items.map((item) => item * 2)
        )
      },
      options
    )
    const answers = yield* Effect.forEach(range(25), double, atOnce)
    assert.deepStrictEqual(
      answers,
      range(25).map((item) => item * 2)
    )
    assert.deepStrictEqual(sizes, [10, 10, 5])
    assert.strictEqual(yield* double(7), 14)
  })
)

it.live("one that cannot be done does not take the others with it", () =>
  Effect.gen(function* () {
    const run = (items: ReadonlyArray<number>) => (items.includes(3) ? Effect.die("three") : Effect.succeed(items))
    const ask = Batcher.make(Runtime.defaultRuntime, run, options)
    const exits = yield* Effect.forEach(range(6), (item) => Effect.exit(ask(item)), atOnce)
    assert.deepStrictEqual(
      exits.map(Exit.isSuccess),
      range(6).map((item) => item !== 3)
    )
  })
)

it.live("while the database is away nobody is tried alone", () =>
  Effect.gen(function* () {
    let runs = 0
    const ask = Batcher.make(
      Runtime.defaultRuntime,
      () => {
        runs++
        return Effect.die(new Unavailable())
      },
      options
    )
    const exits = yield* Effect.forEach(range(6), (item) => Effect.exit(ask(item)), atOnce)
    assert.deepStrictEqual([exits.every(isUnavailable), runs], [true, 1])
  })
)

it.live("a batch that never ends makes room, and a full queue refuses", () =>
  Effect.gen(function* () {
    const seen: Array<ReadonlyArray<number>> = []
    const began = yield* Deferred.make<void>()
    const ask = Batcher.make(
      Runtime.defaultRuntime,
      (items: ReadonlyArray<number>) => {
        seen.push(items)
        return items.includes(0)
          ? Effect.zipRight(Deferred.succeed(began, undefined), Effect.never)
          : Effect.succeed(items)
      },
      { ...options, queue: 2, patience: 100 }
    )
    const hanging = yield* Effect.fork(Effect.exit(ask(0)))
    yield* Deferred.await(began)
    const waiting = yield* Effect.forEach([1, 2], (item) => Effect.fork(ask(item)))
    yield* Effect.yieldNow()
    assert.isTrue(isUnavailable(yield* Effect.exit(ask(3))))
    yield* Fiber.interrupt(waiting[0] as Fiber.RuntimeFiber<number>)
    assert.strictEqual(yield* Fiber.join(waiting[1] as Fiber.RuntimeFiber<number>), 2)
    assert.isTrue(isUnavailable(yield* Fiber.join(hanging)))
    assert.deepStrictEqual(seen, [[0], [2]])
  })
)
