import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Schema } from "effect"
import { CheckStore } from "../../../application/ports/CheckStore.ts"
import { SourceId } from "../../../domain/oncall/SignalSource.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import { Check, Health } from "../../../domain/oncall/UptimeCheck.ts"
import { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { keep } from "./PgSignalStore.ts"
import { orDie, transaction } from "../connection/Transactions.ts"

const live = `
  signal_sources s JOIN workspaces w ON w.id = s.workspace_id AND w.deleted_at IS NULL
    AND s.check_settings IS NOT NULL AND s.paused_at IS NULL AND s.deleted_at IS NULL`

/** The instance that inserts or updates a check's state takes its turn; states locked elsewhere are skipped. */
const claim = `
  WITH checked AS (
    SELECT s.workspace_id, s.id AS source_id, s.name, s.check_settings, s.updated_at FROM ${live}
  ), fresh AS (
    INSERT INTO uptime_states (workspace_id, source_id, begun_at)
    SELECT c.workspace_id, c.source_id, statement_timestamp() FROM checked c
    WHERE NOT EXISTS (
      SELECT FROM uptime_states u WHERE u.workspace_id = c.workspace_id AND u.source_id = c.source_id)
    ORDER BY c.workspace_id, c.source_id LIMIT $1
    ON CONFLICT DO NOTHING
    RETURNING workspace_id, source_id
  ), due AS (
    SELECT u.workspace_id, u.source_id FROM uptime_states u JOIN checked c USING (workspace_id, source_id)
    WHERE u.begun_at < c.updated_at
      OR u.begun_at <= statement_timestamp() - (c.check_settings->>'intervalSeconds')::int * interval '1 second'
    ORDER BY u.begun_at LIMIT $1 - (SELECT count(*) FROM fresh)
    FOR NO KEY UPDATE OF u SKIP LOCKED
  ), moved AS (
    UPDATE uptime_states u SET begun_at = statement_timestamp() FROM due d
    WHERE u.workspace_id = d.workspace_id AND u.source_id = d.source_id
    RETURNING u.workspace_id, u.source_id
  )
  SELECT c.workspace_id AS workspace, c.source_id AS source, c.name, c.check_settings AS check
  FROM (SELECT * FROM fresh UNION ALL SELECT * FROM moved) t JOIN checked c USING (workspace_id, source_id)`

/** Selects the checks that a claim would take, without taking them. */
export const checksDue = `
  SELECT FROM ${live} LEFT JOIN uptime_states u ON u.workspace_id = s.workspace_id AND u.source_id = s.id
  WHERE u.begun_at IS NULL OR u.begun_at < s.updated_at
    OR u.begun_at <= statement_timestamp() - (s.check_settings->>'intervalSeconds')::int * interval '1 second'`

const Due = Schema.Struct({ workspace: WorkspaceId, source: SourceId, name: Schema.String, check: Check })
const decodeDue = Schema.decodeUnknownSync(Schema.Array(Due))

const health = `
  u.failures, iso8601(u.failing_since) AS "failingSince", iso8601(u.told_at) AS "toldAt", iso8601(u.last_at) AS "lastAt",
  u.last_problem AS "lastProblem"`

const lock = `
  SELECT iso8601(clock_timestamp()) AS now, ${health}
  FROM uptime_states u JOIN (${live}) ON s.workspace_id = u.workspace_id AND s.id = u.source_id
  WHERE u.workspace_id = $1 AND u.source_id = $2 FOR NO KEY UPDATE OF u`
const decodeLocked = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ now: Timestamp, ...Health.fields })))

const save = `
  UPDATE uptime_states SET failures = $3, failing_since = $4, told_at = $5, last_at = $6, last_problem = $7
  WHERE workspace_id = $1 AND source_id = $2`

const decodeHealths = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ source: SourceId, ...Health.fields })))
const encodeHealth = Schema.encodeSync(Health)

export const layer = Layer.effect(
  CheckStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    CheckStore.of({
      claim: (most) => Effect.map(orDie(sql.unsafe(claim, [most])), (rows) => decodeDue(rows)),
      record: ({ source, workspace }, judge) =>
        Effect.gen(function* () {
          const [locked] = decodeLocked(yield* sql.unsafe(lock, [workspace, source]))
          if (locked === undefined) return
          const { now, ...before } = locked
          const { delivery, health } = judge(before, now)
          const { failingSince, failures, lastAt, lastProblem, toldAt } = encodeHealth(health)
          yield* sql.unsafe(save, [workspace, source, failures, failingSince, toldAt, lastAt, lastProblem])
          if (delivery !== null) yield* keep(sql, [delivery])
        }).pipe(transaction, Effect.provideService(SqlClient.SqlClient, sql)),
      healths: (workspace) =>
        Effect.map(
          orDie(
            sql.unsafe(`SELECT u.source_id AS source, ${health} FROM uptime_states u WHERE u.workspace_id = $1`, [
              workspace
            ])
          ),
          (rows) => new Map(decodeHealths(rows).map(({ source, ...rest }) => [source, rest]))
        )
    })
  )
)
