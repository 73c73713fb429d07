import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { RunStore } from "../../application/ports/RunStore.ts"
import * as LeaseBell from "../../application/runner/LeaseBell.ts"
import * as Runners from "../../application/runner/Runners.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import { callerOf, introduction, setUp, take } from "../contract/scenes/LeaseScene.ts"
import * as Engine from "../jobs/Engine.ts"
import { range, rounds } from "../support/Range.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"
import { blocked, instances, pick } from "./Scene.ts"
import { isLong, long } from "../support/Long.ts"

const [stories, runners] = isLong ? [14, 20] : [5, 8]

/** Performs an effect on one of two instances, in turns. */
const opened = Effect.gen(function* () {
  const both = yield* Effect.forEach(yield* instances(2), (context) =>
    Effect.map(Layer.build(Layer.provide(LeaseBell.layer, Layer.succeedContext(context))), (bell) =>
      Context.merge(context, bell)
    )
  )
  return (turn: number) =>
    <A, E>(effect: Effect.Effect<A, E, Stores | LeaseBell.LeaseBell>) =>
      Effect.provide(effect, pick(both, turn))
})

const atOnce = { concurrency: "unbounded" } as const

it.scopedLive(
  `of ${runners} runners that lease at once over two instances, each run has one holder`,
  () =>
    Effect.gen(function* () {
      const on = yield* opened
      const scene = yield* on(0)(setUp)
      const more = range(stories - 1).map((n) => `PAY-${n + 2}`)
      const added = more.slice(2).map((key) => ({ key, team: "payments", title: key }))
      yield* on(0)(Seed.load(scene.slug, { stories: added }))
      for (const key of more) yield* on(0)(Runs.start(scene.owner, key as StoryKey))
      const crowd = yield* Effect.forEach(range(runners), (n) =>
        on(n)(
          Effect.gen(function* () {
            const { caller } = yield* callerOf(scene.slug)
            const { id: runner } = yield* Runners.hello(caller, { ...introduction, name: `build-${n}` })
            return { caller, runner }
          })
        )
      )
      const grants = yield* Effect.forEach(crowd, (one, n) => on(n)(take(one)), atOnce)
      const held = grants.filter((grant) => grant !== null)
      assert.strictEqual(new Set(held.map(({ run }) => run.key)).size, stories)
      assert.strictEqual(held.length, stories)
      const listed = yield* on(1)(Runners.list(scene.owner))
      for (const [n, grant] of grants.entries()) {
        const runs = listed.find(({ id }) => id === crowd[n]?.runner)?.runs ?? []
        assert.deepStrictEqual(
          runs.map(({ key }) => key),
          grant === null ? [] : [grant.run.key]
        )
      }
    }),
  60_000
)

it.scopedLive(
  "a lease on one instance while the other revokes the token leaves no run in its hands",
  () =>
    Effect.gen(function* () {
      const on = yield* opened
      for (const round of rounds(15)) {
        const scene = yield* on(round)(setUp)
        const revoked = Tokens.revoke(bySystem, { workspace: scene.slug, prefix: scene.prefix })
        yield* Effect.all([Effect.exit(on(round)(take(scene))), on(round + 1)(revoked)], atOnce)
        const run = yield* on(round)(Effect.flatMap(RunStore, (store) => store.get(scene.id, scene.run)))
        assert.strictEqual((JSON.parse(run) as { readonly status: string }).status, "queued")
      }
    }),
  60_000
)

long(() => {
  it.scopedLive("a renewal holds no lock of its run while it waits for its runner", () =>
    Effect.gen(function* () {
      const contexts = yield* instances(3)
      const on =
        (turn: number) =>
        <A, E>(effect: Effect.Effect<A, E, Stores | LeaseBell.LeaseBell | SqlClient.SqlClient>) =>
          Effect.provide(Effect.provide(effect, LeaseBell.layer), pick(contexts, turn))
      const scene = yield* on(0)(setUp)
      const { fence, id: lease } = (yield* on(0)(take(scene))) ?? assert.fail("nothing was leased")
      const [isLocked, isWaiting] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const cross = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.gen(function* () {
          // The renewal would detect a deadlock first, so it would be the one that is aborted.
          yield* sql`SET LOCAL deadlock_timeout = '1min'`
          yield* sql`SELECT FROM runners WHERE workspace_id = ${scene.id} FOR NO KEY UPDATE`
          yield* Deferred.succeed(isLocked, undefined)
          yield* Deferred.await(isWaiting)
          yield* sql`SELECT FROM runs WHERE workspace_id = ${scene.id} FOR NO KEY UPDATE`
        }).pipe(sql.withTransaction)
      )
      const crossing = yield* Effect.fork(on(0)(cross))
      yield* Deferred.await(isLocked)
      const renewing = yield* Effect.fork(on(1)(Runners.renew(scene.caller, { lease, fence }, 0)))
      const waiting = Effect.flatMap(SqlClient.SqlClient, blocked)
      yield* on(2)(Engine.eventually(waiting, (count) => count > 0))
      yield* Deferred.succeed(isWaiting, undefined)
      yield* Fiber.join(crossing)
      assert.strictEqual((yield* Fiber.join(renewing)).action, "continue")
    })
  )
})
