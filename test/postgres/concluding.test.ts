import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import * as Services from "../../application/oncall/Services.ts"
import { conclude, type FindingContext } from "../../domain/oncall/FindingOutcome.ts"
import { inCode, investigated, stories } from "../contract/scenes/FollowScene.ts"
import * as TestPostgres from "../support/TestPostgres.ts"

it.layer(TestPostgres.layer, { timeout: "60 seconds" })("concluding on Postgres", (it) => {
  it.effect("waits for whoever numbers stories of the workspace before it looks for the next number", () =>
    Effect.gen(function* () {
      const at = yield* investigated
      yield* Services.set(at.owner, "checkout", { startFixes: true })
      const sql = yield* SqlClient.SqlClient
      const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holder = yield* Effect.fork(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT FROM workspaces WHERE id = ${at.id} FOR NO KEY UPDATE`
            yield* Deferred.succeed(held, undefined)
            yield* Deferred.await(release)
          })
        )
      )
      yield* Deferred.await(held)
      let looks = 0
      const decide = (one: FindingContext) => {
        looks++
        return conclude(inCode)(one)
      }
      const store = yield* OnCallStore
      const concluding = yield* Effect.fork(store.conclude(at.id, at.job, decide))
      const waiting = sql`
        SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%workspaces%'`
      yield* Effect.repeat(waiting, { until: (rows) => rows.length > 0 || looks > 0 })
      assert.strictEqual(looks, 0)
      yield* Deferred.succeed(release, undefined)
      yield* Fiber.join(holder)
      yield* Fiber.join(concluding)
      assert.deepStrictEqual([looks, (yield* stories(at)).length], [1, 1])
    })
  )
})
