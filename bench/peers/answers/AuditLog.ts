import { randomUUID } from "node:crypto"
import type { Caller } from "../Access.ts"
import { type Sql, statement } from "../Statements.ts"

/** Content of an audit entry; the writer adds id and time. */
export interface Fact {
  readonly actor: { readonly type: string; readonly name: string; readonly userId: string | null }
  readonly team: string | null
  readonly runKey: string | null
  readonly event: string
  readonly result: "success" | "denied"
  readonly entity: { readonly type: string; readonly id: string; readonly name: string }
  readonly details: object
}

type Told = Pick<Fact, "event" | "entity"> & Partial<Omit<Fact, "details">>

export const byService = (told: Told, details: object): Fact => ({
  actor: { type: "service", name: "gatehouse", userId: null },
  team: null,
  runKey: null,
  result: "success",
  ...told,
  details: { v: 1, requestId: null, ...details }
})

export const byCaller = ({ member_id, name }: Caller, requestId: string, told: Told, details: object): Fact => ({
  actor: { type: "human", name, userId: member_id },
  team: null,
  runKey: null,
  result: "success",
  ...told,
  details: { v: 1, requestId, channel: "api", ...details }
})

/** A denial for lack of a role, to be recorded. */
export const denial = (caller: Caller, requestId: string, operation: string): Fact =>
  byCaller(
    caller,
    requestId,
    {
      event: "access_denied",
      result: "denied",
      entity: { type: "workspace", id: caller.workspace_id, name: caller.slug }
    },
    { operation }
  )

const lockHead = statement("lock_audit_head", "SELECT seq FROM audit_heads WHERE workspace_id = $1 FOR UPDATE")

/** A plain log: times never decrease, but no entry has the hash of the previous one, which costs the real one. */
const insert = statement(
  "append_audit",
  `WITH head AS (
     UPDATE audit_heads SET seq = seq + json_array_length($2::json), "timestamp" = greatest("timestamp", $3::timestamptz)
     WHERE workspace_id = $1 RETURNING "timestamp"
   )
   INSERT INTO audit_entries (workspace_id, seq, id, "timestamp", actor_type, actor_name, actor_user_id, team, run_key,
     event, result, entity_type, entity_id, entity_name, details, hash)
   SELECT $1, r.seq, r.id, head."timestamp", r.actor->>'type', r.actor->>'name', r.actor->>'userId', r.team, r."runKey",
     r.event, r.result, r.entity->>'type', r.entity->>'id', r.entity->>'name', r.details, repeat('0', 64)
   FROM head, json_to_recordset($2::json) AS r(seq bigint, id uuid, actor json, team text, "runKey" text, event text,
     result text, entity json, details json)`
)

/** Appends inside the caller's transaction. Locks the head first, so that numbers have no gaps. */
export const append = async (sql: Sql, workspace: string, now: Date, facts: ReadonlyArray<Fact>) => {
  const [head] = await sql.query<{ readonly seq: string }>(lockHead, [workspace])
  const last = Number(head?.seq ?? 0)
  const rows = facts.map((fact, index) => ({ seq: last + index + 1, id: randomUUID(), ...fact }))
  await sql.query(insert, [workspace, JSON.stringify(rows), now])
}
