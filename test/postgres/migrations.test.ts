import { SqlClient } from "@effect/sql"
import { it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { assert, describe } from "vitest"
import * as Migrations from "../../adapters/postgres/connection/Migrations.ts"
import * as Pool from "../../adapters/postgres/connection/Pool.ts"
import * as TestPostgres from "../support/TestPostgres.ts"

const lock = "SELECT pg_advisory_lock(7261001)"
const unlock = "SELECT pg_advisory_unlock(7261001)"

/** Ends when a start waits for its turn. */
const waits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 7261001 AND NOT granted`
  return found.length > 0
}).pipe(Effect.delay("10 millis"), Effect.repeat({ until: (is) => is }))

describe("a start", () => {
  it.scopedLive("on the present schema waits for no other start", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const other = yield* sql.reserve
      yield* other.executeRaw(lock, [])
      const start = yield* Effect.fork(Layer.build(Migrations.layer))
      const outcome = yield* Effect.raceFirst(Effect.as(Fiber.join(start), "starts"), Effect.as(waits, "waits"))
      yield* other.executeRaw(unlock, [])
      assert.strictEqual(outcome, "starts")
    }).pipe(Effect.scoped, Effect.provide(TestPostgres.client(4)))
  )

  it.scopedLive("waits for another one that migrates, also for longer than a statement may wait", () =>
    Effect.gen(function* () {
      const { url } = yield* TestPostgres.addressed
      const impatient = Pool.layer({ connectionString: `${url}&options=${encodeURIComponent("-c lock_timeout=20")}` })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const other = yield* sql.reserve
        yield* other.executeRaw(lock, [])
        yield* other.executeRaw("BEGIN; LOCK TABLE migrations IN ACCESS EXCLUSIVE MODE", [])
        const start = yield* Effect.fork(Effect.provide(Layer.build(Migrations.layer), impatient))
        yield* Effect.raceFirst(waits, Fiber.join(start))
        yield* other.executeRaw(`COMMIT; ${unlock}`, [])
        yield* Fiber.join(start)
      }).pipe(Effect.scoped, Effect.provide(Pool.layer({ connectionString: url })))
    })
  )
})
