import { Context, type DateTime, type Effect } from "effect"
import type { ActorType } from "../../domain/workspace/Actor.ts"
import type { Event, RecordedEntry } from "../../domain/workspace/Audit.ts"
import type { Verdict } from "../../domain/workspace/AuditChain.ts"
import type { Change } from "../../domain/Change.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { TeamNotFound, TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Page, PageRequest } from "./Page.ts"

export interface AuditFilter {
  /** Also the slug of a deleted team. */
  readonly team: TeamSlug | null
  readonly actor: ActorType | null
  readonly event: Event | null
  readonly run: RunKey | null
  /** Both bounds are inclusive. */
  readonly from: DateTime.Utc | null
  readonly to: DateTime.Utc | null
}

/** Reads the entries that the stores appended with their changes. */
export class AuditLog extends Context.Tag("application/AuditLog")<
  AuditLog,
  {
    /** Newest first; a page of any length is one snapshot. */
    readonly page: (
      workspace: WorkspaceId,
      filter: AuditFilter,
      request: PageRequest
    ) => Effect.Effect<Page<RecordedEntry>, TeamNotFound>
    /** Appends an entry without a change: an export, a denial. */
    readonly append: (workspace: WorkspaceId, change: Pick<Change, "audit">) => Effect.Effect<void>
    /** Verifies the whole chain. */
    readonly verify: (workspace: WorkspaceId) => Effect.Effect<Verdict>
  }
>() {}
