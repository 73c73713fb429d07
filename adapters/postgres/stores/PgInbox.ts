import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { Inbox } from "../../../application/ports/Inbox.ts"
import * as Json from "../../../application/ports/Json.ts"
import type { Notification } from "../../../domain/oncall/InboxEntry.ts"
import * as IncidentRows from "../rows/IncidentRows.ts"
import * as Table from "../rows/Table.ts"
import { orDie } from "../connection/Transactions.ts"

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
