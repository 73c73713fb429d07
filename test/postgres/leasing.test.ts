import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import * as LeaseBell from "../../application/runner/LeaseBell.ts"
import { setUp, take } from "../contract/scenes/LeaseScene.ts"
import * as TestPostgres from "../support/TestPostgres.ts"

const layer = Layer.provideMerge(LeaseBell.layer, TestPostgres.layer)

it.layer(layer, { timeout: "60 seconds" })("leasing on Postgres", (it) => {
  it.effect("waits for whoever revokes the token before it locks the runner, or each would wait for the other", () =>
    Effect.gen(function* () {
      const scene = yield* setUp
      const sql = yield* SqlClient.SqlClient
      const [held, asked] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const revoking = yield* Effect.fork(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT FROM api_tokens WHERE prefix = ${scene.prefix} FOR NO KEY UPDATE`
            yield* Deferred.succeed(held, undefined)
            yield* Deferred.await(asked)
            yield* sql`SELECT FROM runners WHERE id = ${scene.runner} FOR NO KEY UPDATE NOWAIT`
          })
        )
      )
      yield* Deferred.await(held)
      const leasing = yield* Effect.fork(take(scene))
      const waiting = sql`
        SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR SHARE%'`
      yield* Effect.repeat(waiting, { until: (rows) => rows.length > 0 })
      yield* Deferred.succeed(asked, undefined)
      yield* Fiber.join(revoking)
      assert.strictEqual((yield* Fiber.join(leasing))?.run.key, scene.run)
    })
  )
})
