import { Effect, Schema } from "effect"
import type { CodeHost, HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import { BranchName } from "../../domain/codehost/PullRequestRecord.ts"
import { repositoryOn } from "../../domain/connection/Connection.ts"
import * as BranchChecks from "./BranchChecks.ts"
import type { Access, GitHubClient } from "./GitHubClient.ts"
import { branchHead, type GitHubRepository, repositoryAt } from "./GitHubRepository.ts"
import * as MergePullRequest from "./MergePullRequest.ts"
import { restore } from "./RestoreTree.ts"
import { revert } from "./RevertPullRequest.ts"

const Repository = Schema.Struct({ default_branch: BranchName })

const defaultBranch = (repository: GitHubRepository) =>
  Effect.map(repository.read("", Repository), ({ default_branch }) => default_branch)

/** The repositories that a connection reaches. Their secrets are opened for each use. */
export const make = (
  client: GitHubClient,
  connection: Access["connection"],
  opened: Effect.Effect<Access, HostFailed>
): CodeHost => {
  const at = <A, E>(address: string, use: (repository: GitHubRepository) => Effect.Effect<A, E>) =>
    Effect.flatMap(
      Effect.flatMap(opened, (access) => repositoryAt(access, client, address)),
      use
    )
  return {
    serves: (address) => repositoryOn(connection.baseUrl, address) !== null,
    branchHead: (address, branch) => at(address, (repository) => branchHead(repository, branch)),
    defaultBranch: (address) => at(address, defaultBranch),
    findCommit: (address, id) =>
      at(address, (repository) =>
        Effect.flatMap(defaultBranch(repository), (branch) => BranchChecks.findCommit(repository, branch, id))
      ),
    open: (proposal, page) =>
      at(proposal.repository, (repository) => MergePullRequest.open(repository, proposal, page)),
    merge: (record, message, decidedAt) =>
      at(record.repository, (repository) => MergePullRequest.merge(repository, record, message, decidedAt)),
    state: (record) => at(record.repository, (repository) => MergePullRequest.stateOf(repository, record)),
    revert: (wanted) => at(wanted.repository, (repository) => revert(repository, wanted)),
    restore: (wanted) =>
      at(wanted.repository, (repository) =>
        Effect.gen(function* () {
          return yield* restore(repository, wanted.base ?? (yield* defaultBranch(repository)), wanted)
        })
      ),
    checks: (address, commit) => at(address, (repository) => BranchChecks.checks(repository, commit)),
    recent: (address, branch) => at(address, (repository) => BranchChecks.recent(repository, branch)),
    difference: (record) => at(record.repository, (repository) => BranchChecks.difference(repository, record))
  }
}
