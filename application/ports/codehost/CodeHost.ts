import { Context, type DateTime, Effect, Schema } from "effect"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import type { Proposal } from "../../../domain/codehost/ChangePullRequest.ts"
import type { CheckReport } from "../../../domain/codehost/BranchHealth.ts"
import type {
  BranchName,
  CommitId,
  OnHost,
  PullRequestNumber,
  PullRequestRecord
} from "../../../domain/codehost/PullRequestRecord.ts"

/** The branch is not at the commit that was verified; null when there is no such branch. */
export class BranchMoved extends Schema.TaggedError<BranchMoved>()("BranchMoved", {
  branch: Schema.String,
  expected: Schema.String,
  found: Schema.NullOr(Schema.String)
}) {
  override get message() {
    return this.found === null
      ? `The branch ${this.branch}, verified at ${this.expected}, is gone.`
      : `The branch ${this.branch} was verified at ${this.expected} and is now at ${this.found}.`
  }
}

/** A change that cannot be applied to the base. */
export class MergeConflict extends Schema.TaggedError<MergeConflict>()("MergeConflict", {
  base: Schema.String,
  files: Schema.Array(Schema.String)
}) {
  override get message() {
    if (this.files.length === 0) return `It conflicts with ${this.base}.`
    const shown = this.files.slice(0, 20).join(", ")
    const more = this.files.length > 20 ? ` and ${this.files.length - 20} more` : ""
    return `It conflicts with ${this.base} in ${shown}${more}.`
  }
}

/** A rule of the repository keeps the pull request from being merged. */
export class MergeBlocked extends Schema.TaggedError<MergeBlocked>()("MergeBlocked", { rule: Schema.String }) {
  override get message() {
    return `A rule of the repository keeps it from being merged: ${this.rule}`
  }
}

/** The host merges it when its turn comes, or takes it out of its queue. */
export class InMergeQueue extends Schema.TaggedError<InMergeQueue>()("InMergeQueue", {
  place: Schema.NullOr(Schema.Number)
}) {
  override get message() {
    return `It is in the merge queue${this.place === null ? "" : `, at place ${this.place}`}.`
  }
}

/** A failed call of the host; a final failure is not retried. */
export class HostFailed extends Schema.TaggedError<HostFailed>()("HostFailed", {
  reason: Schema.String,
  isFinal: Schema.Boolean,
  /** True when the host asks to wait: nothing is wrong. */
  isWait: Schema.optionalWith(Schema.Boolean, { default: () => false })
}) {
  override get message() {
    return this.reason
  }
}

export interface Standing {
  readonly state: PullRequestRecord["state"]
  readonly mergeCommit: CommitId | null
  /** The commit its branch is at, where the host knows it. */
  readonly head?: CommitId
}

/** The page of a pull request on a host that has one. */
export interface Presentation {
  /** Markdown. */
  readonly body: string
  readonly isVerified: boolean
  /** One line. */
  readonly summary: string
  /** Page of the evidence. */
  readonly url: string
}

/** A branch that reverts a commit. */
export interface Reverted {
  readonly branch: BranchName
  readonly head: CommitId
  readonly onHost: OnHost | null
}

/** A commit of a branch. */
export interface BranchCommit {
  readonly commit: CommitId
  readonly parent: CommitId | null
  readonly isRevert: boolean
}

/** A commit that may be reverted. */
export interface FoundCommit {
  readonly commit: CommitId
  /** True when it reverts another commit. */
  readonly isRevert: boolean
}

export interface Revert {
  readonly repository: string
  readonly base: BranchName
  /** The merge, or a commit with one parent. */
  readonly commit: CommitId
  /** The branch to create; a host may choose another name. */
  readonly branch: BranchName
  readonly message: string
  /** Number of the merged pull request on its host. */
  readonly number?: PullRequestNumber | null
}

export interface Restore {
  readonly repository: string
  readonly branch: BranchName
  /** The branch that it was forked from; null is the default branch. */
  readonly base: BranchName | null
  /** Path of the folder, without a slash at its end. */
  readonly folder: string
  readonly message: string
}

export interface ChangedFile {
  readonly path: string
  /** Null for a binary file. */
  readonly lines: { readonly added: number; readonly deleted: number } | null
}

export interface Difference {
  readonly files: ReadonlyArray<ChangedFile>
  /** Unified diff. */
  readonly text: string
  /** True when the text or the list of files was cut. */
  readonly isCut: boolean
}

/** A system that keeps repositories and merges pull requests. Every call may be repeated. */
export interface CodeHost {
  /** True for addresses of repositories that it keeps. */
  readonly serves: (repository: string) => boolean
  readonly branchHead: (repository: string, branch: BranchName) => Effect.Effect<CommitId | null, HostFailed>
  readonly defaultBranch: (repository: string) => Effect.Effect<BranchName, HostFailed>
  /** Finds a commit of the default branch by its id or the beginning of it. */
  readonly findCommit: (repository: string, id: string) => Effect.Effect<FoundCommit | null, HostFailed>
  /** Opens or updates the pull request of a branch on the host, for exactly its head. Null on a host without pages. */
  readonly open: (
    proposal: Proposal,
    presentation?: Presentation
  ) => Effect.Effect<OnHost | null, BranchMoved | HostFailed>
  /**
   * Merges exactly the head; a pull request that is merged stays so. Returns the commit on the base. Into a merge queue it
   * is put once after `decidedAt`, or once at all without it.
   */
  readonly merge: (
    pullRequest: PullRequestRecord,
    message: string,
    decidedAt?: DateTime.Utc
  ) => Effect.Effect<CommitId, BranchMoved | MergeConflict | MergeBlocked | InMergeQueue | HostFailed>
  readonly state: (pullRequest: PullRequestRecord) => Effect.Effect<Standing, HostFailed>
  /** Creates a branch from the base without the changes of a commit, and its pull request. An existing one is kept. */
  readonly revert: (revert: Revert) => Effect.Effect<Reverted, MergeConflict | HostFailed>
  /** Puts a folder of a branch back to its content in the branch's first commit; returns null if nothing changes. */
  readonly restore: (restore: Restore) => Effect.Effect<CommitId | null, HostFailed>
  readonly checks: (repository: string, commit: CommitId) => Effect.Effect<ReadonlyArray<CheckReport>, HostFailed>
  /** The newest commits of a branch by first parents, newest first; none on a host without checks. */
  readonly recent: (repository: string, branch: BranchName) => Effect.Effect<ReadonlyArray<BranchCommit>, HostFailed>
  readonly difference: (pullRequest: PullRequestRecord) => Effect.Effect<Difference, HostFailed>
}

/** Code hosts for every workspace; the address of a repository chooses one. */
export class CodeHosts extends Context.Reference<CodeHosts>()("application/CodeHosts", {
  defaultValue: (): ReadonlyArray<CodeHost> => []
}) {}

/** Code hosts by the connections of a workspace. */
export class ConnectedHosts extends Context.Reference<ConnectedHosts>()("application/ConnectedHosts", {
  defaultValue: (): ((workspace: WorkspaceId) => Effect.Effect<ReadonlyArray<CodeHost>>) => () => Effect.succeed([])
}) {}

/** Every code host of a workspace. */
const hostsIn = (workspace: WorkspaceId) =>
  Effect.gen(function* () {
    return [...(yield* CodeHosts), ...(yield* (yield* ConnectedHosts)(workspace))]
  })

/** The code host of a repository by its address and the connections of the workspace. */
export const hostOf = (workspace: WorkspaceId, repository: string): Effect.Effect<CodeHost | null> =>
  Effect.map(hostsIn(workspace), (hosts) => hosts.find((host) => host.serves(repository)) ?? null)
