import { Effect } from "effect"
import { BranchMoved, HostFailed, type Standing } from "../../application/ports/codehost/CodeHost.ts"
import type { Proposal } from "../../domain/codehost/ChangePullRequest.ts"
import type { CommitId, PullRequestRecord } from "../../domain/codehost/PullRequestRecord.ts"
import { isAncestor, mergeTrees, writeCommit } from "./Commits.ts"
import { unexpected } from "./Git.ts"
import { branchOf, type LocalRepository, setBranch, untilSet, writableBranch } from "./LocalRepository.ts"

const listed = (repository: LocalRepository, how: ReadonlyArray<string>, head: CommitId, base: CommitId) =>
  Effect.gen(function* () {
    const ran = yield* repository.objects(["rev-list", ...how, "--parents", base, `^${head}`], { most: 50_000_000 })
    if (ran.code !== 0) return yield* unexpected("rev-list", ran)
    const lines = ran.output.split("\n").filter((line) => line !== "")
    return lines.map((line) => line.split(" ") as unknown as readonly [commit: CommitId, parent: CommitId])
  })

/** The commit of the base's own line that brought a head to it; null while it is not there. */
const broughtBy = (repository: LocalRepository, head: CommitId, base: CommitId) =>
  Effect.gen(function* () {
    if (!(yield* isAncestor(repository, head, base))) return null
    const after = new Set((yield* listed(repository, ["--ancestry-path"], head, base)).map(([commit]) => commit))
    const line = yield* listed(repository, ["--first-parent", "--reverse"], head, base)
    const first = line.find(([commit]) => after.has(commit))
    // Without a merge commit the base was moved forward to the head.
    return first === undefined || first[1] === head ? head : first[0]
  })

const baseOf = (repository: LocalRepository, { base }: Proposal) =>
  Effect.flatMap(writableBranch(repository, base), (found) =>
    found === null
      ? new HostFailed({ reason: `There is no branch ${base} in ${repository.path}.`, isFinal: true })
      : Effect.succeed(found.head)
  )

/** Fails unless the branch is at the head. */
const checkHead = (repository: LocalRepository, { branch, head }: Proposal) =>
  Effect.flatMap(branchOf(repository, branch), (found) =>
    found?.head === head ? Effect.void : new BranchMoved({ branch, expected: head, found: found?.head ?? null })
  )

export const open = (repository: LocalRepository, proposal: Proposal) =>
  Effect.zipRight(baseOf(repository, proposal), checkHead(repository, proposal))

export const stateOf = (repository: LocalRepository, { base, branch, head }: PullRequestRecord) =>
  Effect.gen(function* () {
    const target = yield* branchOf(repository, base)
    const mergeCommit = target === null ? null : yield* broughtBy(repository, head, target.head)
    const isOpen = mergeCommit === null && (yield* branchOf(repository, branch)) !== null
    const standing: Standing = { state: mergeCommit !== null ? "merged" : isOpen ? "open" : "closed", mergeCommit }
    return standing
  })

/** Merges the head of a pull request into its base, as often as the base moves meanwhile. */
export const merge = (repository: LocalRepository, pullRequest: PullRequestRecord, message: string) => {
  const { base, branch, head, number } = pullRequest
  const turn = Effect.gen(function* () {
    const old = yield* baseOf(repository, pullRequest)
    const done = yield* broughtBy(repository, head, old)
    if (done !== null) return done
    yield* checkHead(repository, pullRequest)
    const tree = yield* mergeTrees(repository, old, head, base)
    const commit = yield* writeCommit(repository, tree, [old, head], message)
    const change = { branch: base, head: commit, old, besides: { branch, head }, reason: `merge #${number}` }
    return (yield* setBranch(repository, change)) && commit
  })
  return untilSet(base, turn)
}
