import { SqlClient } from "@effect/sql"
import { SqlError } from "@effect/sql/SqlError"
import { assert, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Option } from "effect"
import { withCommit } from "../../adapters/postgres/connection/PipelinedClient.ts"
import { orDie, transaction } from "../../adapters/postgres/connection/Transactions.ts"
import { Unavailable } from "../../application/ports/Health.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { range } from "../support/Range.ts"
import { long } from "../support/Long.ts"

const atOnce = { concurrency: "unbounded" } as const

const unavailable = (exit: Exit.Exit<unknown, unknown>): Unavailable | undefined => {
  const defect = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.dieOption(exit.cause)) : undefined
  return defect instanceof Unavailable ? defect : undefined
}

const failing = (cause: object) => Effect.exit(orDie(Effect.fail(new SqlError({ cause }))))

it.effect.each([
  ["a full disk", { code: "53100" }],
  ["memory that is short", { code: "53200" }],
  ["too many connections", { code: "53300" }],
  ["a disk that fails", { code: "58030" }],
  ["a statement that took too long", { code: "57014" }],
  ["a lock that took too long", { code: "55P03" }],
  ["a shutdown", { code: "57P01" }],
  ["a server that is not there", { code: "ECONNREFUSED" }],
  ["a connection that was cut", { message: "Connection terminated unexpectedly" }],
  ["a pool in which nobody gives one back", { message: "timeout exceeded when trying to connect" }],
  ["a pool before which too many stand", { message: "too many wait for a connection" }]
] as const)("%s is no fault of a request, which may come again", ([, cause]) =>
  Effect.gen(function* () {
    assert.isDefined(unavailable(yield* failing(cause)))
  })
)

it.effect.each([
  ["a value that does not fit", { code: "22003" }],
  ["a reference to nothing", { code: "23503" }],
  ["a statement that is wrong", { code: "42601" }]
] as const)("%s is a fault of ours", ([, cause]) =>
  Effect.gen(function* () {
    const exit = yield* failing(cause)
    assert.isTrue(Exit.isFailure(exit))
    assert.isUndefined(unavailable(exit))
  })
)

it.layer(TestPostgres.client(10), { timeout: "60 seconds" })("a busy database", (it) => {
  long(() => {
    it.effect("leaves connections to those who read while those who change wait for each other", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE head (n int)`
        yield* sql`INSERT INTO head VALUES (0)`
        const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holder = yield* Effect.fork(
          transaction(
            Effect.gen(function* () {
              yield* sql`SELECT FROM head FOR UPDATE`
              yield* Deferred.succeed(held, undefined)
              yield* Deferred.await(release)
            })
          )
        )
        yield* Deferred.await(held)
        const add = Effect.exit(transaction(sql`UPDATE head SET n = n + 1`))
        const changing = yield* Effect.forEach(range(520), () => Effect.fork(add))
        yield* Effect.replicateEffect(sql`SELECT 1`, 20)
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        const exits = yield* Fiber.joinAll(changing)
        const refused = exits.filter((exit) => unavailable(exit) !== undefined).length
        // Five wait in the database, and five hundred before it.
        assert.strictEqual(refused, 15)
        const done = exits.filter(Exit.isSuccess).length
        assert.strictEqual(done, 505)
        assert.deepStrictEqual(yield* sql`SELECT n FROM head`, [{ n: done }])
      })
    )
  })

  it.effect("lets only so many wait for a connection", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const exits = yield* Effect.forEach(range(600), () => Effect.exit(orDie(sql`SELECT pg_sleep(0.01)`)), atOnce)
      assert.strictEqual(exits.filter((exit) => unavailable(exit) !== undefined).length, 100)
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 500)
    })
  )

  it.effect("that goes away in the middle of a commit leaves it open what became of the change, and says so", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql.unsafe(`
        CREATE TABLE slow (n int);
        CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER lingering AFTER INSERT ON slow DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION linger()`)
      for (const change of [
        sql.unsafe(withCommit("INSERT INTO slow VALUES ($1)"), [1]),
        sql.unsafe("INSERT INTO slow VALUES ($1)", [2])
      ]) {
        const writing = yield* Effect.fork(Effect.exit(transaction(change)))
        const cut = sql<{ readonly isCut: boolean }>`
          SELECT pg_terminate_backend(pid) AS "isCut" FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event = 'PgSleep'`
        yield* Effect.repeat(Effect.retry(cut, { times: 10 }), { until: (rows) => rows.length > 0 })
        assert.strictEqual(unavailable(yield* Fiber.join(writing))?.outcome, "unknown")
        // The next caller may get the connection that was just cut.
        yield* Effect.retry(
          Effect.forEach(range(10), () => sql`SELECT 1`, atOnce),
          { times: 10 }
        )
      }
      const refused = yield* Effect.exit(transaction(sql.unsafe(withCommit("SELECT 1 / $1::int"), [0])))
      assert.isUndefined(unavailable(refused))
    })
  )
})
