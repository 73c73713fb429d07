import { Context, type Effect } from "effect"
import type { RunNotFound, RunSummary, RunView } from "../../domain/Run.ts"
import type { RunKey } from "../../domain/RunKey.ts"
import type { StoryKey } from "../../domain/Story.ts"
import type { TeamNotFound, TeamSlug } from "../../domain/Team.ts"
import type { WorkspaceId } from "../../domain/Workspace.ts"
import type { Json } from "../Json.ts"
import type { Page, PageRequest } from "../Page.ts"

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
  }
>() {}
