import { Context, type DateTime, type Effect } from "effect"
import type { SourceId } from "../../domain/oncall/SignalSource.ts"
import type { Check, Health } from "../../domain/oncall/UptimeCheck.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Received } from "./SignalStore.ts"

/** A check whose turn it is. */
export interface Due {
  readonly workspace: WorkspaceId
  readonly source: SourceId
  /** The source's. */
  readonly name: string
  readonly check: Check
}

/** Uptime checks: whose turn it is, and how each went. */
export class CheckStore extends Context.Tag("application/CheckStore")<
  CheckStore,
  {
    /**
     * Takes up to `most` checks whose turn it is, of every workspace; nobody else gets them before their next turn. New
     * and changed ones are due at once, those of paused and deleted sources never.
     */
    readonly claim: (most: number) => Effect.Effect<ReadonlyArray<Due>>
    /** Locks a check's health, asks `judge`, and keeps both at once; nothing if its source was paused or deleted since. */
    readonly record: (
      of: Pick<Due, "workspace" | "source">,
      judge: (before: Health, now: DateTime.Utc) => { readonly health: Health; readonly delivery: Received | null }
    ) => Effect.Effect<void>
    readonly healths: (workspace: WorkspaceId) => Effect.Effect<ReadonlyMap<SourceId, Health>>
  }
>() {}
