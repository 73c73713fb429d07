import { Effect, Schema } from "effect"
import { HostFailed, MergeConflict, type Revert, type Reverted } from "../../application/ports/codehost/CodeHost.ts"
import { BranchName, CommitId, type PullRequestNumber } from "../../domain/codehost/PullRequestRecord.ts"
import { isRevert } from "./BranchChecks.ts"
import { refused } from "./GitHubClient.ts"
import { branchHead, createBranch, GitCommit, gitCommit, type GitHubRepository, inPath } from "./GitHubRepository.ts"
import { Listed, onHost, opened, pullOf } from "./MergePullRequest.ts"

const refuse = (reason: string) => new HostFailed({ reason, isFinal: true })

const isBranch = Schema.is(BranchName)

const revertedBy = (pull: typeof Listed.Type): Reverted => ({
  branch: BranchName.make(pull.head.ref),
  head: pull.head.sha,
  onHost: onHost(pull)
})

const mutation = `mutation($input: RevertPullRequestInput!) {
  revertPullRequest(input: $input) { revertPullRequest { number } }
}`

const Answered = Schema.Struct({
  data: Schema.NullOr(
    Schema.Struct({
      revertPullRequest: Schema.NullOr(
        Schema.Struct({ revertPullRequest: Schema.NullOr(Schema.Struct({ number: Schema.Number })) })
      )
    })
  )
})

/** Has GitHub revert a pull request, on a branch that it names itself; null where it does not. */
const byGitHub = (repository: GitHubRepository, number: PullRequestNumber, wanted: Revert) =>
  Effect.gen(function* () {
    const pull = yield* repository.find(`/pulls/${number}`, Listed)
    const branch = `revert-${number}-${pull?.head.ref ?? ""}`
    if (pull === null || !isBranch(branch)) return null
    const known = yield* pullOf(repository, branch, "all")
    if (known !== null) return revertedBy(known)
    const [title = "", ...rest] = wanted.message.split("\n")
    const body = [...rest, `This reverts commit ${wanted.commit}.`].join("\n").trim()
    const input = { pullRequestId: pull.node_id, title, body }
    const answer = yield* repository.client.call(repository.access, {
      method: "POST",
      path: "graphql",
      repository: repository.of,
      body: { query: mutation, variables: { input } }
    })
    const made = Schema.decodeUnknownOption(Answered)(answer.body)
    if (answer.status !== 200 || made._tag === "None" || made.value.data?.revertPullRequest == null) return null
    const found = yield* pullOf(repository, branch, "all")
    return found === null ? null : revertedBy(found)
  })

const Compared = Schema.Struct({
  status: Schema.String,
  commits: Schema.Array(Schema.Struct({ commit: Schema.Struct({ message: Schema.String }) }))
})

const compared = (repository: GitHubRepository, base: string, head: string) =>
  repository.find(`/compare/${inPath(base)}...${inPath(head)}`, Compared)

/** The message of a revert, by which others know it. */
const sentenced = ({ commit, message }: Revert) => `${message.trim()}\n\nThis reverts commit ${commit}.`

/** The commit that takes the changes of another one back, right after it. */
const opposite = (repository: GitHubRepository, wanted: Revert) =>
  Effect.gen(function* () {
    const { base, commit } = wanted
    const state = (yield* compared(repository, commit, base))?.status
    if (state !== "ahead" && state !== "identical")
      return yield* refuse(`${commit} is not on the branch ${base} of ${repository.shown}.`)
    const found = yield* gitCommit(repository, commit)
    const parent = found?.parents[0] && (yield* gitCommit(repository, found.parents[0].sha))
    if (parent == null) return yield* refuse(`${commit} is the first commit of ${base}; it cannot be reverted.`)
    const body = {
      message: sentenced(wanted),
      tree: parent.tree.sha,
      parents: [commit]
    }
    return (yield* repository.write("POST", "/git/commits", body, GitCommit)).sha
  })

const isSameTree = (repository: GitHubRepository, ...commits: readonly [CommitId, CommitId]) =>
  Effect.map(
    Effect.forEach(commits, (commit) => gitCommit(repository, commit)),
    ([one, other]) => one != null && one.tree.sha === other?.tree.sha
  )

/**
 * Reverts by commits: the opposite of the commit becomes a branch, and the host merges the base into it, which leaves the
 * base without the change.
 */
const byCommits = (repository: GitHubRepository, wanted: Revert) =>
  Effect.gen(function* () {
    const { base, branch, commit, message } = wanted
    if ((yield* branchHead(repository, branch)) === null)
      yield* createBranch(repository, branch, yield* opposite(repository, wanted))
    const own = (yield* compared(repository, base, branch))?.commits ?? []
    if (!own.some((one) => isRevert(one.commit.message) && one.commit.message.includes(commit)))
      return yield* refuse(
        `The branch ${branch} exists in ${repository.shown} and does not revert ${commit}. Delete it.`
      )
    const merged = yield* repository.ask("POST", "/merges", {
      base: branch,
      head: base,
      commit_message: sentenced(wanted)
    })
    if (merged.status === 409) {
      yield* repository.ask("DELETE", `/git/refs/heads/${inPath(branch)}`)
      return yield* new MergeConflict({ base, files: [] })
    }
    if (merged.status !== 201 && merged.status !== 204) return yield* refused(merged, repository.shown)
    const head = yield* branchHead(repository, branch)
    const current = yield* branchHead(repository, base)
    if (head !== null && current !== null && (yield* isSameTree(repository, head, current))) {
      yield* repository.ask("DELETE", `/git/refs/heads/${inPath(branch)}`)
      return yield* refuse(`Nothing of ${commit} is left on ${base}; there is nothing to revert.`)
    }
    const [title = "", ...rest] = message.split("\n")
    const body = [...rest, `This reverts commit ${commit}.`].join("\n").trim()
    const pull = yield* opened(repository, { base, branch, title }, body)
    return { ...revertedBy(pull), head: head ?? CommitId.make(pull.head.sha) }
  })

/** Opens a pull request that reverts a commit, once. */
export const revert = (repository: GitHubRepository, wanted: Revert) =>
  Effect.gen(function* () {
    const number = wanted.number ?? null
    const known = number === null ? yield* pullOf(repository, wanted.branch, "open") : null
    if (known !== null && (known.body ?? "").includes(wanted.commit)) return revertedBy(known)
    const byHost = number === null ? null : yield* byGitHub(repository, number, wanted)
    return byHost ?? (yield* byCommits(repository, wanted))
  })
