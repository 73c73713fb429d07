import { assert, it } from "@effect/vitest"
import { Chunk, DateTime, Deferred, Duration, Effect, Fiber, Layer, PubSub, Stream } from "effect"
import { Unavailable } from "../../application/ports/Health.ts"
import { ChangeLog, type NumberedEntry, type Sign } from "../../application/ports/ChangeLog.ts"
import * as ChangeFeed from "../../application/workspace/ChangeFeed.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as Audit from "../../domain/workspace/Audit.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { isLong } from "../support/Long.ts"

const workspace = crypto.randomUUID() as string as WorkspaceId

const numbered = (seq: bigint): NumberedEntry => ({
  seq,
  entry: {
    id: crypto.randomUUID(),
    timestamp: DateTime.unsafeMake(0),
    ...Audit.fact(bySystem, "workspace_created", { type: "workspace", id: workspace, name: "acme" })
  }
})

/** A log that counts its reads and fails on demand. */
const scripted = Effect.gen(function* () {
  const entries: Array<NumberedEntry> = []
  const signs = yield* PubSub.unbounded<Sign>()
  const log = { reads: 0, failures: 0, entries }
  const read = <A>(answer: () => A) =>
    Effect.suspend(() => {
      if (log.failures > 0) {
        log.failures--
        return Effect.die(new Unavailable())
      }
      log.reads++
      return Effect.succeed(answer())
    })
  const layer = Layer.succeed(ChangeLog, {
    heads: () => read(() => new Map([[workspace, BigInt(entries.length)]])),
    since: (positions, limit) =>
      read(
        () =>
          new Map(
            [...positions].map(
              ([one, seq]) => [one, entries.filter((entry) => entry.seq > seq).slice(0, limit)] as const
            )
          )
      ),
    watch: () => Effect.void,
    signs: Stream.fromPubSub(signs)
  })
  const add = Effect.suspend(() => {
    entries.push(numbered(BigInt(entries.length + 1)))
    return PubSub.publish(signs, { workspace, topic: "audit" as const, id: "" })
  })
  return { log, layer, add }
})

/** Polls so seldom that only signs count, unless given otherwise. */
const paced = (poll: Duration.DurationInput) =>
  Layer.succeed(ChangeFeed.FeedPace, { poll: Duration.decode(poll), watch: Duration.hours(1), pageSize: 100 })

const provided = <A, E, R>(effect: Effect.Effect<A, E, R>, log: Layer.Layer<ChangeLog>, poll: Duration.DurationInput) =>
  Effect.scoped(Effect.provide(effect, ChangeFeed.layer.pipe(Layer.provide([log, paced(poll)]))))

it.live(`${isLong ? "a thousand" : "a hundred"} followers cost one query for each look`, () =>
  Effect.gen(function* () {
    const { add, layer, log } = yield* scripted
    yield* Effect.gen(function* () {
      const { after } = yield* ChangeFeed.ChangeFeed
      const [begun, all] = [yield* Deferred.make<void>(), isLong ? 1000 : 100]
      let ready = 0
      const follower = Effect.gen(function* () {
        const entries = after(workspace, 0n).pipe(
          Stream.tap(({ seq }) => {
            if (seq === 1n && ++ready === all) return Deferred.succeed(begun, undefined)
            return Effect.void
          }),
          Stream.take(4)
        )
        return Chunk.size(yield* Stream.runCollect(entries))
      })
      const followers = yield* Effect.replicateEffect(Effect.fork(follower), all)
      yield* Effect.repeat(Effect.yieldNow(), { until: () => log.reads > 0 })
      yield* add
      yield* Deferred.await(begun)
      const before = log.reads
      for (let count = 0; count < 3; count++) yield* add
      for (const one of followers) assert.strictEqual(yield* Fiber.join(one), 4)
      assert.isAtMost(log.reads - before, 3)
    }).pipe((effect) => provided(effect, layer, "1 hour"))
  })
)

it.live("a follower survives an outage of the log, when it begins and when it follows", () =>
  Effect.gen(function* () {
    const { add, layer, log } = yield* scripted
    yield* Effect.gen(function* () {
      const { after } = yield* ChangeFeed.ChangeFeed
      yield* add
      log.failures = 3
      const reader = yield* Effect.fork(Stream.runCollect(Stream.take(after(workspace, 0n), 3)))
      yield* Effect.repeat(Effect.sleep("1 millis"), { until: () => log.failures === 0 })
      log.failures = 3
      yield* add
      yield* add
      const seqs = Chunk.toReadonlyArray(yield* Fiber.join(reader)).map(({ seq }) => seq)
      assert.deepStrictEqual(seqs, [1n, 2n, 3n])
    }).pipe((effect) => provided(effect, layer, "5 millis"))
  })
)

it.live("nobody follows, nothing is read", () =>
  Effect.gen(function* () {
    const { add, layer, log } = yield* scripted
    yield* Effect.gen(function* () {
      const { after } = yield* ChangeFeed.ChangeFeed
      yield* add
      yield* Stream.runCollect(Stream.take(after(workspace, 0n), 1))
      const before = log.reads
      for (let count = 0; count < 20; count++) yield* Effect.zipRight(add, Effect.sleep("1 millis"))
      assert.strictEqual(log.reads, before)
    }).pipe((effect) => provided(effect, layer, "1 millis"))
  })
)
