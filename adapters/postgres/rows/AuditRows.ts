import * as SqlClient from "@effect/sql/SqlClient"
import { type DateTime, Effect, Option, Schema } from "effect"
import { marked, Origin } from "../../../application/workspace/RequestOrigin.ts"
import { type Fact, RecordedEntry } from "../../../domain/workspace/Audit.ts"
import { link, origin, type Verdict } from "../../../domain/workspace/AuditChain.ts"
import { format } from "../../../domain/value/Timestamp.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { at } from "./Table.ts"

/** All fields of an entry except its details. */
const auditEntryFields = `
  e.id, ${at('e."timestamp"', "timestamp")},
  (SELECT row_to_json(v) FROM (
    SELECT e.actor_type AS type, e.actor_name AS name, e.actor_user_id AS "userId") v) AS actor,
  e.team, e.run_key AS "runKey", e.event, e.result,
  (SELECT row_to_json(v) FROM (
    SELECT e.entity_type AS type, e.entity_id AS id, e.entity_name AS name) v) AS entity`

export const auditEntry = `${auditEntryFields}, e.details`

const { details: _, ...stored } = RecordedEntry.fields
const Row = Schema.Struct({ ...stored, seq: Schema.BigInt, details: Schema.String, hash: Schema.String })
const decode = Schema.decodeUnknownOption(Row)

interface Head {
  readonly seq: string
  readonly hash: string
}

const chunk = 1000

/** The entries after `seq`, oldest first, as stored. */
const after = `
  SELECT ${auditEntryFields}, e.details::text AS details, e.seq::text AS seq, e.hash
  FROM audit_entries e WHERE e.workspace_id = $1 AND e.seq > $2 ORDER BY e.seq LIMIT ${chunk}`

/** A field as `link` in the domain encodes it: with its length in bytes before it, or as missing. */
const field = (text: string) => `coalesce(octet_length(${text}) || ':' || (${text}) || ';', '-;')`

const said = [
  "f.actor->>'type'",
  "f.actor->>'name'",
  "f.actor->>'userId'",
  "f.team",
  'f."runKey"',
  "f.event",
  "f.result",
  "f.entity->>'type'",
  "f.entity->>'id'",
  "f.entity->>'name'"
]

const canonical = ["c.hash", "(h.seq + f.place)::text", "f.id", "iso8601(h.at)", ...said, "f.details"]
  .map(field)
  .join(" || ")

/**
 * Appends facts to the log of $1 once `w` is written: parameters are the time and the facts as JSON. The head is locked
 * last, and for one statement, since all other changes in the workspace wait for it; so numbers have no gaps and the
 * chain no forks. The first to decide may append last; times never decrease along the chain, so that bounds of time are
 * bounds of seq.
 */
export const appending = (time: string, facts: string) => `
  facts AS (
    SELECT * FROM ROWS FROM (json_to_recordset(${facts}::json) AS (id text, actor json, team text, "runKey" text,
      event text, result text, entity json, details text)) WITH ORDINALITY
      AS f(id, actor, team, "runKey", event, result, entity, details, place)
  ), head AS (
    SELECT h.seq, h.hash, greatest(h."timestamp", ${time}::timestamptz(3)) AS at
    FROM w CROSS JOIN LATERAL (
      SELECT * FROM audit_heads x WHERE x.workspace_id = $1 AND w.rows >= 0 FOR UPDATE) h
  ), chain AS (
    SELECT 0::bigint AS place, h.hash FROM head h
    UNION ALL
    SELECT f.place, encode(sha256(convert_to(${canonical}, 'UTF8')), 'hex')
    FROM chain c JOIN facts f ON f.place = c.place + 1 CROSS JOIN head h
  ), appended AS (
    INSERT INTO audit_entries (workspace_id, seq, id, "timestamp", actor_type, actor_name, actor_user_id, team, run_key,
      event, result, entity_type, entity_id, entity_name, details, hash)
    SELECT $1, h.seq + f.place, f.id::uuid, h.at, ${said.join(", ")},
      f.details::json, c.hash
    FROM facts f JOIN chain c ON c.place = f.place CROSS JOIN head h
  )
  UPDATE audit_heads x SET seq = h.seq + c.place, hash = c.hash, "timestamp" = h.at
  FROM head h CROSS JOIN LATERAL (SELECT * FROM chain ORDER BY place DESC LIMIT 1) c
  WHERE x.workspace_id = $1`

export const parametersOf = (now: DateTime.Utc, facts: ReadonlyArray<Fact>) =>
  Effect.map(Origin, (origin) => [
    format(now),
    JSON.stringify(
      marked(facts, origin).map((fact) => ({
        ...fact,
        id: crypto.randomUUID(),
        details: JSON.stringify(fact.details)
      }))
    )
  ])

const alone = `WITH RECURSIVE w AS (SELECT 0 AS rows), ${appending("$2", "$3")}`

/** Appends facts without a change, inside the caller's transaction. */
export const append = (workspace: WorkspaceId, now: DateTime.Utc, facts: ReadonlyArray<Fact>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql.unsafe(alone, [workspace, ...(yield* parametersOf(now, facts))])
  })

/**
 * Walks the chain as long as each entry has the expected hash; the last one must be the head's. Opens the caller's
 * transaction as one snapshot, so that entries written meanwhile do not come between the last and the head.
 */
export const verify = Effect.fn("AuditRows.verify")(function* (workspace: WorkspaceId) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`
  let seq = 0n
  let hash = origin
  const verdict = (isWhole: boolean): Verdict => ({ entries: Number(seq), firstBad: isWhole ? null : seq + 1n })
  for (;;) {
    const rows = yield* sql.unsafe(after, [workspace, seq.toString()])
    for (const stored of rows) {
      // A row that cannot be decoded as an entry is invalid.
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
