import { Context, type DateTime, type Effect, type Either } from "effect"
import type { Decided } from "../../domain/Change.ts"
import type { DecisionKey } from "../../domain/work/Decision.ts"
import type { Run } from "../../domain/work/Run.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { StoryId, StoryKey } from "../../domain/work/Story.ts"
import type { Team, TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceNotFound, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"

/** Keys a document names, and keys drawn for its unnamed objects. */
export interface Mentioned {
  readonly storyIds: ReadonlyArray<StoryId>
  readonly stories: ReadonlyArray<StoryKey>
  readonly runs: ReadonlyArray<RunKey>
  readonly decisions: ReadonlyArray<DecisionKey>
}

/** Rows of the workspace that a document touches. */
export interface Catalog {
  readonly now: DateTime.Utc
  /** Also deleted ones, since slugs and prefixes are not reused. */
  readonly teams: ReadonlyArray<Team>
  readonly lastStoryNumber: ReadonlyMap<TeamSlug, number>
  readonly services: ReadonlyArray<{ readonly team: TeamSlug; readonly name: string }>
  readonly stories: ReadonlyArray<{ readonly id: StoryId; readonly key: StoryKey; readonly team: TeamSlug }>
  readonly runs: ReadonlyArray<Pick<Run, "key" | "team" | "story">>
  readonly decisions: ReadonlyArray<DecisionKey>
}

export class ImportStore extends Context.Tag("application/ImportStore")<
  ImportStore,
  {
    /** Locks the workspace, calls `decide`, and commits its change; a refusal changes nothing. */
    readonly change: <A, E, F>(
      slug: WorkspaceSlug,
      mentioned: Mentioned,
      decide: (catalog: Catalog) => Either.Either<Decided<A, F>, E>
    ) => Effect.Effect<A, E | F | WorkspaceNotFound>
  }
>() {}
