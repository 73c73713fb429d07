import { Context, type Effect, type Stream } from "effect"
import type { AuditEntry } from "../../domain/workspace/Audit.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"

/** An audit entry with its sequence number in its workspace. */
export interface NumberedEntry {
  readonly seq: bigint
  /** Null when a newer release wrote the entry and this one cannot read it. */
  readonly entry: AuditEntry | null
}

/** Names a row that changed: "look again". `audit` stands for new entries, its id for the last sequence number. */
export interface Sign {
  readonly workspace: WorkspaceId
  readonly topic: "audit" | "job" | "inbox" | "log"
  readonly id: string
}

/** Position of a reader in the audit sequence of a workspace: the last entry it has. */
export type Positions = ReadonlyMap<WorkspaceId, bigint>

/** Reads the audit sequences of workspaces forward. */
export class ChangeLog extends Context.Tag("application/ChangeLog")<
  ChangeLog,
  {
    /** Sequence number of the last entry of each workspace; 0 without entries. */
    readonly heads: (workspaces: ReadonlyArray<WorkspaceId>) => Effect.Effect<Positions>
    /** Entries after each position, oldest first, at most `limit` of each workspace, in one query. */
    readonly since: (
      positions: Positions,
      limit: number
    ) => Effect.Effect<ReadonlyMap<WorkspaceId, ReadonlyArray<NumberedEntry>>>
    /** Asks for signs of these workspaces, for a minute. */
    readonly watch: (workspaces: ReadonlyArray<WorkspaceId>) => Effect.Effect<void>
    /** Signs of watched workspaces, which may be lost; null after a time in which some may have been. */
    readonly signs: Stream.Stream<Sign | null>
  }
>() {}
