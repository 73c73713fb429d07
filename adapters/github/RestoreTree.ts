import { Effect, Schema } from "effect"
import { HostFailed, type Restore } from "../../application/ports/codehost/CodeHost.ts"
import { type BranchName, CommitId } from "../../domain/codehost/PullRequestRecord.ts"
import { refused } from "./GitHubClient.ts"
import { branchHead, GitCommit, gitCommit, type GitHubRepository, inPath } from "./GitHubRepository.ts"

const Tree = Schema.Struct({
  truncated: Schema.Boolean,
  tree: Schema.Array(
    Schema.Struct({
      path: Schema.String,
      mode: Schema.String,
      type: Schema.String,
      sha: Schema.String
    })
  )
})

const Compared = Schema.Struct({ commits: Schema.Array(Schema.Struct({ sha: CommitId })) })

/** Files of a folder in a tree, by path. */
const filesIn = (repository: GitHubRepository, tree: CommitId, folder: string) =>
  Effect.gen(function* () {
    const found = yield* repository.read(`/git/trees/${tree}?recursive=1`, Tree)
    if (found.truncated)
      return yield* new HostFailed({ reason: `${repository.shown} is too large to restore a folder.`, isFinal: true })
    const inside = found.tree.filter(({ path, type }) => type !== "tree" && path.startsWith(`${folder}/`))
    return new Map(inside.map((one) => [one.path, one]))
  })

/** Puts a folder of a branch back as the first commit of the branch has it. */
export const restore = (repository: GitHubRepository, base: BranchName, { branch, folder, message }: Restore) =>
  Effect.gen(function* () {
    const head = yield* branchHead(repository, branch)
    if (head === null) return null
    const { commits } = yield* repository.read(`/compare/${inPath(base)}...${inPath(branch)}`, Compared)
    const [first] = commits
    const [before, now] = [first && (yield* gitCommit(repository, first.sha)), yield* gitCommit(repository, head)]
    if (before == null || now === null) return null
    const wanted = yield* filesIn(repository, before.tree.sha, folder)
    const found = yield* filesIn(repository, now.tree.sha, folder)
    const back = [...wanted.values()].filter((one) => {
      const current = found.get(one.path)
      return current?.sha !== one.sha || current.mode !== one.mode
    })
    const gone = [...found.values()].filter(({ path }) => !wanted.has(path))
    if (back.length + gone.length === 0) return null
    const entries = [...back, ...gone.map((one) => ({ ...one, sha: null }))]
    const { sha: tree } = yield* repository.write(
      "POST",
      "/git/trees",
      { base_tree: now.tree.sha, tree: entries.map(({ mode, path, sha, type }) => ({ path, mode, type, sha })) },
      Schema.Struct({ sha: CommitId })
    )
    const commit = yield* repository.write("POST", "/git/commits", { message, tree, parents: [head] }, GitCommit)
    const moved = yield* repository.ask("PATCH", `/git/refs/heads/${inPath(branch)}`, { sha: commit.sha, force: false })
    return moved.status === 200 ? commit.sha : yield* refused(moved, repository.shown)
  })
