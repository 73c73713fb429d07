import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Either, Exit, Fiber, Runtime } from "effect"
import { setImmediate as immediate } from "node:timers/promises"
import { MessageChannel } from "node:worker_threads"
import { afterEach, beforeEach, describe, vi } from "vitest"
import * as Batcher from "../../adapters/postgres/connection/Batcher.ts"
import { Unavailable } from "../../application/ports/Health.ts"
import { range } from "../support/Range.ts"

const options = { most: 10, slots: 1, queue: 100, patience: 60_000 } as const
const echoed = <A>(items: ReadonlyArray<A>) => items.map((item) => Either.right(item))
const atOnce = { concurrency: "unbounded" } as const

const isUnavailable = (exit: Exit.Exit<unknown, unknown>) =>
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
          items.map((item) => Either.right(item * 2))
        )
      },
      options
    )
    const answers = yield* Effect.forEach(range(25), (item) => double(item), atOnce)
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
    const run = (items: ReadonlyArray<number>) =>
      items.includes(3) ? Effect.die("three") : Effect.succeed(echoed(items))
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

it.live("an answer that came while the process was busy is read, although it took longer than the patience", () =>
  Effect.gen(function* () {
    const { port1, port2 } = new MessageChannel()
    yield* Effect.addFinalizer(() => Effect.sync(() => port1.close()))
    const run = (items: ReadonlyArray<number>) =>
      Effect.async<ReadonlyArray<Either.Either<number>>>((resume) => {
        port1.once("message", () => resume(Effect.succeed(echoed(items))))
        port2.postMessage("an answer")
        const busyUntil = performance.now() + 20
        while (performance.now() < busyUntil);
      })
    const ask = Batcher.make(Runtime.defaultRuntime, run, { ...options, patience: 10 })
    assert.strictEqual(yield* ask(7), 7)
  }).pipe(Effect.scoped)
)

it.live("a batch that never ends makes room, whoever waited for it is told, and a full queue refuses", () =>
  Effect.gen(function* () {
    const seen: Array<ReadonlyArray<number>> = []
    const began = yield* Deferred.make<void>()
    const ask = Batcher.make(
      Runtime.defaultRuntime,
      (items: ReadonlyArray<number>) => {
        seen.push(items)
        return items.includes(0)
          ? Effect.zipRight(Deferred.succeed(began, undefined), Effect.never)
          : Effect.succeed(echoed(items))
      },
      { ...options, queue: 2, patience: 100 }
    )
    const hanging = yield* Effect.fork(Effect.exit(ask(0)))
    yield* Deferred.await(began)
    const waiting = yield* Effect.forEach([1, 2], (item) => Effect.fork(Effect.exit(ask(item))))
    yield* Effect.yieldNow()
    assert.isTrue(isUnavailable(yield* Effect.exit(ask(3))))
    for (const one of [hanging, ...waiting]) assert.isTrue(isUnavailable(yield* Fiber.join(one)))
    assert.strictEqual(yield* ask(2), 2)
    assert.deepStrictEqual(seen, [[0], [2]])
  })
)

it.live(
  "lanes take turns, so that who asks for much waits only for themselves, and finds only their own lane full",
  () =>
    Effect.gen(function* () {
      const batches: Array<ReadonlyArray<string>> = []
      const ask = Batcher.make(
        Runtime.defaultRuntime,
        (items: ReadonlyArray<string>) => {
          batches.push(items)
          return Effect.as(Effect.yieldNow(), echoed(items))
        },
        { ...options, most: 4, each: 9 }
      )
      const names = [...range(11).map((n) => `a${n}`), "b0", "c0", "c1"]
      const exits = yield* Effect.forEach(names, (name) => Effect.exit(ask(name, name.slice(0, 1))), atOnce)
      assert.deepStrictEqual(
        names.filter((_, index) => exits[index] && isUnavailable(exits[index])),
        ["a9", "a10"]
      )
      assert.deepStrictEqual(batches.slice(0, 2), [
        ["a0", "b0", "c0", "a1"],
        ["c1", "a2", "a3", "a4"]
      ])
    })
)

it.live("a database that is silent is told to everybody who waits, also those in no batch yet", () =>
  Effect.gen(function* () {
    const ask = Batcher.make(Runtime.defaultRuntime, () => Effect.never, { ...options, most: 2, patience: 50 })
    const exits = yield* Effect.forEach(range(6), (item) => Effect.exit(ask(item)), atOnce)
    assert.isTrue(exits.every(isUnavailable))
  })
)

it.live("for whoever gave up meanwhile nothing is done, and nothing at all where everybody did", () =>
  Effect.gen(function* () {
    const batches: Array<ReadonlyArray<number>> = []
    const isOpen = yield* Deferred.make<void>()
    const ask = Batcher.make(
      Runtime.defaultRuntime,
      (items: ReadonlyArray<number>) => {
        batches.push(items)
        return Effect.as(Deferred.await(isOpen), echoed(items))
      },
      { ...options, most: 2 }
    )
    const fibers = yield* Effect.forEach(range(7), (item) => Effect.fork(ask(item)))
    yield* Effect.repeat(Effect.yieldNow(), { until: () => batches.length === 1 })
    for (const index of [2, 3, 5, 6]) yield* Fiber.interrupt(fibers[index] as Fiber.Fiber<number>)
    yield* Deferred.succeed(isOpen, undefined)
    assert.deepStrictEqual(
      yield* Effect.forEach([0, 1, 4], (index) => Fiber.join(fibers[index] as Fiber.Fiber<number>)),
      [0, 1, 4]
    )
    assert.deepStrictEqual(batches, [[0, 1], [4]])
    assert.strictEqual(yield* ask(8), 8)
  })
)

describe("a database that falls silent", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
  afterEach(() => void vi.useRealTimers())

  /** Asks for items, and lets the batches that can begin do so. */
  const asking = async (ask: (item: number) => Effect.Effect<unknown, unknown>, ...items: ReadonlyArray<number>) => {
    const exits = items.map((item) => Effect.runPromiseExit(ask(item)))
    for (const _ of range(4)) await immediate()
    return exits
  }
  const pass = async (ms: number) => {
    vi.advanceTimersByTime(ms)
    for (const _ of range(4)) await immediate()
  }

  it("fails all waiting callers, whichever batch gives up; a batch that gives up is no sign of life", async () => {
    const seen: Array<ReadonlyArray<number>> = []
    const run = (items: ReadonlyArray<number>) => {
      seen.push(items)
      return Effect.never
    }
    const ask = Batcher.make(Runtime.defaultRuntime, run, { ...options, most: 1, slots: 2, patience: 100 })
    const first = await asking(ask, 0)
    await pass(50)
    const second = await asking(ask, 1)
    await pass(50)
    const others = await asking(ask, 2, 3)
    await pass(50)
    for (const exit of await Promise.all([...first, ...second, others[1]]))
      assert.isTrue(exit !== undefined && isUnavailable(exit))
    assert.deepStrictEqual(seen, [[0], [1], [2]])
    await pass(50)
    assert.isTrue(isUnavailable(await (others[0] ?? Promise.reject(new Error("nobody asked")))))
  })

  it("while a failed batch is repeated one by one fails the rest of it at once", async () => {
    const seen: Array<ReadonlyArray<number>> = []
    const run = (items: ReadonlyArray<number>) => {
      seen.push(items)
      return items.length > 1 ? Effect.die("a conflict") : Effect.never
    }
    const ask = Batcher.make(Runtime.defaultRuntime, run, { ...options, patience: 100 })
    const exits = await asking(ask, 0, 1, 2)
    await pass(100)
    for (const exit of await Promise.all(exits)) assert.isTrue(isUnavailable(exit))
    assert.deepStrictEqual(seen, [[0, 1, 2], [0]])
  })

  it("about one item alone does not fail the rest while other batches are answered", async () => {
    const run = (items: ReadonlyArray<number>) =>
      items.length > 1 ? Effect.die("a conflict") : items.includes(0) ? Effect.never : Effect.succeed(echoed(items))
    const ask = Batcher.make(Runtime.defaultRuntime, run, { ...options, slots: 2, patience: 100 })
    const exits = await asking(ask, 0, 1, 2)
    await Promise.all(await asking(ask, 3))
    await pass(100)
    assert.deepStrictEqual((await Promise.all(exits)).map(Exit.isSuccess), [false, true, true])
  })
})
