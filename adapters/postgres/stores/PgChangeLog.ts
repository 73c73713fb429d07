import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Option, Schema, Stream } from "effect"
import { ChangeLog, type NumberedEntry, type Positions, type Sign } from "../../../application/ports/ChangeLog.ts"
import { AuditEntry } from "../../../domain/workspace/Audit.ts"
import { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { channels, Notifications } from "../connection/Notifications.ts"
import { orDie } from "../connection/Transactions.ts"
import { auditEntry } from "../rows/AuditRows.ts"
import * as Table from "../rows/Table.ts"

const since = `
  SELECT p.workspace, e.seq::text AS seq, ${Table.object(auditEntry)} AS entry
  FROM unnest($1::uuid[], $2::bigint[]) AS p(workspace, seq) CROSS JOIN LATERAL (
    SELECT * FROM audit_entries x WHERE x.workspace_id = p.workspace AND x.seq > p.seq ORDER BY x.seq LIMIT $3) e
  ORDER BY e.seq`

const decode = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ workspace: WorkspaceId, seq: Schema.BigInt, entry: Schema.String }))
)
const decodeEntry = Schema.decodeOption(Schema.parseJson(AuditEntry))

const decodeHeads = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ workspace: WorkspaceId, seq: Schema.BigInt }))
)

const Topic = Schema.Literal("audit", "job", "inbox", "log")
const decodeSign = Schema.decodeUnknownOption(Schema.Tuple(WorkspaceId, Topic, Schema.String))

const signOf = (payload: string): Sign | null =>
  Option.match(decodeSign(payload.split(" ")), {
    onNone: () => null,
    onSome: ([workspace, topic, id]) => ({ workspace, topic, id })
  })

export const layer = Layer.effect(
  ChangeLog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const notifications = yield* Notifications
    return ChangeLog.of({
      heads: (workspaces) =>
        Effect.map(
          orDie(sql`
            SELECT workspace_id AS workspace, seq::text AS seq FROM audit_heads
            WHERE workspace_id = ANY (${workspaces}::uuid[])`),
          (rows): Positions => new Map(decodeHeads(rows).map(({ seq, workspace }) => [workspace, seq]))
        ),
      since: (positions, limit) =>
        Effect.map(
          orDie(sql.unsafe(since, [[...positions.keys()], [...positions.values()].map(String), limit])),
          (rows) => {
            const found = new Map<WorkspaceId, Array<NumberedEntry>>()
            for (const { entry, seq, workspace } of decode(rows)) {
              const entries = found.get(workspace) ?? []
              found.set(workspace, entries)
              entries.push({ seq, entry: Option.getOrNull(decodeEntry(entry)) })
            }
            return found
          }
        ),
      // Ordered, so that two instances that watch the same workspaces do not deadlock.
      watch: (workspaces) =>
        orDie(sql`
          INSERT INTO followed_workspaces (workspace_id, until)
          SELECT w, statement_timestamp() + interval '1 minute' FROM unnest(${workspaces}::uuid[]) w ORDER BY w
          ON CONFLICT (workspace_id) DO UPDATE SET until = excluded.until`),
      signs: Stream.map(notifications.on(channels.feed), signOf)
    })
  })
)
