import { type DateTime, Effect, Predicate, Record } from "effect"
import * as Audit from "../../domain/workspace/Audit.ts"
import { formatOrNull } from "../../domain/value/Timestamp.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import { WorkspaceNotFound, type WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { byOf, type Person } from "./Authorization.ts"
import * as AuditFile from "./AuditFile.ts"
import { type AuditFilter, AuditLog } from "../ports/AuditLog.ts"
import { WorkspaceStore } from "../ports/WorkspaceStore.ts"

const exportLimit = 5000

/** Exports the newest 5,000 matching entries as one snapshot; records the export after it, so it never lists itself. */
export const exportFile = Effect.fn("AuditExport.exportFile")(function* (
  person: Person,
  now: DateTime.Utc,
  filter: AuditFilter,
  format: AuditFile.Format
) {
  const log = yield* AuditLog
  const { count, items, next } = yield* log.page(person.workspace, filter, { limit: exportLimit, before: null })
  const name = AuditFile.nameOf(person.workspaceSlug, filter, now, format)
  const { from, to, ...rest } = filter
  const details = {
    format,
    from: formatOrNull(from),
    to: formatOrNull(to),
    filters: Record.filter(rest, Predicate.isNotNull),
    count,
    truncated: next !== null
  }
  const entity = { type: "audit_export", id: yield* Uuid.make, name } as const
  yield* log.append(person.workspace, { audit: [Audit.fact(byOf(person), "audit_exported", entity, { details })] })
  return { name, text: AuditFile.write(format, items), count: details.count, truncated: details.truncated }
})

/** Verifies the hash chain of the workspace's audit log. */
export const verify = Effect.fn("AuditExport.verify")(function* (slug: WorkspaceSlug) {
  const store = yield* WorkspaceStore
  const log = yield* AuditLog
  const { workspace } = yield* store.roster(slug)
  if (workspace === null) return yield* new WorkspaceNotFound({ slug })
  return yield* log.verify(workspace.id)
})
