import { SqlClient } from "@effect/sql"
import { type DateTime, Effect, Schema } from "effect"
import { AuditEntry, type Fact } from "../../domain/Audit.ts"
import { link, origin, type Verdict } from "../../domain/AuditChain.ts"
import type { WorkspaceId } from "../../domain/Workspace.ts"
import * as Records from "./Records.ts"

const { details: _, ...told } = AuditEntry.fields
const Row = Schema.Struct({ ...told, seq: Schema.BigInt, details: Schema.String, hash: Schema.NullOr(Schema.String) })
const decode = Schema.decodeUnknownSync(Schema.Array(Row))
const encode = Schema.encodeSync(Row)

const chunk = 1000

/** The entries after `seq`, oldest first, as they are stored. */
const after = `
  SELECT ${Records.auditEntry.replace(/e\.details$/, "e.details::text AS details")}, e.seq::text AS seq, e.hash
  FROM audit_entries e WHERE e.workspace_id = $1 AND e.seq > $2 ORDER BY e.seq LIMIT ${chunk}`

/** Walks a workspace's entries in order, each with the hash it should have, as far as `holds` says. */
const walk = Effect.fnUntraced(function* (workspace: string, holds: (row: typeof Row.Type, hash: string) => boolean) {
  const sql = yield* SqlClient.SqlClient
  let previous = origin
  let last = 0n
  for (;;) {
    const rows = decode(yield* sql.unsafe(after, [workspace, last.toString()]))
    for (const row of rows) {
      const hash = yield* link(previous, row)
      if (row.seq !== last + 1n || !holds(row, hash)) return { last, previous }
      previous = hash
      last = row.seq
    }
    if (rows.length < chunk) return { last, previous }
  }
})

/** Appends facts inside the caller's transaction. The head is locked first, so numbers have no gaps and no forks. */
export const append = Effect.fn("Postgres.append")(function* (
  workspace: WorkspaceId,
  now: DateTime.Utc,
  facts: ReadonlyArray<Fact>
) {
  const sql = yield* SqlClient.SqlClient
  const [head] = yield* sql<{ readonly seq: string; readonly hash: string }>`
    SELECT seq, hash FROM audit_heads WHERE workspace_id = ${workspace} FOR UPDATE`
  let seq = BigInt(head?.seq ?? 0)
  let hash = head?.hash ?? origin
  const rows: Array<typeof Row.Encoded> = []
  for (const fact of facts) {
    const details = JSON.stringify(fact.details)
    const stored = { ...fact, id: crypto.randomUUID(), timestamp: now, seq: ++seq, details }
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
    UPDATE audit_heads SET seq = ${seq.toString()}, hash = ${hash} WHERE workspace_id = ${workspace}`
})

/** Hashes entries that were written before there was a chain. */
export const relink = Effect.fn("Postgres.relink")(function* (workspace: string) {
  const sql = yield* SqlClient.SqlClient
  const links: Array<{ readonly seq: string; readonly hash: string }> = []
  const { previous } = yield* walk(workspace, (row, hash) => {
    links.push({ seq: row.seq.toString(), hash })
    return true
  })
  yield* sql`
    UPDATE audit_entries e SET hash = l.hash
    FROM json_to_recordset(${JSON.stringify(links)}::json) AS l(seq bigint, hash text)
    WHERE e.workspace_id = ${workspace} AND e.seq = l.seq`
  yield* sql`UPDATE audit_heads SET hash = ${previous} WHERE workspace_id = ${workspace}`
})

/** Compares every entry with the hash it should have, and the last one with the head. */
export const verify = Effect.fn("Postgres.verify")(function* (workspace: WorkspaceId) {
  const sql = yield* SqlClient.SqlClient
  const { last, previous } = yield* walk(workspace, (row, hash) => row.hash === hash)
  const [head] = yield* sql<{ readonly seq: string; readonly hash: string }>`
    SELECT seq, hash FROM audit_heads WHERE workspace_id = ${workspace}`
  const isWhole = head === undefined || (head.seq === last.toString() && head.hash === previous)
  return { entries: Number(last), firstBad: isWhole ? null : last + 1n } satisfies Verdict
})
