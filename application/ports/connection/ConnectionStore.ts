import { Context, type Effect, type Either } from "effect"
import type { Decided } from "../../../domain/Change.ts"
import type { CommitId } from "../../../domain/codehost/PullRequestRecord.ts"
import type { Connections } from "../../../domain/connection/ChangeConnection.ts"
import type { Connection, ConnectionId } from "../../../domain/connection/Connection.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"

/** A connection that is due to be looked through. */
export interface DueConnection {
  readonly workspace: WorkspaceId
  readonly connection: Connection
  /** Culprits of red main branches that were reported, by the address of their repository. */
  readonly reported: Readonly<Record<string, CommitId>>
}

/** Days for which ids of webhooks are kept: the host sends one again within three. */
export const deliveryDays = 4

export class ConnectionStore extends Context.Tag("application/ConnectionStore")<
  ConnectionStore,
  {
    /** The connections of a workspace by name, without removed ones. */
    readonly list: (workspace: WorkspaceId) => Effect.Effect<ReadonlyArray<Connection>>
    /** Locks the connections of a workspace, calls `decide`, and commits its change. */
    readonly change: <A, E, F>(
      workspace: WorkspaceId,
      decide: (at: Connections) => Either.Either<Decided<A, F>, E>
    ) => Effect.Effect<A, E | F>
    /** The connection of any workspace whose webhooks have this address. */
    readonly find: (
      token: string
    ) => Effect.Effect<{ readonly workspace: WorkspaceId; readonly connection: Connection } | null>
    /** Keeps the id of a webhook and makes its connection due at once if it is a hint; false when the id is known. */
    readonly receive: (
      workspace: WorkspaceId,
      id: ConnectionId,
      delivery: string,
      isHint: boolean
    ) => Effect.Effect<boolean>
    /** Takes the due connections of all workspaces; each is due again after the pause. */
    readonly due: (pauseSeconds: number) => Effect.Effect<ReadonlyArray<DueConnection>>
    /** Keeps the culprit of a repository's red main branch; null when it is green. */
    readonly report: (
      workspace: WorkspaceId,
      id: ConnectionId,
      repository: string,
      culprit: CommitId | null
    ) => Effect.Effect<void>
    /** Forgets old ids of webhooks. */
    readonly purge: Effect.Effect<void>
  }
>() {}
