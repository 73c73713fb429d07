import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber } from "effect"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import type { Trackers } from "../../application/ports/tracker/Trackers.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as MirrorTracker from "../../application/work/tracker/MirrorTracker.ts"
import * as WriteTracker from "../../application/work/tracker/WriteTracker.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import * as Engine from "../jobs/Engine.ts"
import { instances, pick } from "../races/Scene.ts"
import type { Stores } from "../support/World.ts"
import { bind, type Fake, mirrored, place, storyOf, to, writer } from "./Place.ts"

/** Two instances on one database, whose team has a Ready issue. */
const scene = Effect.gen(function* () {
  const both = yield* instances(2)
  const on =
    (turn: number) =>
    <A, E>(effect: Effect.Effect<A, E, Stores | SqlClient.SqlClient>) =>
      Effect.provide(effect, pick(both, turn))
  const fake = MemoryTracker.make()
  yield* fake.people.open(writer, { title: "Pay", labels: ["ready"] })
  const at = yield* on(0)(place)
  yield* on(0)(Effect.provide(bind(at), to(fake)))
  return { at, fake, on }
})

/** Rounds of both while the tracker is slow: the second does all that it may before the first has its answer. */
const race = <E>(
  { fake: { tracker, ...fake }, on }: Effect.Effect.Success<typeof scene>,
  round: Effect.Effect<void, E, Stores | Trackers>,
  slowly: (wait: Effect.Effect<void>) => Partial<Fake["tracker"]>
) =>
  Effect.gen(function* () {
    const [first, second, answer] = yield* Effect.all([
      Deferred.make<void>(),
      Deferred.make<void>(),
      Deferred.make<void>()
    ])
    let calls = 0
    const wait = Effect.suspend(() =>
      Effect.zipRight(Deferred.succeed(++calls === 1 ? first : second, undefined), Deferred.await(answer))
    )
    const slow = to({ ...fake, tracker: { ...tracker, pace: Duration.zero, ...slowly(wait) } })
    const one = yield* Effect.fork(on(0)(Effect.provide(round, slow)))
    yield* Deferred.await(first)
    const other = yield* Effect.fork(on(1)(Effect.provide(round, slow)))
    yield* Effect.raceFirst(Fiber.await(other), Deferred.await(second))
    yield* Deferred.succeed(answer, undefined)
    yield* Fiber.join(Fiber.zip(one, other))
    return calls
  })

it.scopedLive("an issue is written by one of two instances, however long the tracker takes", () =>
  Effect.gen(function* () {
    const both = yield* scene
    const { at, fake, on } = both
    yield* on(0)(mirrored(fake))
    const { key } = yield* on(0)(storyOf(at, "#1"))
    const { run } = yield* on(0)(Runs.start(at.owner, key))
    const { comment, update } = fake.tracker
    const updates = yield* race(both, WriteTracker.round(), (wait) => ({
      update: (...given) => Effect.zipRight(wait, update(...given))
    }))
    yield* on(0)(Runs.stop(at.owner, run.key as RunKey))
    const comments = yield* race(both, WriteTracker.round(), (wait) => ({
      comment: (...given) => Effect.zipRight(wait, comment(...given))
    }))
    assert.deepStrictEqual({ updates, comments }, { updates: 1, comments: 1 })
  })
)

it.scopedLive("two instances that write at once keep to the limits of one connection", () =>
  Effect.gen(function* () {
    const { at, on } = yield* scene
    const limits = [{ most: 1, within: Duration.hours(1) }]
    const call = (turn: number) =>
      on(turn)(Effect.flatMap(TrackerStore, ({ spend }) => spend(at.id, at.connection.id, limits)))
    const [isLocked, isOver] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const holding = Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql`SELECT FROM connections WHERE id = ${at.connection.id} FOR NO KEY UPDATE`.pipe(
        Effect.zipRight(Deferred.succeed(isLocked, undefined)),
        Effect.zipRight(Deferred.await(isOver)),
        sql.withTransaction
      )
    )
    const waiting = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    )
    const holder = yield* Effect.fork(on(0)(holding))
    yield* Deferred.await(isLocked)
    // Both have begun before one can end.
    const calls = yield* Effect.forEach([0, 1], (turn) => Effect.fork(call(turn)))
    yield* on(0)(Engine.eventually(waiting, (sessions) => sessions.length === calls.length))
    yield* Deferred.succeed(isOver, undefined)
    yield* Fiber.join(holder)
    const waits = yield* Fiber.join(Fiber.all(calls))
    assert.strictEqual(waits.filter((wait) => Duration.equals(wait, Duration.zero)).length, 1)
  })
)

it.scopedLive("a project is read by one of two instances, however long the tracker takes", () =>
  Effect.gen(function* () {
    const both = yield* scene
    const { page } = both.fake.tracker
    const pages = yield* race(both, MirrorTracker.round(), (wait) => ({
      page: (...given) => Effect.zipRight(wait, page(...given))
    }))
    assert.strictEqual(pages, 1)
  })
)
