import type * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"
import type { DecisionStore } from "../../../application/ports/DecisionStore.ts"
import * as Json from "../../../application/ports/Json.ts"
import { cut } from "../../../application/ports/Page.ts"
import type { DecisionView } from "../../../domain/work/Decision.ts"
import { orDie } from "../connection/Transactions.ts"
import { decisionView } from "../rows/DecisionRows.ts"
import * as Table from "../rows/Table.ts"

const deadline = "coalesce(d.expires_at, 'infinity'::timestamptz)"

/** Teams that are not deleted; $2 names one, or all. */
const teams =
  "(SELECT t.slug FROM teams t WHERE t.workspace_id = $1 AND t.deleted_at IS NULL AND ($2::text IS NULL OR t.slug = $2)) t"

/** Selects the rows of a page, each of whose parts is read in the order of an index, and only then builds their JSON. */
const shown = (rows: string, order: string) => `
  SELECT p.seq::text AS seq, ${Table.object(decisionView)} AS json FROM (${rows}) p
  JOIN decisions d ON d.workspace_id = $1 AND d.key = p.key ORDER BY ${order}`

const queue = shown(
  `SELECT q.* FROM ${teams}, unnest($3::text[]) a(authority), LATERAL (
      SELECT d.key, d.seq, ${deadline} AS deadline FROM decisions d
      WHERE d.workspace_id = $1 AND d.team = t.slug AND d.status = 'pending' AND d.authority = a.authority
        AND (${deadline}, d.seq) > (
          coalesce((SELECT ${deadline} FROM decisions d WHERE (d.workspace_id, d.seq) = ($1::uuid, $4)), '-infinity'),
          coalesce($4::bigint, 0))
      ORDER BY ${deadline}, d.seq LIMIT $5) q
    ORDER BY q.deadline, q.seq LIMIT $5`,
  "p.deadline, p.seq"
)

const unanswered = shown(
  `SELECT q.* FROM ${teams}, unnest(ARRAY['expired', 'cancelled', 'superseded']) s(status), LATERAL (
      SELECT d.key, d.seq FROM decisions d
      WHERE d.workspace_id = $1 AND d.team = t.slug AND d.status = s.status AND ($3::bigint IS NULL OR d.seq < $3)
      ORDER BY d.seq DESC LIMIT $4) q
    ORDER BY q.seq DESC LIMIT $4`,
  "p.seq DESC"
)

interface Row {
  readonly seq: string
  readonly json: string
}

/** Lists of decisions that only people see. */
export const make = (sql: SqlClient.SqlClient): Pick<typeof DecisionStore.Service, "queue" | "unanswered"> => {
  const read = (statement: string, parameters: ReadonlyArray<unknown>, limit: number) =>
    Effect.map(orDie(sql.unsafe<Row>(statement, parameters)), (rows) =>
      cut(
        rows.map(({ json, seq }) => ({ seq: BigInt(seq), json: Json.trust<DecisionView>(json) })),
        limit
      )
    )
  return {
    queue: (workspace, { authorities, team }, { before, limit }) =>
      read(queue, [workspace, team, authorities, before?.toString() ?? null, limit + 1], limit),
    unanswered: (workspace, team, { before, limit }) =>
      read(unanswered, [workspace, team, before?.toString() ?? null, limit + 1], limit)
  }
}
