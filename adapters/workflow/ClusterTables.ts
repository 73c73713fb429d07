import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as Snowflake from "@effect/cluster/Snowflake"
import * as SqlMessageStorage from "@effect/cluster/SqlMessageStorage"
import * as SqlRunnerStorage from "@effect/cluster/SqlRunnerStorage"
import * as SqlClient from "@effect/sql/SqlClient"
import { Duration, Effect, Layer } from "effect"

/** What the names of the engine's own tables begin with. */
export const prefix = "gatehouse_engine"

const lock = 7_261_002
const take = `SET statement_timeout = 0; SET lock_timeout = 0; SELECT pg_advisory_lock(${lock})`
const leave = `SELECT pg_advisory_unlock(${lock}); RESET statement_timeout; RESET lock_timeout`

/** The engine makes its tables itself, but cannot while another process does: they take turns. */
export const create = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const session = yield* sql.reserve
  yield* Effect.acquireRelease(session.executeRaw(take, []), () => Effect.orDie(session.executeRaw(leave, [])))
  const tables = Layer.merge(SqlMessageStorage.layerWith({ prefix }), SqlRunnerStorage.layerWith({ prefix }))
  yield* Layer.build(Layer.fresh(Layer.provide(tables, ShardingConfig.layerDefaults)))
}).pipe(Effect.scoped, Effect.orDie)

/** An id tells when it was made, in milliseconds since the library's own epoch. */
const madeAt = (id: string) => `((${id} >> 22) + ${Snowflake.constEpochMillis})`
const now = "(extract(epoch FROM clock_timestamp()) * 1000)"

const oldestUnread = `
  SELECT coalesce(max(${now} - coalesce(deliver_at, ${madeAt("id")})), 0)::float8 AS millis
  FROM ${prefix}_messages WHERE NOT processed AND last_read IS NULL`

/** How long the oldest due message has been waiting for a process to read it. */
export const lag = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(Effect.orDie(sql.unsafe<{ readonly millis: number }>(oldestUnread)), ([row]) =>
    Duration.millis(Math.max(0, row?.millis ?? 0))
  )
)

/** Rounds that only sleep have a reply too; it says so. */
const deleteFinished = `
  WITH finished AS (
    SELECT m.entity_id FROM ${prefix}_messages m JOIN ${prefix}_replies r ON r.id = m.last_reply_id
    WHERE m.entity_type LIKE 'Workflow/%' AND m.tag = 'run' AND m.processed
      AND r.payload::json #>> '{value,_tag}' IS DISTINCT FROM 'Suspended'
      AND ${madeAt("r.id")} <= ${now} - $1::float8
    LIMIT $2
  ), gone AS (
    DELETE FROM ${prefix}_messages m USING finished f WHERE m.entity_id = f.entity_id RETURNING m.id
  ), replies AS (
    DELETE FROM ${prefix}_replies r USING gone WHERE r.request_id = gone.id
  )
  SELECT count(*)::integer AS count FROM finished`

const batch = 500

/** Forgets finished rounds so many days after their end, some at a time so that no statement takes long. */
export const purge = (days: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql
      .unsafe<{ readonly count: number }>(deleteFinished, [Duration.toMillis(Duration.days(days)), batch])
      .pipe(Effect.repeat({ while: ([row]) => row?.count === batch }), Effect.orDie, Effect.asVoid)
  )
