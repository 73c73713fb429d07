import { SqlClient } from "@effect/sql"
import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describe } from "vitest"
import * as Migrations from "../../adapters/postgres/connection/Migrations.ts"
import * as TestPostgres from "../support/TestPostgres.ts"

describe("migrations", () => {
  it.scopedLive("a start on the present schema waits for no other start", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const other = yield* sql.reserve
      yield* other.executeRaw("SELECT pg_advisory_lock(7261001)", [])
      yield* Layer.build(Migrations.layer).pipe(Effect.timeout("60 seconds"))
    }).pipe(Effect.provide(TestPostgres.client(3)))
  )
})
