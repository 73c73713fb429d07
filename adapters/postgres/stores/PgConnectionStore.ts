import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Schema } from "effect"
import { ConnectionStore, deliveryDays } from "../../../application/ports/connection/ConnectionStore.ts"
import { CommitId } from "../../../domain/codehost/PullRequestRecord.ts"
import { Connection } from "../../../domain/connection/Connection.ts"
import { MemberId } from "../../../domain/workspace/Member.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { orDie, transaction } from "../connection/Transactions.ts"
import * as PgWorkContext from "../context/PgWorkContext.ts"
import { conclude } from "../rows/Commit.ts"
import * as ConnectionRows from "../rows/ConnectionRows.ts"
import * as Table from "../rows/Table.ts"

const held = "connections c WHERE c.workspace_id = $1 AND c.removed_at IS NULL"
const byName = `${held} ORDER BY c.name COLLATE "C"`

const lock = "SELECT FROM workspaces w WHERE w.id = $1 FOR NO KEY UPDATE"
const load = `
  SELECT ${PgWorkContext.now}, ${Table.array(ConnectionRows.connection, byName)} AS connections,
    ARRAY(SELECT m.id FROM members m
      WHERE m.workspace_id = $1 AND m.role IN ('admin', 'owner') AND m.removed_at IS NULL ORDER BY m.id) AS admins`

const decodeAt = Schema.decodeUnknownSync(
  Schema.Tuple(Schema.Struct({ now: Timestamp, connections: Schema.Array(Connection), admins: Schema.Array(MemberId) }))
)
const decodeAll = Schema.decodeUnknownSync(Schema.Array(Connection))

const found = `
  SELECT c.workspace_id AS workspace, ${PgWorkContext.one(ConnectionRows.connection, "(SELECT 1) x")} AS connection
  FROM connections c JOIN workspaces w ON w.id = c.workspace_id
  WHERE c.token = $1 AND c.removed_at IS NULL AND w.deleted_at IS NULL`

const owned = { workspace: WorkspaceId, connection: Connection }
const decodeFound = Schema.decodeUnknownSync(Schema.Array(Schema.Struct(owned)))

/** $1 workspace, $2 connection, $3 id of the webhook, $4 whether it is a hint. */
const receive = `
  WITH kept AS (
    INSERT INTO connection_deliveries (workspace_id, connection, name)
    SELECT c.workspace_id, c.id, $3 FROM connections c WHERE c.workspace_id = $1 AND c.id = $2
    ON CONFLICT DO NOTHING RETURNING 1)
  UPDATE connections c SET due_at = CASE WHEN $4 THEN ${Table.moment} ELSE c.due_at END
  WHERE c.workspace_id = $1 AND c.id = $2 AND EXISTS (SELECT FROM kept) RETURNING 1`

const due = `
  UPDATE connections c SET due_at = ${Table.moment} + make_interval(secs => $1)
  FROM (
    SELECT o.workspace_id, o.id FROM connections o JOIN workspaces w ON w.id = o.workspace_id
    WHERE o.removed_at IS NULL AND o.due_at <= statement_timestamp() AND w.deleted_at IS NULL
    ORDER BY o.due_at LIMIT 20 FOR NO KEY UPDATE OF o SKIP LOCKED) o
  WHERE c.workspace_id = o.workspace_id AND c.id = o.id
  RETURNING c.workspace_id AS workspace, ${PgWorkContext.one(ConnectionRows.connection, "(SELECT 1) x")} AS connection,
    c.reported`

const decodeDue = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ ...owned, reported: Schema.Record({ key: Schema.String, value: CommitId }) }))
)

/** $1 workspace, $2 connection, $3 repository, $4 culprit. */
const report = `
  UPDATE connections c SET reported = CASE WHEN $4::text IS NULL THEN c.reported - $3::text
    ELSE c.reported || jsonb_build_object($3::text, $4::text) END
  WHERE c.workspace_id = $1 AND c.id = $2`

export const layer = Layer.effect(
  ConnectionStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    ConnectionStore.of({
      list: (workspace) =>
        Effect.map(orDie(sql.unsafe(`SELECT ${ConnectionRows.connection} FROM ${byName}`, [workspace])), decodeAll),
      change: (workspace, decide) =>
        Effect.gen(function* () {
          yield* sql.unsafe(lock, [workspace])
          const [at] = decodeAt(yield* sql.unsafe(load, [workspace]))
          const { answer, change } = yield* decide(at)
          yield* conclude(workspace, at.now, change)
          return answer
        }).pipe(transaction, Effect.flatten, Effect.provideService(SqlClient.SqlClient, sql)),
      find: (token) => Effect.map(orDie(sql.unsafe(found, [token])), (rows) => decodeFound(rows)[0] ?? null),
      receive: (workspace, id, delivery, isHint) =>
        Effect.map(orDie(sql.unsafe(receive, [workspace, id, delivery, isHint])), (rows) => rows.length > 0),
      due: (pauseSeconds) => Effect.map(orDie(sql.unsafe(due, [pauseSeconds])), decodeDue),
      report: (workspace, id, repository, culprit) =>
        Effect.asVoid(orDie(sql.unsafe(report, [workspace, id, repository, culprit]))),
      purge: Effect.asVoid(
        orDie(
          sql.unsafe(
            `DELETE FROM connection_deliveries d WHERE d.received_at < statement_timestamp() - make_interval(days => ${deliveryDays})`
          )
        )
      )
    })
  )
)
