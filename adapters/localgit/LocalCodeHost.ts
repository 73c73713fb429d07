import { Effect, Layer, Schema } from "effect"
import { PublicUrl } from "../../application/oncall/PublicUrl.ts"
import { type CodeHost, CodeHosts, HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import { BranchName } from "../../domain/codehost/PullRequestRecord.ts"
import { isLocal } from "../../domain/value/Repository.ts"
import { Author } from "./Commits.ts"
import { branchOf, type LocalRepository, openRepository } from "./LocalRepository.ts"
import * as MergeBranch from "./MergeBranch.ts"
import { restore } from "./RestoreFolder.ts"
import { findCommit, revert } from "./RevertCommit.ts"
import { difference } from "./ShowDifference.ts"

const isBranch = Schema.is(BranchName)

const defaultBranch = (repository: LocalRepository) =>
  Effect.gen(function* () {
    const ran = yield* repository.refs(["symbolic-ref", "--quiet", "HEAD"])
    const name = ran.output.trim().replace(/^refs\/heads\//, "")
    if (ran.code === 0 && isBranch(name)) return name
    return yield* new HostFailed({ reason: `HEAD of ${repository.path} names no branch.`, isFinal: true })
  })

/** Pages that compute a difference at the same time; the others wait. */
const mostDifferences = 2

/** Repositories on the machine of the service, through the program git. Pull requests are rows of the service alone. */
export const make = (author: typeof Author.Service): CodeHost => {
  const at = <A, E>(address: string, use: (repository: LocalRepository) => Effect.Effect<A, E, Author>) =>
    Effect.flatMap(openRepository(address), use).pipe(Effect.scoped, Effect.provideService(Author, author))
  const turns = Effect.unsafeMakeSemaphore(mostDifferences)
  return {
    serves: isLocal,
    branchHead: (address, branch) =>
      at(address, (repository) => Effect.map(branchOf(repository, branch), (found) => found?.head ?? null)),
    defaultBranch: (address) => at(address, defaultBranch),
    findCommit: (address, id) =>
      at(address, (repository) =>
        Effect.gen(function* () {
          const found = yield* branchOf(repository, yield* defaultBranch(repository))
          return found === null ? null : yield* findCommit(repository, found.head, id)
        })
      ),
    open: (proposal) =>
      Effect.as(
        at(proposal.repository, (repository) => MergeBranch.open(repository, proposal)),
        null
      ),
    merge: (pullRequest, message) =>
      at(pullRequest.repository, (repository) => MergeBranch.merge(repository, pullRequest, message)),
    state: (pullRequest) => at(pullRequest.repository, (repository) => MergeBranch.stateOf(repository, pullRequest)),
    revert: (wanted) =>
      Effect.map(
        at(wanted.repository, (repository) => revert(repository, wanted)),
        (head) => ({ branch: wanted.branch, head, onHost: null })
      ),
    restore: (wanted) =>
      at(wanted.repository, (repository) =>
        Effect.gen(function* () {
          return yield* restore(repository, wanted.base ?? (yield* defaultBranch(repository)), wanted)
        })
      ),
    checks: () => Effect.succeed([]),
    recent: () => Effect.succeed([]),
    difference: (pullRequest) =>
      turns.withPermits(1)(at(pullRequest.repository, (repository) => difference(repository, pullRequest)))
  }
}

export const layer = Layer.effect(
  CodeHosts,
  Effect.map(PublicUrl, (url) => [make({ email: `gatehouse@${new URL(url).hostname}` })])
)
