import { Context, type Effect, type Either } from "effect"
import type { DecisionContext } from "../../domain/work/ResolveDecision.ts"
import type { Decided } from "../../domain/Change.ts"
import type { DecisionKey, DecisionNotFound, DecisionStatus, DecisionView } from "../../domain/work/Decision.ts"
import type { IdempotencyRecord } from "../../domain/workspace/IdempotencyRecord.ts"
import type { Role } from "../../domain/workspace/Member.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { TeamNotFound, TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Json } from "./Json.ts"
import type { Page, PageRequest } from "./Page.ts"

export interface DecisionFilter {
  readonly status: DecisionStatus | null
  readonly team: TeamSlug | null
  readonly run: RunKey | null
  /** Only the app asks for it. */
  readonly story?: StoryKey
}

/** A client's key for one request, so that a repeated request changes nothing. */
export interface Idempotency {
  /** The client's API token or session. */
  readonly token: string
  readonly key: string
}

/** Pending decisions by the role that may resolve them. */
export interface QueueFilter {
  readonly authorities: ReadonlyArray<Role>
  readonly team: TeamSlug | null
}

/** A decision with the earlier answer under the same idempotency key. */
export interface AnswerContext extends DecisionContext {
  readonly kept: IdempotencyRecord | null
}

export class DecisionStore extends Context.Tag("application/DecisionStore")<
  DecisionStore,
  {
    readonly page: (
      workspace: WorkspaceId,
      filter: DecisionFilter,
      request: PageRequest
    ) => Effect.Effect<Page<DecisionView>, TeamNotFound>
    readonly get: (workspace: WorkspaceId, key: DecisionKey) => Effect.Effect<Json<DecisionView>, DecisionNotFound>
    /** Pending decisions, the nearest deadline first; `before` names the last one of the previous page. */
    readonly queue: (
      workspace: WorkspaceId,
      filter: QueueFilter,
      request: PageRequest
    ) => Effect.Effect<Page<DecisionView>>
    /** Decisions that ended without an answer, newest first. */
    readonly unanswered: (
      workspace: WorkspaceId,
      team: TeamSlug | null,
      request: PageRequest
    ) => Effect.Effect<Page<DecisionView>>
    /** The decision with its work context, to look at. */
    readonly context: (workspace: WorkspaceId, key: DecisionKey) => Effect.Effect<DecisionContext, DecisionNotFound>
    /** Locks the decision, its run and story, in that order, calls `decide`, and commits its change. */
    readonly change: <A, E, F>(
      workspace: WorkspaceId,
      key: DecisionKey,
      idempotency: Idempotency | null,
      decide: (at: AnswerContext) => Either.Either<Decided<A, F>, E>
    ) => Effect.Effect<A, E | F | DecisionNotFound>
    /** Pending decisions of any workspace whose deadline has passed, oldest deadline first. */
    readonly due: (
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly workspace: WorkspaceId; readonly key: DecisionKey }>>
    /** Deletes answers that are too old to be replayed. */
    readonly purgeKept: Effect.Effect<void>
  }
>() {}
