import { Context, type Effect } from "effect"
import type { AuditEntry } from "../../domain/Audit.ts"
import type { WorkspaceId } from "../../domain/Workspace.ts"
import type { Page, PageRequest } from "../Page.ts"

/** Reads what the stores appended with their changes. */
export class AuditLog extends Context.Tag("application/AuditLog")<
  AuditLog,
  { readonly page: (workspace: WorkspaceId, request: PageRequest) => Effect.Effect<Page<AuditEntry>> }
>() {}
