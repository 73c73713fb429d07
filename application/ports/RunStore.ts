import { Context, type Effect, type Either, type Stream } from "effect"
import type { Decided } from "../../domain/Change.ts"
import type { RunHistory, RunNotFound, RunSummary, RunView } from "../../domain/work/Run.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { TeamNotFound, TeamSlug } from "../../domain/workspace/Team.ts"
import type { RunContext } from "../../domain/work/RunContext.ts"
import type { TokenId } from "../../domain/workspace/ApiToken.ts"
import type { LeaseId, RunnerId } from "../../domain/work/Lease.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Json } from "./Json.ts"
import type { Page, PageRequest } from "./Page.ts"
import type { Renewal } from "../runner/LeaseGrant.ts"

export interface RunFilter {
  readonly team: TeamSlug | null
  readonly story: StoryKey | null
}

/** A holder that looks for a run. */
export interface Wanted {
  /** None are all. */
  readonly teams: ReadonlyArray<TeamSlug>
  /**
   * A runner takes runs of its executors in teams that have a repository, leaves others' answers to them for a while, and
   * waits until a spec is restored.
   */
  readonly runner: { readonly id: RunnerId; readonly executors: ReadonlyArray<string> } | null
}

/** A run of any workspace. */
export interface RunRef {
  readonly workspace: WorkspaceId
  readonly run: RunKey
}

/** A run with its lease, as its credential finds it. */
export interface HeldRun extends RunRef {
  readonly story: StoryKey
  readonly attempt: number
  readonly lease: LeaseId
  readonly fence: number
  readonly token: TokenId
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
    /** The states of a run as its audit entries have them; none for an unknown run. */
    readonly history: (workspace: WorkspaceId, key: RunKey) => Effect.Effect<Json<RunHistory>>
    /** Locks the run's pending decisions, the run and its story in that order, calls `decide`, commits its change. */
    readonly change: <A, E, F>(
      workspace: WorkspaceId,
      key: RunKey,
      decide: (at: RunContext) => Either.Either<Decided<A, F>, E>
    ) => Effect.Effect<A, E | F | RunNotFound>
    /** The same for a runner: its token and its own row are locked before, so that neither ends meanwhile; false if one has ended. */
    readonly changeAs: <A, E, F>(
      workspace: WorkspaceId,
      key: RunKey,
      runner: RunnerId,
      decide: (at: RunContext, isActive: boolean) => Either.Either<Decided<A, F>, E>
    ) => Effect.Effect<A, E | F | RunNotFound>
    /** The next run to lease: expedite stories first, then the oldest; none of a paused team. */
    readonly next: (workspace: WorkspaceId, wanted: Wanted) => Effect.Effect<RunKey | null>
    /** The run whose newest lease this is. */
    readonly ofLease: (workspace: WorkspaceId, lease: LeaseId) => Effect.Effect<RunKey | null>
    /** Extends a lease that is neither over nor lapsed; null for any other. Its runner was heard from. A heartbeat: no audit entry. */
    readonly renew: (
      workspace: WorkspaceId,
      held: { readonly lease: LeaseId; readonly fence: number; readonly token: TokenId },
      lastInput: number
    ) => Effect.Effect<Renewal | null>
    /** Runs of all workspaces whose lease has lapsed, oldest first. */
    readonly lapsed: (limit: number) => Effect.Effect<ReadonlyArray<RunRef>>
    /** The run of a credential whose lease is valid. */
    readonly ofCredential: (hash: string) => Effect.Effect<HeldRun | null>
    /** Workspaces in which runners that wait may find a run, null where it may be any; a hint, which may be lost. */
    readonly leasable: Stream.Stream<WorkspaceId | null>
  }
>() {}
