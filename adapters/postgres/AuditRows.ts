import * as SqlClient from "@effect/sql/SqlClient"
import { type DateTime, Effect, Option, Schema } from "effect"
import { AuditEntry, type Fact } from "../../domain/Audit.ts"
import { link, origin, type Verdict } from "../../domain/AuditChain.ts"
import { format, Timestamp } from "../../domain/Timestamp.ts"
import type { WorkspaceId } from "../../domain/Workspace.ts"
import * as Records from "./Records.ts"

const { details: _, ...told } = AuditEntry.fields
const Row = Schema.Struct({ ...told, seq: Schema.BigInt, details: Schema.String, hash: Schema.String })
const decode = Schema.decodeUnknownOption(Row)
const encode = Schema.encodeSync(Row)
const decodeTimestamp = Schema.decodeSync(Timestamp)

interface Head {
  readonly seq: string
  readonly hash: string
}

const chunk = 1000

/** The entries after `seq`, oldest first, as they are stored. */
const after = `
  SELECT ${Records.auditEntryTold}, e.details::text AS details, e.seq::text AS seq, e.hash
  FROM audit_entries e WHERE e.workspace_id = $1 AND e.seq > $2 ORDER BY e.seq LIMIT ${chunk}`

/** Appends facts inside the caller's transaction. The head is locked first, so numbers have no gaps and no forks. */
export const append = Effect.fn("Postgres.append")(function* (
  workspace: WorkspaceId,
  now: DateTime.Utc,
  facts: ReadonlyArray<Fact>
) {
  const sql = yield* SqlClient.SqlClient
  const [head] = yield* sql<Head & { readonly at: string }>`
    SELECT seq, hash, iso8601(greatest("timestamp", ${format(now)}::timestamptz)) AS at
    FROM audit_heads WHERE workspace_id = ${workspace} FOR UPDATE`
  // Who decided first may append last; times never go back along the chain, so that bounds of time are bounds of seq.
  const timestamp = head === undefined ? now : decodeTimestamp(head.at)
  let seq = BigInt(head?.seq ?? 0)
  let hash = head?.hash ?? origin
  const rows: Array<typeof Row.Encoded> = []
  for (const fact of facts) {
    const details = JSON.stringify(fact.details)
    const stored = { ...fact, id: crypto.randomUUID(), timestamp, seq: ++seq, details }
    hash = yield* link(hash, stored)
    rows.push(encode({ ...stored, hash }))
  }
  yield* sql`
    WITH appended AS (
      INSERT INTO audit_entries (workspace_id, seq, id, "timestamp", actor_type, actor_name, actor_user_id, team, run_key,
        event, result, entity_type, entity_id, entity_name, details, hash)
      SELECT ${workspace}, r.seq, r.id, r."timestamp", r.actor->>'type', r.actor->>'name', r.actor->>'userId', r.team,
        r."runKey", r.event, r.result, r.entity->>'type', r.entity->>'id', r.entity->>'name', r.details::json, r.hash
      FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r(seq bigint, id uuid, "timestamp" timestamptz, actor json,
        team text, "runKey" text, event text, result text, entity json, details text, hash text)
    )
    UPDATE audit_heads SET seq = ${seq.toString()}, hash = ${hash}, "timestamp" = ${format(timestamp)}::timestamptz
    WHERE workspace_id = ${workspace}`
})

/**
 * Walks the chain as far as each entry has the hash it should have; the last one must be the head's. Opens the caller's
 * transaction: of one snapshot, so that entries which are written meanwhile do not come between the last and the head.
 */
export const verify = Effect.fn("Postgres.verify")(function* (workspace: WorkspaceId) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`
  let seq = 0n
  let hash = origin
  const verdict = (isWhole: boolean): Verdict => ({ entries: Number(seq), firstBad: isWhole ? null : seq + 1n })
  for (;;) {
    const rows = yield* sql.unsafe(after, [workspace, seq.toString()])
    for (const stored of rows) {
      // What cannot even be read as an entry does not hold.
      const row = Option.getOrUndefined(decode(stored))
      if (row?.seq !== seq + 1n || row.hash !== (yield* link(hash, row))) return verdict(false)
      seq = row.seq
      hash = row.hash
    }
    if (rows.length < chunk) break
  }
  const [head] = yield* sql<Head>`SELECT seq, hash FROM audit_heads WHERE workspace_id = ${workspace}`
  return verdict(head?.seq === seq.toString() && head.hash === hash)
})
