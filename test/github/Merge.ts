import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Refusal, refuse } from "./Answer.ts"
import * as Git from "./Git.ts"
import { judge, problemsOf } from "./Judge.ts"
import { closePull, refreshRefs } from "./Refs.ts"
import type * as State from "./State.ts"
import type { World } from "./World.ts"

export type Method = "merge" | "squash" | "rebase"

const isMethod = (value: unknown): value is Method => value === "merge" || value === "squash" || value === "rebase"

interface Wanted {
  readonly sha?: string | undefined
  readonly method?: unknown
  readonly title?: string | undefined
  readonly message?: string | undefined
}

const refusedMethods: Readonly<Record<Method, string>> = {
  merge: "Merge commits are not allowed on this repository.",
  squash: "Squash merges are not allowed on this repository.",
  rebase: "Rebase merges are not allowed on this repository."
}

/** Reason why a pull request cannot be merged by this call; null when it can. */
const refusalOf = async (
  world: World,
  repository: State.Repository,
  issue: State.PullRequest,
  wanted: Wanted,
  method: Method
): Promise<Refusal | null> => {
  const { pull } = issue
  if (issue.state === "closed") return refuse(405, "Pull Request is not mergeable")
  if (pull.draft) return refuse(405, "Pull Request is still a draft")
  if (!repository.mergeMethods.has(method)) return refuse(405, refusedMethods[method])
  if (wanted.sha !== undefined && wanted.sha !== pull.head)
    return refuse(409, "Head branch was modified. Review and try the merge again.")
  const problems = problemsOf(repository, issue)
  if (problems.length > 0) return refuse(405, `Repository rule violations found\n\n${problems.join("\n")}\n\n`)
  const rules = repository.protections.get(pull.base)
  if (rules?.isStrict === true && !(await Git.isAncestor(repository.path, pull.baseSha, pull.head)))
    return refuse(405, "This branch is out-of-date with the base branch.")
  await judge(world, repository, issue)
  return pull.judged?.merge === null ? refuse(405, "Pull Request is not mergeable") : null
}

/** Runs in a worktree that is removed afterwards. */
export const inWorktree = async <A>(
  repository: State.Repository,
  commit: string,
  work: (folder: string) => Promise<A>
): Promise<A> => {
  const parent = await mkdtemp(join(tmpdir(), "gatehouse-test-github-"))
  const folder = join(parent, "tree")
  try {
    await Git.git(repository.path, ["worktree", "add", "--quiet", "--detach", folder, commit])
    return await work(folder)
  } finally {
    await Git.tryGit(repository.path, ["worktree", "remove", "--force", folder])
    await rm(parent, { recursive: true, force: true })
  }
}

const mergeCommit = async (
  world: World,
  repository: State.Repository,
  issue: State.PullRequest,
  sender: State.User,
  method: Method,
  wanted: Wanted
): Promise<string | null> => {
  const { pull } = issue
  const { path } = repository
  const now = world.clock.now()
  if (method === "rebase")
    return inWorktree(repository, pull.baseSha, async (folder) => {
      const variables = Git.signedBy(Git.personOf(sender), now)
      const picked = await Git.tryGit(folder, ["cherry-pick", "--allow-empty", `${pull.baseSha}..${pull.head}`], {
        variables
      })
      return picked.code === 0 ? Git.git(folder, ["rev-parse", "HEAD"]) : null
    })
  const tree = await Git.mergedTree(path, pull.baseSha, pull.head)
  if (tree === null) return null
  const isMerge = method === "merge"
  const title =
    wanted.title ??
    (isMerge
      ? `Merge pull request #${issue.number} from ${repository.owner.login}/${pull.headRef}`
      : `${issue.title} (#${issue.number})`)
  const text = wanted.message ?? (isMerge ? issue.title : "")
  const parents = isMerge ? [pull.baseSha, pull.head] : [pull.baseSha]
  const author = Git.personOf(isMerge ? sender : issue.user)
  return Git.commitTree(path, tree, parents, text === "" ? title : `${title}\n\n${text}`, Git.signedBy(author, now))
}

/** Merges a pull request on the branch itself, or says why not. */
export const merge = async (
  world: World,
  repository: State.Repository,
  issue: State.PullRequest,
  sender: State.User,
  wanted: Wanted
): Promise<string> => {
  const { pull } = issue
  await refreshRefs(world, repository, sender)
  const method = isMethod(wanted.method) ? wanted.method : "merge"
  const refusal = await refusalOf(world, repository, issue, wanted, method)
  if (refusal !== null) throw refusal
  const commit = await mergeCommit(world, repository, issue, sender, method, wanted)
  if (commit === null) throw refuse(405, "Pull Request is not mergeable")
  const ref = `refs/heads/${pull.base}`
  if (!(await Git.moveRef(repository.path, ref, commit, pull.baseSha)))
    throw refuse(405, "Base branch was modified. Review and try the merge again.")
  await closePull(world, repository, sender, issue, commit)
  await refreshRefs(world, repository, sender)
  return commit
}
