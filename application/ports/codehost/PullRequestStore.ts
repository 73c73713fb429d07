import { Context, type DateTime, type Effect, type Either } from "effect"
import type { Decided } from "../../../domain/Change.ts"
import type { BranchContext } from "../../../domain/codehost/ChangePullRequest.ts"
import type {
  CommitId,
  PullRequestNotFound,
  PullRequestNumber,
  PullRequestRecord,
  PullRequestView
} from "../../../domain/codehost/PullRequestRecord.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import type { Json } from "../Json.ts"

/** The branch of a repository. */
export interface Branch {
  readonly repository: string
  readonly branch: string
}

/** Identifies a pull request without its number. */
export type Clue =
  /** The newest of a run that reverts nothing. */
  | { readonly run: RunKey }
  /** Merged by this commit. */
  | { readonly repository: string; readonly mergeCommit: CommitId }
  /** At this address of a code host. */
  | { readonly hostUrl: string }
  /** Reverts the merge of this one. */
  | { readonly reverts: PullRequestNumber }

export class PullRequestStore extends Context.Tag("application/PullRequestStore")<
  PullRequestStore,
  {
    readonly get: (
      workspace: WorkspaceId,
      number: PullRequestNumber
    ) => Effect.Effect<Json<PullRequestView>, PullRequestNotFound>
    readonly find: (workspace: WorkspaceId, clue: Clue) => Effect.Effect<PullRequestRecord | null>
    /** The open ones of a repository, oldest first. */
    readonly opened: (workspace: WorkspaceId, repository: string) => Effect.Effect<ReadonlyArray<PullRequestRecord>>
    /** Locks the pull requests of the workspace, calls `decide`, and commits its change. */
    readonly open: <A, E>(
      workspace: WorkspaceId,
      branch: Branch,
      decide: (at: BranchContext) => Either.Either<Decided<A>, E>
    ) => Effect.Effect<A, E>
    readonly change: <A, E>(
      workspace: WorkspaceId,
      number: PullRequestNumber,
      decide: (at: { readonly now: DateTime.Utc; readonly record: PullRequestRecord }) => Either.Either<Decided<A>, E>
    ) => Effect.Effect<A, E | PullRequestNotFound>
  }
>() {}
