import { Context, type Effect, type Either } from "effect"
import type { Decided } from "../../domain/Change.ts"
import type { WorkspaceContext } from "../../domain/oncall/commands/DeleteWorkspace.ts"
import type { Roster } from "../../domain/workspace/Roster.ts"
import type { Workspace, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"

/** A workspace as the operator's list shows it. */
export interface Listed {
  readonly workspace: Workspace
  readonly members: number
  readonly teams: number
}

export class WorkspaceStore extends Context.Tag("application/WorkspaceStore")<
  WorkspaceStore,
  {
    /** True when no workspace was ever created. */
    readonly isEmpty: Effect.Effect<boolean>
    /** Every workspace that is not deleted, by slug in code point order: at most `limit` after `after`. */
    readonly list: (after: WorkspaceSlug | null, limit: number) => Effect.Effect<ReadonlyArray<Listed>>
    readonly roster: (slug: WorkspaceSlug) => Effect.Effect<Roster>
    /** Locks the workspace, calls `decide`, and commits its change; a refusal changes nothing. */
    readonly change: <A, E, F>(
      slug: WorkspaceSlug,
      decide: (roster: Roster) => Either.Either<Decided<A, F>, E>
    ) => Effect.Effect<A, E | F>
    readonly close: <A, E, F>(
      slug: WorkspaceSlug,
      decide: (context: WorkspaceContext) => Either.Either<Decided<A, F>, E>
    ) => Effect.Effect<A, E | F>
  }
>() {}
