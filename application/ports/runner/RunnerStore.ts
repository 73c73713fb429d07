import { Context, type Effect, type Either, Schema } from "effect"
import type { Decided } from "../../../domain/Change.ts"
import type { RunnerContext } from "../../../domain/runner/ChangeRunner.ts"
import { Runner } from "../../../domain/runner/Runner.ts"
import type { LeaseId, RunnerId } from "../../../domain/work/Lease.ts"
import { Attempt } from "../../../domain/work/Run.ts"
import { StoryKey } from "../../../domain/work/Story.ts"
import { RunKey } from "../../../domain/value/RunKey.ts"
import type { TokenId } from "../../../domain/workspace/ApiToken.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"

/** A runner with the runs it works on. */
export const RunnerView = Schema.Struct({
  ...Runner.fields,
  runs: Schema.Array(Schema.Struct({ key: RunKey, story: StoryKey, stage: Attempt.fields.stage }))
})
export type RunnerView = typeof RunnerView.Type

/** A runner by its id, or by its token and name. */
export type RunnerRef = { readonly id: RunnerId } | { readonly token: TokenId; readonly name: string }

/** A part of an attempt's log; the lease and number make it idempotent. */
export interface LogPart {
  readonly run: RunKey
  readonly attempt: number
  readonly lease: LeaseId
  readonly seq: number
  readonly text: string
}

export class RunnerStore extends Context.Tag("application/RunnerStore")<
  RunnerStore,
  {
    /** Locks the runner and the runs it holds, calls `decide`, commits its change. */
    readonly change: <A, E, F>(
      workspace: WorkspaceId,
      of: RunnerRef,
      decide: (at: RunnerContext) => Either.Either<Decided<A, F>, E>
    ) => Effect.Effect<A, E | F>
    /** Runners that were not removed, by name and registration. */
    readonly list: (workspace: WorkspaceId) => Effect.Effect<ReadonlyArray<RunnerView>>
    /** Notes that an online runner of a token was heard from, and returns it; null if there is none. A counter: no audit entry. */
    readonly heard: (workspace: WorkspaceId, id: RunnerId, token: TokenId) => Effect.Effect<Runner | null>
    /** A runner while it is online, draining or not. */
    readonly online: (workspace: WorkspaceId, id: RunnerId) => Effect.Effect<Runner | null>
    /** Forgets runners of all workspaces that were removed so many days ago. */
    readonly purge: (days: number) => Effect.Effect<void>
    /** Online runners of all workspaces that have fallen silent. */
    readonly silent: Effect.Effect<ReadonlyArray<{ readonly workspace: WorkspaceId; readonly id: RunnerId }>>
    /** Appends to the log of an attempt and keeps its newest 5 MB. */
    readonly appendLog: (workspace: WorkspaceId, part: LogPart) => Effect.Effect<void>
    /** Parts of a log from a position on, oldest first, and the position after them; `most` keeps the newest bytes. */
    readonly log: (
      workspace: WorkspaceId,
      of: { readonly run: RunKey; readonly attempt: number; readonly after: number; readonly most?: number }
    ) => Effect.Effect<{ readonly text: string; readonly next: number }>
  }
>() {}

/** Bytes of an attempt's log that are kept. */
export const mostLogBytes = 5_000_000
