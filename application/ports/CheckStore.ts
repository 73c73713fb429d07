import { Context, type DateTime, type Effect } from "effect"
import type { SourceId } from "../../domain/oncall/SignalSource.ts"
import type { Check, Health } from "../../domain/oncall/UptimeCheck.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Received } from "./SignalStore.ts"

/** A check that is due. */
export interface Due {
  readonly workspace: WorkspaceId
  readonly source: SourceId
  /** The source's name. */
  readonly name: string
  readonly check: Check
}

/** Uptime checks: the due ones, and the health of each. */
export class CheckStore extends Context.Tag("application/CheckStore")<
  CheckStore,
  {
    /**
     * Takes up to `most` due checks of all workspaces; no other caller gets them before their next turn. New and
     * changed checks are due at once, checks of paused and deleted sources never.
     */
    readonly claim: (most: number) => Effect.Effect<ReadonlyArray<Due>>
    /** Locks a check's health, calls `judge`, and stores both results; skips a source that was paused or deleted. */
    readonly record: (
      of: Pick<Due, "workspace" | "source">,
      judge: (before: Health, now: DateTime.Utc) => { readonly health: Health; readonly delivery: Received | null }
    ) => Effect.Effect<void>
    readonly healths: (workspace: WorkspaceId) => Effect.Effect<ReadonlyMap<SourceId, Health>>
  }
>() {}
