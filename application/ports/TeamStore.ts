import { Context, type Effect, type Either } from "effect"
import type { Decided } from "../../domain/Change.ts"
import type { TeamContext } from "../../domain/oncall/commands/DeleteTeam.ts"
import type { Workload } from "../../domain/work/Schedule.ts"
import type { Team, TeamNotFound, TeamSlug, TeamView } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Json } from "./Json.ts"

export class TeamStore extends Context.Tag("application/TeamStore")<
  TeamStore,
  {
    /** Every team, by `lower(name)` in code point order, then slug. */
    readonly list: (workspace: WorkspaceId) => Effect.Effect<Json<ReadonlyArray<TeamView>>>
    readonly get: (workspace: WorkspaceId, slug: TeamSlug) => Effect.Effect<Json<TeamView>, TeamNotFound>
    /** The team with its whole policy, its repositories and its tracker's project. */
    readonly whole: (workspace: WorkspaceId, slug: TeamSlug) => Effect.Effect<Json<Team>, TeamNotFound>
    /** Locks the team with everything unfinished in it, calls `decide`, and commits its change. */
    readonly change: <A, E, F>(
      workspace: WorkspaceId,
      slug: TeamSlug,
      decide: (at: TeamContext) => Either.Either<Decided<A, F>, E>
    ) => Effect.Effect<A, E | F | TeamNotFound>
    /** Of all workspaces, by slug: unpaused teams with a Ready story and fewer unfinished runs than they may have. */
    readonly withRoom: Effect.Effect<ReadonlyArray<{ readonly workspace: WorkspaceId; readonly team: TeamSlug }>>
    /** Locks the team and its Ready stories, calls `decide`, and commits its change. */
    readonly schedule: <A, E, F>(
      workspace: WorkspaceId,
      slug: TeamSlug,
      decide: (at: Workload) => Either.Either<Decided<A, F>, E>
    ) => Effect.Effect<A, E | F | TeamNotFound>
  }
>() {}
