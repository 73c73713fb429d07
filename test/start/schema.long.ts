import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Migrations from "../../adapters/postgres/connection/Migrations.ts"
import { addressOf, scopedWorkshop } from "../support/Process.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ask } from "../support/World.ts"

it.scopedLive(
  "a database with another schema stops the start, and an instance that runs is not ready",
  () =>
    Effect.gen(function* () {
      const shop = yield* scopedWorkshop
      const { layer, url } = yield* TestPostgres.addressed
      const service = () =>
        shop.node({ DATABASE_URL: url, SECRET_KEY: Buffer.alloc(32, 7).toString("base64"), PORT: "0" })
      const running = service()
      const address = yield* Effect.promise(() => addressOf(running))
      const ready = Effect.promise(() => ask(address, "/readyz"))
      assert.strictEqual((yield* ready).status, 200)
      assert.match(running.out(), /^Data lives in the database localhost:\d+\/test_/m)
      assert.notMatch(running.out(), /\btk_/)

      // In one scope: `layer` itself would refuse the newer schema.
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO migrations (migration_id, name) VALUES (9999, 'Later')`
        const { body, status } = yield* ready
        assert.deepStrictEqual([status, body.error.code], [503, "unavailable"])
        assert.include(body.error.message, `schema 9999_Later, and this instance needs ${Migrations.known}`)

        const { code, err, out } = yield* Effect.promise(() => service().ended())
        assert.deepStrictEqual([code, out], [1, ""])
        assert.include(err, "The database has schema 9999_Later")
        assert.include(err, `knows schemas up to ${Migrations.known}`)
        yield* sql`DELETE FROM migrations WHERE migration_id = 9999`
        assert.strictEqual((yield* ready).status, 200)
        yield* sql`DELETE FROM migrations WHERE migration_id = ${Number(Migrations.known.slice(0, 4))}`
        assert.strictEqual((yield* ready).status, 503)
      }).pipe(Effect.provide(layer))
      running.signal("SIGTERM")
      assert.strictEqual((yield* Effect.promise(() => running.ended())).code, 0)
    }),
  120_000
)
