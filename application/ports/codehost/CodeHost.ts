import { Context, type Effect, Schema } from "effect"
import type { Proposal } from "../../../domain/codehost/ChangePullRequest.ts"
import type { BranchName, CommitId, PullRequestRecord } from "../../../domain/codehost/PullRequestRecord.ts"

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
    const shown = this.files.slice(0, 20).join(", ")
    const more = this.files.length > 20 ? ` and ${this.files.length - 20} more` : ""
    return `It conflicts with ${this.base} in ${shown}${more}.`
  }
}

/** A failed call of the host; a final failure is not retried. */
export class HostFailed extends Schema.TaggedError<HostFailed>()("HostFailed", {
  reason: Schema.String,
  isFinal: Schema.Boolean
}) {
  override get message() {
    return this.reason
  }
}

export interface Standing {
  readonly state: PullRequestRecord["state"]
  readonly mergeCommit: CommitId | null
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
  /** The branch to create. */
  readonly branch: BranchName
  readonly message: string
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

export interface Check {
  readonly name: string
  readonly status: "pending" | "passed" | "failed" | "skipped"
  readonly url: string | null
}

/** A system that keeps repositories and merges pull requests. Every call may be repeated. */
export interface CodeHost {
  /** True for addresses of repositories that it keeps. */
  readonly serves: (repository: string) => boolean
  readonly branchHead: (repository: string, branch: BranchName) => Effect.Effect<CommitId | null, HostFailed>
  readonly defaultBranch: (repository: string) => Effect.Effect<BranchName, HostFailed>
  /** Finds a commit of the default branch by its id or the beginning of it. */
  readonly findCommit: (repository: string, id: string) => Effect.Effect<FoundCommit | null, HostFailed>
  /** Opens or updates the pull request of a branch on the host, for exactly its head. */
  readonly open: (proposal: Proposal) => Effect.Effect<void, BranchMoved | HostFailed>
  /** Merges exactly the head; a pull request that is merged stays so. Returns the commit on the base. */
  readonly merge: (
    pullRequest: PullRequestRecord,
    message: string
  ) => Effect.Effect<CommitId, BranchMoved | MergeConflict | HostFailed>
  readonly state: (pullRequest: PullRequestRecord) => Effect.Effect<Standing, HostFailed>
  /** Creates a branch from the base without the changes of a commit; returns its head. An existing one is kept. */
  readonly revert: (revert: Revert) => Effect.Effect<CommitId, MergeConflict | HostFailed>
  /** Puts a folder of a branch back to its content in the branch's first commit; returns null if nothing changes. */
  readonly restore: (restore: Restore) => Effect.Effect<CommitId | null, HostFailed>
  readonly checks: (repository: string, commit: CommitId) => Effect.Effect<ReadonlyArray<Check>, HostFailed>
  readonly difference: (pullRequest: PullRequestRecord) => Effect.Effect<Difference, HostFailed>
}

/** The connected code hosts; the address of a repository chooses one. */
export class CodeHosts extends Context.Reference<CodeHosts>()("application/CodeHosts", {
  defaultValue: (): ReadonlyArray<CodeHost> => []
}) {}

export const hostOf = (hosts: ReadonlyArray<CodeHost>, repository: string): CodeHost | null =>
  hosts.find((host) => host.serves(repository)) ?? null
