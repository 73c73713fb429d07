import type { Signal } from "./Alerts.ts"
import { batcher } from "../Batcher.ts"
import { type Sql, statement } from "../Statements.ts"

/** Result of triage for one alert of a delivery, with its reason. */
export interface Verdict {
  readonly verdict: string
  readonly explanation: string
  readonly fingerprint: string | null
  readonly alert: string | null
  readonly incident: string | null
}

export interface SourceRow {
  readonly token: string
  readonly workspace_id: string
  readonly id: string
  readonly is_timestamp_required: boolean
  readonly secret: string | null
}

export interface Delivery {
  readonly workspace: string
  readonly source: string
  readonly id: string
  readonly name: string | null
  readonly signals: ReadonlyArray<Signal>
  readonly known: ReadonlyArray<Verdict>
  readonly body: string
}

/** Storage of sources and deliveries. */
export interface Ledger {
  readonly find: (token: string) => Promise<SourceRow | undefined>
  readonly keep: (delivery: Delivery) => Promise<{ readonly isDuplicate: boolean }>
}

/** Secrets are stored in the clear here; the real service seals them. */
export const secrets = statement(
  "peer_secrets",
  "CREATE TABLE IF NOT EXISTS peer_secrets (source_id uuid PRIMARY KEY, secret text NOT NULL)"
)

const source = `
  SELECT s.token, s.workspace_id, s.id, s.is_timestamp_required, p.secret
  FROM signal_sources s JOIN workspaces w ON w.id = s.workspace_id LEFT JOIN peer_secrets p ON p.source_id = s.id
  WHERE s.kind = 'generic' AND s.deleted_at IS NULL AND w.deleted_at IS NULL AND s.token`

const find = statement("find_source", `${source} = $1`)

const keep = statement(
  "keep_delivery",
  `WITH named AS (
     INSERT INTO delivery_names (workspace_id, source_id, name, delivery_id, seen_at)
     SELECT $1::uuid, $2::uuid, $4::text, $3::uuid, statement_timestamp() WHERE $4::text IS NOT NULL
     ON CONFLICT (workspace_id, source_id, name)
       DO UPDATE SET delivery_id = excluded.delivery_id, seen_at = excluded.seen_at
       WHERE delivery_names.seen_at <= excluded.seen_at - interval '24 hours'
     RETURNING delivery_id
   )
   INSERT INTO deliveries (workspace_id, source_id, id, received_at, status, signals, verdicts, body)
   VALUES ($1, $2, $3, statement_timestamp(),
     CASE WHEN $4::text IS NULL OR EXISTS (SELECT FROM named) THEN 'waiting' ELSE 'duplicate' END, $5, $6, $7)
   RETURNING status = 'duplicate' AS "isDuplicate"`
)

export const oneByOne = (sql: Sql): Ledger => ({
  find: async (token) => (await sql.query<SourceRow>(find, [token]))[0],
  keep: async ({ body, id, known, name, signals, source, workspace }) => {
    const values = [workspace, source, id, name, JSON.stringify(signals), JSON.stringify(known), body]
    const [kept] = await sql.query<{ readonly isDuplicate: boolean }>(keep, values)
    return kept ?? { isDuplicate: false }
  }
})

const findAll = statement("find_sources", `${source} = ANY ($1)`)

const keepAll = statement(
  "keep_deliveries",
  `WITH given AS MATERIALIZED (
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
   )
   INSERT INTO deliveries (workspace_id, source_id, id, received_at, status, signals, verdicts, body)
   SELECT g.workspace, g.source, g.id, statement_timestamp(),
     CASE WHEN g.name IS NULL OR g.id IN (SELECT delivery_id FROM named) THEN 'waiting' ELSE 'duplicate' END,
     g.signals, g.known, g.body
   FROM given g ORDER BY g.ordinality
   RETURNING id, status = 'duplicate' AS "isDuplicate"`
)

/** Sources of several posts in one read, their deliveries in one commit. */
export const together = (sql: Sql): Ledger => ({
  find: batcher(async (wanted: ReadonlyArray<string>) => {
    const rows = await sql.query<SourceRow>(findAll, [[...new Set(wanted)]])
    const found = new Map(rows.map((row) => [row.token, row]))
    return wanted.map((token) => found.get(token))
  }),
  keep: batcher(async (deliveries: ReadonlyArray<Delivery>) => {
    const rows = await sql.query<{ readonly id: string; readonly isDuplicate: boolean }>(keepAll, [
      JSON.stringify(deliveries)
    ])
    const kept = new Map(rows.map((row) => [row.id, row]))
    return deliveries.map(({ id }) => kept.get(id) ?? { isDuplicate: false })
  })
})
