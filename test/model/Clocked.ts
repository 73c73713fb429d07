import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, TestClock } from "effect"
import * as TestPostgres from "../support/TestPostgres.ts"

const told = (name: string) => `
  CREATE FUNCTION public.${name}() RETURNS timestamptz LANGUAGE sql STABLE RETURN (SELECT at FROM public.test_clock);`

/** Postgres searches the schema `public` before its own clock functions. */
const install = `
  CREATE TABLE test_clock AS SELECT to_timestamp(0) AS at;
  ${["clock_timestamp", "statement_timestamp", "transaction_timestamp", "now"].map(told).join("")}
  DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database());
  END $$`

/** Every port on a fresh database whose time `setTime` sets. */
export const postgres = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { layer } = yield* TestPostgres.addressed
    yield* Effect.provide(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(install)),
      layer
    )
    return layer
  })
)

/** Sets the clock of this process and of the database. */
export const setTime = (millis: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* TestClock.setTime(millis)
    yield* sql`UPDATE test_clock SET at = to_timestamp(${millis}::float8 / 1000)`
  })
