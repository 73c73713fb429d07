import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Effect, Either, Exit, Fiber } from "effect"
import { withCommit, withNext } from "../../adapters/postgres/connection/PipelinedClient.ts"
import { random } from "../support/Random.ts"
import * as TestPostgres from "../support/TestPostgres.ts"

const atOnce = { concurrency: "unbounded" } as const

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

  const rows = Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql`SELECT n FROM kept ORDER BY n`, (all) => all.map(({ n }) => n))
  )
  const isOpen = Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql<{ readonly open: boolean }>`SELECT now() <> statement_timestamp() AS open`, ([row]) => row?.open)
  )
  const codeOf = (error: { readonly cause?: unknown }) => (error.cause as { readonly code?: string }).code

  it.effect("sends what nobody waits for with the next statement, in order", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE kept (n int PRIMARY KEY)`
      const seen = yield* sql.withTransaction(
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* sql.unsafe(withNext("INSERT INTO kept VALUES ($1)"), [1]), [])
          yield* sql.unsafe(withNext("UPDATE kept SET n = n + $1"), [1])
          return yield* rows
        })
      )
      assert.deepStrictEqual(seen, [2])
      assert.deepStrictEqual(yield* rows, [2])
    })
  )

  it.effect("fails for what was sent along, by its own name, and keeps nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const failed = yield* Effect.flip(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`INSERT INTO kept VALUES (${7})`
            yield* sql.unsafe(withNext("SELECT 1 / $1::int"), [0])
            return yield* rows
          })
        )
      )
      assert.strictEqual(codeOf(failed), "22012")
      assert.deepStrictEqual(yield* rows, [2])
    })
  )

  it.effect("commits with the last statement, or nothing of it all", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const insert = (first: number, last: number) =>
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`INSERT INTO kept VALUES (${first})`
            const written = yield* sql.unsafe(withCommit("INSERT INTO kept VALUES ($1) RETURNING n"), [last])
            return { written, open: yield* isOpen }
          })
        )
      assert.deepStrictEqual(yield* insert(3, 4), { written: [{ n: 4 }], open: false })
      assert.strictEqual(codeOf(Either.getOrThrow(Either.flip(yield* Effect.either(insert(5, 4))))), "23505")
      assert.deepStrictEqual(yield* rows, [2, 3, 4])
    })
  )

  it.effect("begins nothing for a transaction that asks nothing, and the next is not in it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql.withTransaction(Effect.void)
      yield* Effect.flip(
        sql.withTransaction(
          sql.unsafe(withNext("DELETE FROM kept WHERE n > $1"), [0]).pipe(Effect.zipRight(Effect.fail("no")))
        )
      )
      assert.isFalse(yield* isOpen)
      assert.deepStrictEqual(yield* rows, [2, 3, 4])
    })
  )
})

it.layer(TestPostgres.client(4), { timeout: "60 seconds" })("a pool of several", (it) => {
  it.effect("does not let those who hang up cancel what others ask", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const short = sql`SELECT pg_sleep(0.002)`
      const after = (ms: number) => Effect.promise(() => new Promise((resolve) => setTimeout(resolve, ms)))
      const hangUp = Effect.suspend(() => Effect.race(Effect.ignore(short), after(random() * 4)))
      const leaving = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 4 }, () => Effect.forever(hangUp)),
          atOnce
        )
      )
      const staying = Array.from({ length: 4 }, () => Effect.replicateEffect(short, 100))
      const exit = yield* Effect.exit(Effect.all(staying, atOnce))
      yield* Fiber.interrupt(leaving)
      assert.isTrue(Exit.isSuccess(exit))
    })
  )
})
