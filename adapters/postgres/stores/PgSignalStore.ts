import * as SqlClient from "@effect/sql/SqlClient"
import { Clock, Effect, Either, Layer, Schema, Stream } from "effect"
import { type Received, SignalStore } from "../../../application/ports/SignalStore.ts"
import { DeliveryNotFound, type DeliveryView } from "../../../domain/oncall/Delivery.ts"
import type { RefusedDelivery } from "../../../domain/oncall/RefusedDelivery.ts"
import { SignalSource, SourceId } from "../../../domain/oncall/SignalSource.ts"
import { boundedCache } from "../../../domain/value/BoundedCache.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { append } from "../rows/AuditRows.ts"
import * as Batcher from "../connection/Batcher.ts"
import { drain, firstTurn } from "../context/TriageTransaction.ts"
import { makeLull } from "../connection/IdleConnections.ts"
import { page } from "../reads/PageReads.ts"
import * as OnCallRows from "../rows/OnCallRows.ts"
import { ledger as refusedLedger, refusing } from "../context/RefusedDeliveryRows.ts"
import { channels, Notifications } from "../connection/Notifications.ts"
import { orDie, transaction } from "../connection/Transactions.ts"

/** A hanging server never reports its own timeouts, so silence counts as a failure. */
const patience = 1500

const Found = Schema.Struct({ token: Schema.String, workspace: WorkspaceId, now: Timestamp, source: Schema.String })
const decodeFound = Schema.decodeUnknownSync(Schema.Array(Found))
const decodeSource = Schema.decodeSync(Schema.parseJson(SignalSource))

/** Caches decoded sources by their text: sources seldom change. */
const sources = boundedCache<string, SignalSource>()

const sourceOf = (text: string): SignalSource => sources.get(text) ?? sources.set(text, decodeSource(text))

const find = `
  SELECT s.token, s.workspace_id AS workspace, iso8601(clock_timestamp()) AS now,
    (SELECT row_to_json(o) FROM (SELECT ${OnCallRows.source}) o)::text AS source
  FROM signal_sources s JOIN workspaces w ON w.id = s.workspace_id
  WHERE s.token = ANY($1) AND s.deleted_at IS NULL AND w.deleted_at IS NULL`

const word = `pg_notify('${channels.deliveries}', 'word')::text`

/** Ordered, so that two instances with the same delivery names do not deadlock. */
const receive = `
  WITH given AS (
    SELECT * FROM ROWS FROM (json_to_recordset($1::json) AS (workspace uuid, source uuid, id uuid, name text,
      signals json, known json, body text)) WITH ORDINALITY AS r
  ), named AS (
    INSERT INTO delivery_names (workspace_id, source_id, name, delivery_id, seen_at)
    SELECT DISTINCT ON (g.workspace, g.source, g.name) g.workspace, g.source, g.name, g.id, statement_timestamp()
    FROM given g WHERE g.name IS NOT NULL ORDER BY g.workspace, g.source, g.name, g.ordinality
    ON CONFLICT (workspace_id, source_id, name)
      DO UPDATE SET delivery_id = excluded.delivery_id, seen_at = excluded.seen_at
      WHERE delivery_names.seen_at <= excluded.seen_at - interval '24 hours'
    RETURNING delivery_id
  ), kept AS (
    INSERT INTO deliveries (workspace_id, id, source_id, received_at, status, signals, verdicts, body)
    SELECT g.workspace, g.id, g.source, statement_timestamp(),
      CASE WHEN g.name IS NULL OR g.id IN (SELECT delivery_id FROM named) THEN 'waiting' ELSE 'duplicate' END,
      g.signals, g.known, g.body
    FROM given g ORDER BY g.ordinality
    RETURNING id, status
  )
  SELECT k.id, k.status = 'duplicate' AS "isDuplicate", (SELECT ${word}) AS told FROM kept k`

const waiting = "SELECT count(*)::int AS count FROM deliveries WHERE status IN ('waiting', 'replayed')"

const ledger = {
  json: `json_build_object('id', d.id, 'source', s.name, 'receivedAt', iso8601(d.received_at),
    'status', CASE d.status WHEN 'replayed' THEN 'waiting' ELSE d.status END, 'verdicts', d.verdicts,
    'body', d.body::json)::text`,
  from: "deliveries d JOIN signal_sources s ON s.workspace_id = d.workspace_id AND s.id = d.source_id",
  alias: "d",
  ofDeletedTeams: true,
  filters: { source: "d.source_id = q.source::uuid", id: "d.id = q.id::uuid" }
}

const lastOfSources = `
  SELECT s.id, iso8601(d.received_at) AS at FROM signal_sources s, LATERAL (
    SELECT received_at FROM deliveries WHERE workspace_id = s.workspace_id AND source_id = s.id
    ORDER BY seq DESC LIMIT 1) d
  WHERE s.workspace_id = $1 AND s.deleted_at IS NULL`
const decodeLasts = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: SourceId, at: Timestamp })))

const volume = `
  SELECT iso8601(date_trunc('hour', received_at, 'UTC')) AS hour, sum(json_array_length(signals))::int AS alerts
  FROM deliveries WHERE workspace_id = $1 AND source_id = $2
    AND received_at >= date_trunc('hour', statement_timestamp(), 'UTC') - interval '23 hours'
  GROUP BY 1 HAVING sum(json_array_length(signals)) > 0 ORDER BY 1`
const decodeVolume = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ hour: Timestamp, alerts: Schema.Int })))

/** Keeps the verdicts from the intake: of deliveries without alerts, or of unreadable alerts. */
const replay = `
  UPDATE deliveries SET status = 'replayed', verdicts = (
    SELECT coalesce(json_agg(v), '[]') FROM json_array_elements(verdicts) v WHERE v->>'fingerprint' IS NULL)
  WHERE workspace_id = $1 AND id = $2 AND status IN ('done', 'failed') AND body IS NOT NULL
  RETURNING source_id AS id, (SELECT s.name FROM signal_sources s WHERE s.workspace_id = $1 AND s.id = source_id) AS name,
    iso8601(clock_timestamp()) AS now, ${word}`
const decodeReplayed = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ id: SourceId, name: Schema.String, now: Timestamp }))
)

/** Inserts within the current transaction; listeners are notified once it commits. */
export const keep = (sql: SqlClient.SqlClient, deliveries: ReadonlyArray<Received>) => {
  // Times in them serialise themselves as their schema would.
  return sql.unsafe<{ readonly id: string; readonly isDuplicate: boolean }>(receive, [JSON.stringify(deliveries)])
}

export const layer = Layer.effect(
  SignalStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const notifications = yield* Notifications
    const runtime = yield* Effect.runtime()

    const finding = Batcher.make(
      runtime,
      (tokens: ReadonlyArray<string>) =>
        Effect.map(orDie(sql.unsafe(find, [[...new Set(tokens)]])), (rows) => {
          const found = new Map(
            decodeFound(rows).map(({ now, source, token, workspace }) => [
              token,
              { workspace, now, source: sourceOf(source) }
            ])
          )
          return tokens.map((token) => Either.right(found.get(token) ?? null))
        }),
      { most: 100, slots: 1, queue: 5000, each: 1000, patience }
    )

    const receiving = Batcher.make(
      runtime,
      (deliveries: ReadonlyArray<Received>) =>
        Effect.map(orDie(keep(sql, deliveries)), (rows) => {
          const kept = new Map(rows.map(({ id, isDuplicate }) => [id, { isDuplicate }]))
          return deliveries.map(({ id }) => Either.right(kept.get(id) ?? { isDuplicate: false }))
        }),
      { most: 50, slots: 2, queue: 2000, each: 1000, patience }
    )

    const refuse = refusing(sql, runtime, patience)

    const deliveries = page<DeliveryView>(sql, runtime, ledger)
    const refusals = page<RefusedDelivery>(sql, runtime, refusedLedger)

    const turns = firstTurn()
    const lull = makeLull(Clock.make())

    return SignalStore.of({
      find: (token, lane = token) => finding(token, lane),
      receive: (delivery) => {
        lull.interrupt()
        return receiving(delivery, delivery.source)
      },
      calm: lull.wait,
      refused: ({ source, workspace }, refusal, notice) => refuse({ workspace, source: source.id, refusal, notice }),
      // Without a team filter no team can be missing.
      refusedLedger: (workspace, source, request) => Effect.orDie(refusals(workspace, null, { source }, request)),
      waiting: Effect.map(orDie(sql.unsafe<{ readonly count: number }>(waiting)), ([row]) => row?.count ?? 0),
      drain: (most, judge) => Effect.provideService(drain(turns, most, judge), SqlClient.SqlClient, sql),
      arrivals: Stream.as(notifications.on(channels.deliveries), undefined),
      ledger: (workspace, source, request, id) =>
        Effect.orDie(deliveries(workspace, null, { source, id: id ?? null }, request)),
      lastOfSources: (workspace) =>
        Effect.map(
          orDie(sql.unsafe(lastOfSources, [workspace])),
          (rows) => new Map(decodeLasts(rows).map(({ at, id }) => [id, at]))
        ),
      volume: (workspace, source) => Effect.map(orDie(sql.unsafe(volume, [workspace, source])), decodeVolume),
      replay: (workspace, id, audit) =>
        Effect.gen(function* () {
          const [replayed] = decodeReplayed(yield* sql.unsafe(replay, [workspace, id]))
          if (replayed === undefined) return yield* new DeliveryNotFound({ delivery: id })
          yield* append(workspace, replayed.now, audit(replayed))
        }).pipe(transaction, Effect.provideService(SqlClient.SqlClient, sql)),
      purge: (days) =>
        orDie(
          Effect.all(
            [
              sql.unsafe(
                `UPDATE deliveries SET body = NULL, signals = '[]'
                 WHERE body IS NOT NULL AND status NOT IN ('waiting', 'replayed')
                   AND received_at < statement_timestamp() - $1 * interval '1 day'`,
                [days]
              ),
              // Skips names that are being seen again, to avoid a deadlock.
              sql`DELETE FROM delivery_names WHERE (workspace_id, source_id, name) IN (
                SELECT workspace_id, source_id, name FROM delivery_names
                WHERE seen_at < statement_timestamp() - interval '24 hours' FOR UPDATE SKIP LOCKED)`
            ],
            { discard: true }
          )
        )
    })
  })
)
