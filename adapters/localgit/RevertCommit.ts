import { Effect } from "effect"
import { HostFailed, type Revert } from "../../application/ports/codehost/CodeHost.ts"
import type { CommitId } from "../../domain/codehost/PullRequestRecord.ts"
import { isAncestor, lookUp, mergeTrees, messageOf, parentsOf, treeOf, writeCommit } from "./Commits.ts"
import { branchOf, type LocalRepository, setBranch, untilSet } from "./LocalRepository.ts"

const sentence = (commit: CommitId) => `This reverts commit ${commit}`

const refuse = (reason: string) => new HostFailed({ reason, isFinal: true })

/**
 * The tree of `base` without the changes of `commit`, as `git revert -m 1` makes it: a merge of the base and the
 * parent whose common ancestor is the commit. `merge-tree` of git before 2.40 takes no ancestor, so three commits
 * without branches stand in for the three trees.
 */
const without = (repository: LocalRepository, commit: CommitId, parent: CommitId, base: CommitId, name: string) =>
  Effect.gen(function* () {
    const [ancestor, ours, theirs] = yield* Effect.all(
      [commit, base, parent].map((one) => treeOf(repository, one)) as [
        ReturnType<typeof treeOf>,
        ReturnType<typeof treeOf>,
        ReturnType<typeof treeOf>
      ]
    )
    const root = yield* writeCommit(repository, ancestor, [], "reverted")
    const onBase = yield* writeCommit(repository, ours, [root], "base")
    const undone = yield* writeCommit(repository, theirs, [root], "before")
    return yield* mergeTrees(repository, onBase, undone, name)
  })

export const revert = (repository: LocalRepository, { base, branch, commit, message }: Revert) => {
  const turn = Effect.gen(function* () {
    const existing = yield* branchOf(repository, branch)
    if (existing !== null)
      return (yield* messageOf(repository, existing.head)).includes(sentence(commit))
        ? existing.head
        : yield* refuse(`The branch ${branch} exists in ${repository.path} and does not revert ${commit}. Delete it.`)
    const target = yield* branchOf(repository, base)
    if (target === null || !(yield* isAncestor(repository, commit, target.head)))
      return yield* refuse(`${commit} is not on the branch ${base} of ${repository.path}.`)
    const [parent] = yield* parentsOf(repository, commit)
    if (parent === undefined) return yield* refuse(`${commit} is the first commit of ${base}; it cannot be reverted.`)
    const tree = yield* without(repository, commit, parent, target.head, base)
    if (tree === (yield* treeOf(repository, target.head)))
      return yield* refuse(`Nothing of ${commit} is left on ${base}: there is nothing to revert.`)
    const text = `${message.trim()}\n\n${sentence(commit)}.`
    const head = yield* writeCommit(repository, tree, [target.head], text)
    return (yield* setBranch(repository, { branch, head, old: null, reason: `revert ${commit}` })) && head
  })
  return untilSet(branch, turn)
}

/** The commit with an id that begins so, if it is on a branch with this head. */
export const findCommit = (repository: LocalRepository, head: CommitId, id: string) =>
  Effect.gen(function* () {
    if (!/^[0-9a-f]{7,64}$/.test(id)) return null
    const commit = yield* lookUp(repository, `${id}^{commit}`)
    if (commit === null || !(yield* isAncestor(repository, commit, head))) return null
    const [, merged] = yield* parentsOf(repository, commit)
    const messages = yield* Effect.forEach([commit, ...(merged ? [merged] : [])], (one) => messageOf(repository, one))
    return { commit, isRevert: messages.some((text) => text.includes("This reverts commit ")) }
  })
