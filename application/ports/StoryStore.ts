import { Context, type Effect, type Either } from "effect"
import type { Decided } from "../../domain/Change.ts"
import type { RaiseMatter } from "../../domain/work/RaiseDecision.ts"
import type { Run } from "../../domain/work/Run.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { StoryDetail } from "../../domain/work/StoryDetail.ts"
import type { Story, StoryKey, StoryNotFound, StorySummary, StoryView } from "../../domain/work/Story.ts"
import type { TeamNotFound, TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Json } from "./Json.ts"
import type { Page, PageRequest } from "./Page.ts"

/** A story with its unfinished runs and pending decisions. */
export interface StoryMatter extends RaiseMatter {
  readonly story: Story
  readonly unfinishedRuns: ReadonlyArray<Run>
  readonly freshRun: RunKey
}

export class StoryStore extends Context.Tag("application/StoryStore")<
  StoryStore,
  {
    readonly page: (
      workspace: WorkspaceId,
      filter: { readonly team: TeamSlug; readonly drafts: boolean },
      request: PageRequest
    ) => Effect.Effect<Page<StorySummary>, TeamNotFound>
    readonly get: (workspace: WorkspaceId, key: StoryKey) => Effect.Effect<Json<StoryView>, StoryNotFound>
    /** The same with its Demonstrate block, its test plan and the reason for its return. */
    readonly detail: (workspace: WorkspaceId, key: StoryKey) => Effect.Effect<Json<StoryDetail>, StoryNotFound>
    /** Locks the story's pending decisions, its unfinished runs and the story, calls `decide`, commits its change. */
    readonly change: <A, E, F>(
      workspace: WorkspaceId,
      key: StoryKey,
      decide: (at: StoryMatter) => Either.Either<Decided<A, F>, E>
    ) => Effect.Effect<A, E | F | StoryNotFound>
  }
>() {}
