import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import type { AuditEntry } from "../../domain/Audit.ts"
import { format } from "../../domain/Timestamp.ts"
import type { WorkspaceId } from "../../domain/Workspace.ts"
import { append, verify } from "./AuditRows.ts"
import { now } from "./Clock.ts"
import { page } from "./Pages.ts"
import * as Records from "./Records.ts"
import { transaction } from "./Statements.ts"

export const layer = Layer.effect(
  AuditLog,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const entries = page<AuditEntry>(sql, {
      from: "audit_entries e",
      alias: "e",
      json: Records.object(Records.auditEntry),
      ofDeletedTeams: true
    })
    // Times never go back along the chain: as bounds of seq they suit every index, and a page far back costs no more.
    const first = (workspace: WorkspaceId, from: string) => sql`
      SELECT b.seq FROM audit_entries b WHERE b.workspace_id = ${workspace} AND b."timestamp" >= ${from}::timestamptz
      ORDER BY b."timestamp", b.seq LIMIT 1`
    const last = (workspace: WorkspaceId, to: string) => sql`
      SELECT b.seq FROM audit_entries b WHERE b.workspace_id = ${workspace} AND b."timestamp" <= ${to}::timestamptz
      ORDER BY b."timestamp" DESC, b.seq DESC LIMIT 1`
    return AuditLog.of({
      page: (workspace, { actor, event, from, run, team, to }, request) =>
        entries(
          workspace,
          team,
          [
            ...(actor === null ? [] : [sql`e.actor_type = ${actor}`]),
            ...(event === null ? [] : [sql`e.event = ${event}`]),
            ...(run === null ? [] : [sql`e.run_key = ${run}`]),
            ...(from === null ? [] : [sql`e.seq >= (${first(workspace, format(from))})`]),
            ...(to === null ? [] : [sql`e.seq <= (${last(workspace, format(to))})`])
          ],
          request
        ),
      append: (workspace, { audit }) =>
        Effect.flatMap(now, (at) => append(workspace, at, audit)).pipe(
          transaction,
          Effect.provideService(SqlClient.SqlClient, sql)
        ),
      verify: (workspace) => transaction(verify(workspace)).pipe(Effect.provideService(SqlClient.SqlClient, sql))
    })
  })
)
