import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TestPostgres from "../support/TestPostgres.ts"

it.layer(TestPostgres.client(1), { timeout: "60 seconds" })("the pool", (it) => {
  it.effect("has Postgres keep the plan of every statement with parameters, under one name a text", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const n of [1, 2, 3]) yield* sql`SELECT ${n}::int AS kept`
      yield* sql`SELECT 4 AS forgotten`
      const kept = yield* sql<{ readonly name: string; readonly statement: string }>`
        SELECT name, statement FROM pg_prepared_statements WHERE statement LIKE '%AS kept%' OR statement LIKE '%AS forgotten%'`
      assert.deepStrictEqual(
        kept.map(({ statement }) => statement),
        ["SELECT $1::int AS kept"]
      )
      assert.match(kept[0]?.name ?? "", /^gatehouse_\d+$/)
    })
  )
})
