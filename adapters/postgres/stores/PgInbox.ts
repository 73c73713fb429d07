import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Schema } from "effect"
import { type Counts, Inbox, mostCounted, mostTeams } from "../../../application/ports/Inbox.ts"
import type { Notification } from "../../../domain/oncall/InboxEntry.ts"
import { MailKind } from "../../../domain/oncall/MailPreference.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import { atLeast, Email, MemberId, Role } from "../../../domain/workspace/Member.ts"
import { noticeDays } from "../../../domain/workspace/TokenExpiry.ts"
import { WorkspaceId, WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import { page } from "../reads/PageReads.ts"
import * as IncidentRows from "../rows/IncidentRows.ts"
import * as Table from "../rows/Table.ts"
import { orDie, transaction } from "../connection/Transactions.ts"

const Off = Schema.Struct({ off: Schema.Array(MailKind) })
const decodeOff = Schema.decodeUnknownSync(Schema.Array(Off))

const Expiring = Schema.Struct({
  token: Schema.Struct({ name: Schema.String, prefix: Schema.String, expiresAt: Timestamp }),
  member: Schema.Struct({ id: MemberId, email: Email }),
  workspace: Schema.Struct({ id: WorkspaceId, slug: WorkspaceSlug }),
  days: Schema.Number,
  isMailed: Schema.Boolean
})
const decodeExpiring = Schema.decodeUnknownSync(Schema.Array(Expiring))

const [first, last] = noticeDays

/** Marks tokens whose next notice is due, as the rule in TokenExpiry.ts; a notice that another instance gives is left out. */
const expiring = `
  WITH due AS (
    SELECT k.workspace_id, k.id,
      CASE WHEN k.expires_at <= statement_timestamp() + interval '${last} days' THEN ${last} ELSE ${first} END AS days
    FROM api_tokens k
    WHERE k.revoked_at IS NULL AND k.expires_at > statement_timestamp()
      AND k.expires_at <= statement_timestamp() + interval '${first} days'
      AND (k.expiry_notice IS NULL
        OR k.expiry_notice > ${last} AND k.expires_at <= statement_timestamp() + interval '${last} days')
    ORDER BY k.workspace_id, k.id LIMIT 500 FOR NO KEY UPDATE SKIP LOCKED
  )
  UPDATE api_tokens k SET expiry_notice = d.days
  FROM due d, members m, workspaces w
  WHERE (k.workspace_id, k.id) = (d.workspace_id, d.id)
    AND (m.workspace_id, m.id) = (k.workspace_id, k.member_id) AND m.removed_at IS NULL
    AND (w.id, w.deleted_at IS NULL) = (k.workspace_id, true)
  RETURNING json_build_object('name', k.name, 'prefix', k.prefix, 'expiresAt', iso8601(k.expires_at)) AS token,
    json_build_object('id', m.id, 'email', m.email) AS member,
    json_build_object('id', w.id, 'slug', w.slug) AS workspace,
    d.days, NOT 'token_expires' = ANY (m.mail_off) AS "isMailed"`

const counted = (from: string) => `(SELECT count(*)::int FROM (SELECT FROM ${from} LIMIT ${mostCounted}) x)`

const pending = (authorities: string) =>
  counted(`decisions d WHERE d.workspace_id = $1 AND d.status = 'pending' AND d.authority = ANY (${authorities}::text[])
      AND ${Table.held("d")}`)

const teams = `teams t WHERE t.workspace_id = $1 AND t.deleted_at IS NULL
  ORDER BY lower(t.name COLLATE "C") COLLATE "C", t.slug COLLATE "C" LIMIT ${mostTeams}`

const count = `
  SELECT ${pending("$3")} AS decisions, ${pending("$4")} AS others,
    ${counted("incidents i WHERE i.workspace_id = $1 AND i.status = 'open'")} AS incidents,
    ${counted("notifications n WHERE n.workspace_id = $1 AND n.member = $2 AND n.read_at IS NULL")} AS unread,
    ${Table.array("t.slug, t.name, t.paused_at IS NOT NULL AS paused", teams)} AS teams`

const none: Counts = { decisions: 0, others: 0, incidents: 0, unread: 0, teams: [] }

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
      counts: (workspace, { id, role }) =>
        Effect.map(
          orDie(
            sql.unsafe<Counts>(count, [
              workspace,
              id,
              Role.literals.filter((authority) => atLeast(role, authority)),
              Role.literals.filter((authority) => !atLeast(role, authority))
            ])
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
      mailOff: (workspace, member) =>
        Effect.map(
          orDie(sql`SELECT mail_off AS off FROM members WHERE workspace_id = ${workspace} AND id = ${member}`),
          (rows) => decodeOff(rows)[0]?.off ?? []
        ),
      setMail: (workspace, member, kind, isMailed) =>
        orDie(sql`
          UPDATE members SET mail_off = array_remove(mail_off, ${kind}) || CASE WHEN ${isMailed} THEN '{}'::text[]
            ELSE ARRAY[${kind}] END
          WHERE workspace_id = ${workspace} AND id = ${member}`),
      noticeExpiring: (noticeOf) =>
        Effect.gen(function* () {
          const due = decodeExpiring(yield* sql.unsafe(expiring))
          const rows = due.map((one) => {
            const { subject, text } = noticeOf(one)
            return { workspace: one.workspace.id, member: one.member.id, subject, text }
          })
          if (rows.length > 0)
            yield* sql`
              INSERT INTO notifications (workspace_id, id, member, event, subject, text, created_at)
              SELECT n.workspace, gen_random_uuid(), n.member, 'token_expires', n.subject, n.text, statement_timestamp()
              FROM json_to_recordset(${JSON.stringify(rows)}::json)
                AS n(workspace uuid, member uuid, subject text, text text)`
          return due
        }).pipe(transaction, Effect.provideService(SqlClient.SqlClient, sql)),
      purge: (days) =>
        orDie(sql`DELETE FROM notifications WHERE read_at <= statement_timestamp() - ${days} * interval '1 day'`)
    })
  })
)
