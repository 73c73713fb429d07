import { Context, type Effect } from "effect"
import type { TeamNotFound, TeamSlug, TeamView } from "../../domain/Team.ts"
import type { WorkspaceId } from "../../domain/Workspace.ts"
import type { Json } from "../Json.ts"

export class TeamStore extends Context.Tag("application/TeamStore")<
  TeamStore,
  {
    /** Every team, by `lower(name)` in code point order, then slug. */
    readonly list: (workspace: WorkspaceId) => Effect.Effect<ReadonlyArray<Json<TeamView>>>
    readonly get: (workspace: WorkspaceId, slug: TeamSlug) => Effect.Effect<Json<TeamView>, TeamNotFound>
  }
>() {}
