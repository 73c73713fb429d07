import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { type Counts, Inbox, mostCounted } from "../../../application/ports/Inbox.ts"
import * as Json from "../../../application/ports/Json.ts"
import type { Notification } from "../../../domain/oncall/InboxEntry.ts"
import { atLeast, Role } from "../../../domain/workspace/Member.ts"
import * as IncidentRows from "../rows/IncidentRows.ts"
import * as Table from "../rows/Table.ts"
import { orDie } from "../connection/Transactions.ts"

const counted = (from: string) => `(SELECT count(*)::int FROM (SELECT FROM ${from} LIMIT ${mostCounted}) x)`

const count = `
  SELECT ${counted(`decisions d WHERE d.workspace_id = $1 AND d.status = 'pending' AND d.authority = ANY ($3::text[])
      AND ${Table.held("d")}`)} AS decisions,
    ${counted("incidents i WHERE i.workspace_id = $1 AND i.status = 'open'")} AS incidents,
    ${counted("notifications n WHERE n.workspace_id = $1 AND n.member = $2 AND n.read_at IS NULL")} AS unread`

const none: Counts = { decisions: 0, incidents: 0, unread: 0 }

export const layer = Layer.effect(
  Inbox,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Inbox.of({
      list: (workspace, member) =>
        Effect.map(
          orDie(sql<{ readonly json: string }>`
            SELECT ${sql.literal(Table.object(IncidentRows.notification))} AS json FROM notifications n
            WHERE n.workspace_id = ${workspace} AND n.member = ${member} ORDER BY n.seq DESC`),
          (rows) => rows.map(({ json }) => Json.trust<Notification>(json))
        ),
      counts: (workspace, { id, role }) =>
        Effect.map(
          orDie(
            sql.unsafe<Counts>(count, [workspace, id, Role.literals.filter((authority) => atLeast(role, authority))])
          ),
          ([counts]) => counts ?? none
        ),
      read: (workspace, member, id) =>
        Effect.map(
          orDie(sql`
            UPDATE notifications SET read_at = statement_timestamp()
            WHERE workspace_id = ${workspace} AND member = ${member} AND read_at IS NULL
              AND (${id}::uuid IS NULL OR id = ${id}::uuid) RETURNING id`),
          (rows) => rows.length
        ),
      purge: (days) =>
        orDie(sql`DELETE FROM notifications WHERE read_at <= statement_timestamp() - ${days} * interval '1 day'`)
    })
  )
)
