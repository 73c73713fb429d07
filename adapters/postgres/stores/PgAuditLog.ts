import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { AuditLog } from "../../../application/ports/AuditLog.ts"
import type { RecordedEntry } from "../../../domain/workspace/Audit.ts"
import { formatOrNull } from "../../../domain/value/Timestamp.ts"
import { append, verify } from "../rows/AuditRows.ts"
import { now } from "../connection/DatabaseClock.ts"
import { page } from "../reads/PageReads.ts"
import * as AuditRows from "../rows/AuditRows.ts"
import * as Table from "../rows/Table.ts"
import { transaction } from "../connection/Transactions.ts"

// Times never decrease along the chain: as bounds of seq they suit every index, and a page far back costs no more.
const first = `
  SELECT b.seq FROM audit_entries b WHERE b.workspace_id = q.workspace AND b."timestamp" >= q."from"::timestamptz
  ORDER BY b."timestamp", b.seq LIMIT 1`
const last = `
  SELECT b.seq FROM audit_entries b WHERE b.workspace_id = q.workspace AND b."timestamp" <= q."to"::timestamptz
  ORDER BY b."timestamp" DESC, b.seq DESC LIMIT 1`

export const layer = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const entries = page<RecordedEntry>(sql, yield* Effect.runtime(), {
      from: "audit_entries e",
      alias: "e",
      json: Table.object(AuditRows.auditEntry),
      ofDeletedTeams: true,
      filters: {
        actor: "e.actor_type = q.actor",
        event: "e.event = q.event",
        run: "e.run_key = q.run",
        from: `e.seq >= (${first})`,
        to: `e.seq <= (${last})`
      }
    })
    return AuditLog.of({
      page: (workspace, { actor, event, from, run, team, to }, request) =>
        entries(workspace, team, { actor, event, run, from: formatOrNull(from), to: formatOrNull(to) }, request),
      append: (workspace, { audit }) =>
        Effect.flatMap(now, (at) => append(workspace, at, audit)).pipe(
          transaction,
          Effect.provideService(SqlClient.SqlClient, sql)
        ),
      verify: (workspace) => transaction(verify(workspace)).pipe(Effect.provideService(SqlClient.SqlClient, sql))
    })
  })
)
