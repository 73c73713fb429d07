import { Context, type Effect, type Either } from "effect"
import type { Decided } from "../../domain/Change.ts"
import type { RunNotFound, RunSummary, RunView } from "../../domain/work/Run.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { TeamNotFound, TeamSlug } from "../../domain/workspace/Team.ts"
import type { RunContext } from "../../domain/work/RunTransactions.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Json } from "./Json.ts"
import type { Page, PageRequest } from "./Page.ts"

export interface RunFilter {
  readonly team: TeamSlug | null
  readonly story: StoryKey | null
}

export class RunStore extends Context.Tag("application/RunStore")<
  RunStore,
  {
    readonly page: (
      workspace: WorkspaceId,
      filter: RunFilter,
      request: PageRequest
    ) => Effect.Effect<Page<RunSummary>, TeamNotFound>
    readonly get: (workspace: WorkspaceId, key: RunKey) => Effect.Effect<Json<RunView>, RunNotFound>
    /** Locks the run's pending decisions, the run and its story in that order, calls `decide`, commits its change. */
    readonly change: <A, E, F>(
      workspace: WorkspaceId,
      key: RunKey,
      decide: (at: RunContext) => Either.Either<Decided<A, F>, E>
    ) => Effect.Effect<A, E | F | RunNotFound>
    /** The next queued run: expedite stories first, then the oldest; none of a paused team. */
    readonly next: (workspace: WorkspaceId, team: TeamSlug | null) => Effect.Effect<RunKey | null>
  }
>() {}
