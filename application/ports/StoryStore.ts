import { Context, type Effect } from "effect"
import type { StoryKey, StoryNotFound, StorySummary, StoryView } from "../../domain/Story.ts"
import type { TeamNotFound, TeamSlug } from "../../domain/Team.ts"
import type { WorkspaceId } from "../../domain/Workspace.ts"
import type { Json } from "../Json.ts"
import type { Page, PageRequest } from "../Page.ts"

export class StoryStore extends Context.Tag("application/StoryStore")<
  StoryStore,
  {
    readonly page: (
      workspace: WorkspaceId,
      filter: { readonly team: TeamSlug; readonly drafts: boolean },
      request: PageRequest
    ) => Effect.Effect<Page<StorySummary>, TeamNotFound>
    readonly get: (workspace: WorkspaceId, key: StoryKey) => Effect.Effect<Json<StoryView>, StoryNotFound>
  }
>() {}
