import type * as SqlClient from "@effect/sql/SqlClient"
import { Array, Effect, Either, type Runtime } from "effect"
import { keptRefusals, noticeMinutes, type Refusal } from "../../../domain/oncall/RefusedDelivery.ts"
import type { SourceId } from "../../../domain/oncall/SignalSource.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import * as Batcher from "../connection/Batcher.ts"
import * as Table from "../rows/Table.ts"
import { orDie } from "../connection/Transactions.ts"

/** From `refused_deliveries d`. */
const refusedDelivery = `${Table.at("d.received_at", "receivedAt")}, d.status, d.code, d.message, d.body`

/** Per source and batch: a flood is counted, and only its newest refusals are kept. */
const mostEntries = 10

/** Slots are reused in turns, so that the last refusals are kept without a DELETE. */
const refused = `
  WITH given AS (
    SELECT * FROM json_to_recordset($1::json)
      AS g(workspace uuid, source uuid, count bigint, last text, notice uuid, subject text, text text)
  ), counted AS (
    INSERT INTO source_refusals AS r (workspace_id, source_id, count, last_at, last, noticed_at, notice)
    SELECT g.workspace, g.source, g.count, statement_timestamp(), g.last, statement_timestamp(), g.notice
    FROM given g ORDER BY g.workspace, g.source
    ON CONFLICT (workspace_id, source_id) DO UPDATE SET
      count = r.count + excluded.count, last_at = excluded.last_at, last = excluded.last,
      noticed_at = CASE WHEN r.noticed_at > excluded.noticed_at - interval '${noticeMinutes} minutes'
        THEN r.noticed_at ELSE excluded.noticed_at END,
      notice = CASE WHEN r.noticed_at > excluded.noticed_at - interval '${noticeMinutes} minutes'
        THEN r.notice ELSE excluded.notice END
    RETURNING r.workspace_id, r.source_id, r.count, r.notice
  ), kept AS (
    INSERT INTO refused_deliveries AS d
      (workspace_id, source_id, slot, seq, received_at, status, code, message, body)
    SELECT c.workspace_id, c.source_id, (c.count - e.later) % ${keptRefusals}, c.count - e.later, statement_timestamp(),
      e.status, e.code, e.message, e.body
    FROM json_to_recordset($2::json)
      AS e(workspace uuid, source uuid, later int, status int, code text, message text, body text)
    JOIN counted c ON c.workspace_id = e.workspace AND c.source_id = e.source
    ON CONFLICT (workspace_id, source_id, slot) DO UPDATE SET seq = excluded.seq, received_at = excluded.received_at,
      status = excluded.status, code = excluded.code, message = excluded.message, body = excluded.body
    RETURNING 1
  ), noticed AS (
    INSERT INTO notifications (workspace_id, id, member, event, subject, text, created_at)
    SELECT m.workspace_id, gen_random_uuid(), m.id, 'delivery_refused', g.subject, g.text, statement_timestamp()
    FROM counted c JOIN given g ON g.notice = c.notice
    JOIN members m ON m.workspace_id = c.workspace_id AND m.removed_at IS NULL AND m.role IN ('owner', 'admin')
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM kept) + (SELECT count(*) FROM noticed) AS written`

export const ledger = {
  json: Table.object(refusedDelivery),
  from: "refused_deliveries d",
  alias: "d",
  ofDeletedTeams: true,
  filters: { source: "d.source_id = q.source::uuid" }
}

interface Refused {
  readonly workspace: WorkspaceId
  readonly source: SourceId
  readonly refusal: Refusal
  readonly notice: { readonly subject: string; readonly text: string }
}

/** One row with the count of each source, and its newest refusals with the number that followed each. */
const folded = (refusals: ReadonlyArray<Refused>) => {
  const bySource = Array.groupBy(refusals, ({ source, workspace }) => `${workspace} ${source}`)
  return Object.values(bySource).map((own) => {
    const { notice, refusal, source, workspace } = Array.lastNonEmpty(own)
    const entries = own.slice(-mostEntries)
    return {
      given: { workspace, source, count: own.length, last: refusal.message, notice: crypto.randomUUID(), ...notice },
      entries: entries.map((one, at) => ({ workspace, source, later: entries.length - 1 - at, ...one.refusal }))
    }
  })
}

/** Stores refusals in batches, so that a flood of posts is no flood of writes. */
export const refusing = (
  sql: SqlClient.SqlClient,
  runtime: Runtime.Runtime<never>,
  patience: number
): ((refused: Refused) => Effect.Effect<void>) =>
  Batcher.make(
    runtime,
    (refusals: ReadonlyArray<Refused>) => {
      const rows = folded(refusals)
      const parameters = [rows.map(({ given }) => given), rows.flatMap(({ entries }) => entries)]
      return Effect.as(
        orDie(
          sql.unsafe(
            refused,
            parameters.map((part) => JSON.stringify(part))
          )
        ),
        refusals.map(() => Either.void)
      )
    },
    { most: 1000, slots: 1, queue: 5000, patience }
  )
