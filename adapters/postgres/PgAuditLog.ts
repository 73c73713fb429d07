import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import type { AuditEntry } from "../../domain/Audit.ts"
import { page } from "./Pages.ts"
import * as Records from "./Records.ts"

export const layer = Layer.effect(
  AuditLog,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const entries = page<AuditEntry>(sql, {
      from: "audit_entries e",
      alias: "e",
      json: Records.object(Records.auditEntry)
    })
    return AuditLog.of({
      page: (workspace, request) => Effect.orDie(entries(workspace, null, [], request))
    })
  })
)
