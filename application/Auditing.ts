import { Effect, Predicate, Record } from "effect"
import * as Audit from "../domain/Audit.ts"
import { AdminRequired, atLeast } from "../domain/Member.ts"
import { formatOrNull } from "../domain/Timestamp.ts"
import * as Uuid from "../domain/Uuid.ts"
import { WorkspaceNotFound, type WorkspaceSlug } from "../domain/Workspace.ts"
import * as AuditFile from "./AuditFile.ts"
import type { By } from "./By.ts"
import { type AuditFilter, AuditLog } from "./ports/AuditLog.ts"
import type { Bearer } from "./ports/TokenStore.ts"
import { WorkspaceStore } from "./ports/WorkspaceStore.ts"

const exportLimit = 5000

/** Only owners and admins read the audit log; a refusal is on record. */
export const admit = Effect.fn("Auditing.admit")(function* (by: By, bearer: Bearer, operation: string) {
  if (atLeast(bearer.member.role, "admin")) return
  const log = yield* AuditLog
  const entity = { type: "member", id: bearer.member.id, name: bearer.member.name } as const
  const denied = Audit.fact(by, "access_denied", entity, { details: { operation } })
  yield* log.append(bearer.workspace, { audit: [{ ...denied, result: "denied" }] })
  return yield* new AdminRequired({ role: bearer.member.role })
})

/** The newest 5,000 matching entries as one snapshot; the export is on record after it, so it never lists itself. */
export const exportFile = Effect.fn("Auditing.exportFile")(function* (
  by: By,
  bearer: Bearer,
  filter: AuditFilter,
  format: AuditFile.Format
) {
  const log = yield* AuditLog
  const { items, next } = yield* log.page(bearer.workspace, filter, { limit: exportLimit, before: null })
  const name = AuditFile.nameOf(bearer.workspaceSlug, filter, bearer.now, format)
  const { from, to, ...rest } = filter
  const details = {
    format,
    from: formatOrNull(from),
    to: formatOrNull(to),
    filters: Record.filter(rest, Predicate.isNotNull),
    count: items.length,
    truncated: next !== null
  }
  const entity = { type: "audit_export", id: yield* Uuid.make, name } as const
  yield* log.append(bearer.workspace, { audit: [Audit.fact(by, "audit_exported", entity, { details })] })
  return { name, text: AuditFile.write(format, items), count: details.count, truncated: details.truncated }
})

/** Whether the workspace's log is what was written. */
export const verify = Effect.fn("Auditing.verify")(function* (slug: WorkspaceSlug) {
  const store = yield* WorkspaceStore
  const log = yield* AuditLog
  const { workspace } = yield* store.roster(slug)
  if (workspace === null) return yield* new WorkspaceNotFound({ slug })
  return yield* log.verify(workspace.id)
})
