import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { Inbox } from "../../../application/ports/Inbox.ts"
import type { Notification } from "../../../domain/oncall/InboxEntry.ts"
import { page } from "../reads/PageReads.ts"
import * as IncidentRows from "../rows/IncidentRows.ts"
import * as Table from "../rows/Table.ts"
import { orDie } from "../connection/Transactions.ts"

export const layer = Layer.effect(
  Inbox,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ofMember = page<Notification>(sql, yield* Effect.runtime(), {
      from: "notifications n",
      alias: "n",
      json: Table.object(IncidentRows.notification),
      ofDeletedTeams: true,
      filters: { member: "n.member = q.member::uuid" }
    })
    return Inbox.of({
      // Without a team filter no team can be missing.
      page: (workspace, member, request) => Effect.orDie(ofMember(workspace, null, { member }, request)),
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
  })
)
