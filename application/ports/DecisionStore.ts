import { Context, type Effect } from "effect"
import type { Decision, DecisionKey, DecisionNotFound, DecisionStatus } from "../../domain/Decision.ts"
import type { RunKey } from "../../domain/RunKey.ts"
import type { TeamNotFound, TeamSlug } from "../../domain/Team.ts"
import type { WorkspaceId } from "../../domain/Workspace.ts"
import type { Json } from "../Json.ts"
import type { Page, PageRequest } from "../Page.ts"

export interface DecisionFilter {
  readonly status: DecisionStatus | null
  readonly team: TeamSlug | null
  readonly run: RunKey | null
}

export class DecisionStore extends Context.Tag("application/DecisionStore")<
  DecisionStore,
  {
    readonly page: (
      workspace: WorkspaceId,
      filter: DecisionFilter,
      request: PageRequest
    ) => Effect.Effect<Page<Decision>, TeamNotFound>
    readonly get: (workspace: WorkspaceId, key: DecisionKey) => Effect.Effect<Json<Decision>, DecisionNotFound>
  }
>() {}
