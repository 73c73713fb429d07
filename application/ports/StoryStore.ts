import { Context, type Effect, type Either } from "effect"
import type { Decided } from "../../domain/Change.ts"
import type { StoryContext } from "../../domain/work/ChangeStory.ts"
import type { StoryDetail } from "../../domain/work/Story.ts"
import type { StoryKey, StoryNotFound, StorySummary, StoryView } from "../../domain/work/Story.ts"
import type { TeamNotFound, TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Json } from "./Json.ts"
import type { Page, PageRequest } from "./Page.ts"

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
      decide: (at: StoryContext) => Either.Either<Decided<A, F>, E>
    ) => Effect.Effect<A, E | F | StoryNotFound>
  }
>() {}
