import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber, TestClock } from "effect"
import { networkOf } from "../../../adapters/http/server/ClientAddress.ts"
import { FloodGuard, make } from "../../../adapters/http/server/FloodGuard.ts"
import { endOf, isOver, retryAfter } from "../../../domain/workspace/RateLimit.ts"
import { range } from "../../support/Range.ts"

const layer = make(Effect.void)

/** Looks secrets up and records the lanes; secrets in `valid` are valid. */
const looking = (valid: Set<string>) => {
  const lanes: Array<string> = []
  const look = (secret: string, address: string) =>
    Effect.flatMap(FloodGuard, (guard) =>
      guard.lookUp(
        secret,
        () => address,
        (lane) => {
          lanes.push(lane)
          return Effect.andThen(Effect.yieldNow(), valid.has(secret) ? Effect.succeed(secret) : Effect.fail("unknown"))
        }
      )
    )
  return { lanes, look }
}

describe("the flood guard", () => {
  it.effect("looks unknown secrets up in the lane of their address, and in their own once they were valid", () =>
    Effect.gen(function* () {
      const { lanes, look } = looking(new Set(["good"]))
      for (const secret of ["bad1", "bad2", "good", "good"]) yield* Effect.exit(look(secret, "10.0.0.1"))
      assert.deepStrictEqual(lanes, ["10.0.0.1", "10.0.0.1", "10.0.0.1", "good"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("refuses an address before any lookup once it is over 1,200 a minute, but for secrets valid lately", () =>
    Effect.gen(function* () {
      const { lanes, look } = looking(new Set(["good", "new"]))
      yield* look("good", "10.0.0.1")
      const exits = yield* Effect.forEach(range(1300), (n) => Effect.exit(look(`bad${n}`, "10.0.0.1")), {
        concurrency: "unbounded"
      })
      assert.strictEqual(lanes.length, 1 + 1200)
      const limited = exits.filter((exit) => Exit.isFailure(exit) && String(exit.cause).includes("1200 requests"))
      assert.strictEqual(limited.length, 100)
      assert.strictEqual(String(yield* Effect.flip(look("new", "10.0.0.1"))).slice(0, 11), "RateLimited")
      assert.strictEqual(yield* look("good", "10.0.0.1"), "good")
      assert.strictEqual(yield* look("new", "10.0.0.2"), "new")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* Effect.flip(look("bad", "10.0.0.1")), "unknown")
    }).pipe(Effect.provide(layer))
  )

  it.effect("lets an address look eight unknown secrets up at once; further ones wait, those of another do not", () =>
    Effect.gen(function* () {
      const [waited, answered] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Effect.gen(function* () {
        const guard = yield* FloodGuard
        let looked = 0
        const look = (secret: string, address: string) =>
          guard.lookUp(
            secret,
            () => address,
            () => {
              looked++
              return Effect.zipRight(Deferred.await(answered), Effect.fail("unknown"))
            }
          )
        const all = yield* Effect.forEach(range(20), (n) => Effect.fork(Effect.exit(look(`bad${n}`, "10.0.0.1"))))
        const other = yield* Effect.fork(Effect.exit(look("bad", "10.0.0.2")))
        yield* TestClock.adjust(0)
        assert.strictEqual(looked, 8 + 1)
        yield* Deferred.succeed(waited, undefined)
        yield* TestClock.adjust(0)
        assert.strictEqual(looked, 20 + 1)
        yield* Deferred.succeed(answered, undefined)
        for (const one of [...all, other]) yield* Fiber.join(one)
      }).pipe(Effect.provide(make(Deferred.await(waited))))
    })
  )

  it.effect("does not count the valid, nor anybody while storage breaks; a secret that is revoked counts again", () =>
    Effect.gen(function* () {
      const valid = new Set(range(2000).map((n) => `good${n}`))
      const { lanes, look } = looking(valid)
      for (const secret of valid) yield* look(secret, "10.0.0.1")
      const guard = yield* FloodGuard
      const broken = guard.lookUp("x", () => "10.0.0.1", () => Effect.die("away")) // oxfmt-ignore
      for (const _ of range(2000)) yield* Effect.exit(broken)
      assert.strictEqual(yield* Effect.flip(look("bad", "10.0.0.1")), "unknown")
      valid.delete("good7")
      assert.strictEqual(yield* Effect.flip(look("good7", "10.0.0.1")), "unknown")
      yield* Effect.exit(look("good7", "10.0.0.1"))
      assert.deepStrictEqual(lanes.slice(-2), ["good7", "10.0.0.1"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("holds back refusals beyond the limit, and no other answer", () => {
    let waits = 0
    return Effect.gen(function* () {
      const { look } = looking(new Set(["good"]))
      yield* look("good", "10.0.0.1")
      for (const n of range(1199)) yield* Effect.exit(look(`bad${n}`, "10.0.0.1"))
      const guard = yield* FloodGuard
      yield* guard.admit("10.0.0.1")
      assert.strictEqual(waits, 0)
      yield* Effect.flip(guard.admit("10.0.0.1"))
      yield* Effect.flip(look("bad", "10.0.0.1"))
      assert.strictEqual(waits, 2)
      yield* look("good", "10.0.0.1")
      yield* guard.admit("10.0.0.2")
      assert.strictEqual(waits, 2)
    }).pipe(Effect.provide(make(Effect.sync(() => void waits++))))
  })

  it.effect("opens its windows anew when the clock goes back, and asks nobody to wait for over a minute", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("2 hours")
      const guard = yield* FloodGuard
      const flood = Effect.forEach(range(1201), () => guard.admit("10.0.0.1"))
      assert.strictEqual((yield* Effect.flip(flood)).retryAfterSeconds, 60)
      yield* TestClock.setTime(3_600_000)
      yield* guard.admit("10.0.0.1")
    }).pipe(Effect.provide(layer))
  )
})

describe("a window", () => {
  const at = (seconds: number) => DateTime.unsafeMake(1_800_000_000_000 + seconds * 1000)

  it.each([
    [0, false, 60, 60],
    [1, false, 59, 60],
    [59.5, false, 1, 60],
    [60, true, 1, 60],
    [61, true, 1, 60],
    [-1, false, 60, 60],
    [-1.5, false, 60, 58.5],
    [-60, false, 60, 0],
    [-61, true, 60, -1],
    [-3600, true, 60, -3540]
  ])("%d s after its begin: is it over, how long to wait, when it ends", (now, over, wait, end) => {
    assert.strictEqual(isOver(at(0), at(now)), over)
    assert.strictEqual(retryAfter(at(now), at(60)), wait)
    assert.deepStrictEqual(endOf(at(0), at(now)), at(end))
  })
})

it.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::ffff", "2001:db8:1:2::/64"],
  ["::1", "0:0:0:0::/64"],
  ["nonsense: x", "nonsense: x"],
  ["x".repeat(4000), "x".repeat(64)]
])("a client at %s counts as %s", (address, network) => {
  assert.strictEqual(networkOf(address), network)
})

it.effect("remembers 10,000 valid secrets and no more", () =>
  Effect.gen(function* () {
    const { lookUp } = yield* FloodGuard
    const laneOf = (secret: string) => lookUp(secret, () => "10.0.0.1", Effect.succeed)
    assert.deepStrictEqual([yield* laneOf("first"), yield* laneOf("first")], ["10.0.0.1", "first"])
    for (const n of range(10_000)) yield* laneOf(`good${n}`)
    assert.strictEqual(yield* laneOf("first"), "10.0.0.1")
  }).pipe(Effect.provide(layer))
)

it.effect("remembers 10,000 addresses and no more", () =>
  Effect.gen(function* () {
    const { admit } = yield* FloodGuard
    const isAdmitted = Effect.map(Effect.either(admit("first")), ({ _tag }) => _tag === "Right")
    while (yield* isAdmitted);
    for (let other = 1; other < 10_000; other++) yield* admit(`other ${other}`)
    assert.isFalse(yield* isAdmitted)
    for (let other = 0; other < 10_000; other++) yield* admit(`another ${other}`)
    assert.isTrue(yield* isAdmitted)
  }).pipe(Effect.provide(layer))
)
