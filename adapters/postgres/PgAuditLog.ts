import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import type { AuditEntry } from "../../domain/Audit.ts"
import { format } from "../../domain/Timestamp.ts"
import { append, verify } from "./AuditRows.ts"
import { now } from "./Clock.ts"
import { page } from "./Pages.ts"
import * as Records from "./Records.ts"
import { orDie, transaction } from "./Statements.ts"

export const layer = Layer.effect(
  AuditLog,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const entries = page<AuditEntry>(sql, {
      from: "audit_entries e",
      alias: "e",
      json: Records.object(Records.auditEntry),
      ofDeletedTeams: true
    })
    return AuditLog.of({
      page: (workspace, { actor, event, from, run, team, to }, request) =>
        entries(
          workspace,
          team,
          [
            ...(actor === null ? [] : [sql`e.actor_type = ${actor}`]),
            ...(event === null ? [] : [sql`e.event = ${event}`]),
            ...(run === null ? [] : [sql`e.run_key = ${run}`]),
            ...(from === null ? [] : [sql`e."timestamp" >= ${format(from)}::timestamptz`]),
            ...(to === null ? [] : [sql`e."timestamp" <= ${format(to)}::timestamptz`])
          ],
          request
        ),
      append: (workspace, { audit }) =>
        Effect.flatMap(now, (at) => append(workspace, at, audit)).pipe(
          transaction,
          Effect.provideService(SqlClient.SqlClient, sql)
        ),
      verify: (workspace) => orDie(Effect.provideService(verify(workspace), SqlClient.SqlClient, sql))
    })
  })
)
