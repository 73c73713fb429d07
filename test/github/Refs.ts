/** Refs that change, and the pull requests that follow them. */
import * as Git from "./Git.ts"
import { pullShape } from "./PullShapes.ts"
import { repositoryApi, repositoryPage } from "./Shapes.ts"
import * as State from "./State.ts"
import type { World } from "./World.ts"

const zero = "0".repeat(40)

const pushedCommit = (
  world: World,
  repository: State.Repository,
  commit: Git.CommitInfo,
  files: ReadonlyArray<Git.FileChange>
) => {
  const named = (status: string) => files.filter((one) => one.status === status).map(({ name }) => name)
  return {
    id: commit.sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: commit.committer.date,
    url: `${repositoryPage(world, repository)}/commit/${commit.sha}`,
    author: { name: commit.author.name, email: commit.author.email },
    committer: { name: commit.committer.name, email: commit.committer.email },
    added: named("added"),
    removed: named("removed"),
    modified: named("modified")
  }
}

const emitPush = async (
  world: World,
  repository: State.Repository,
  sender: State.User,
  ref: string,
  before: string | undefined,
  after: string | undefined
) => {
  const { path } = repository
  const range =
    after === undefined ? null : before === undefined ? ["-n", "1", after] : ["-n", "20", `${before}..${after}`]
  const commits = range === null ? [] : (await Git.log(path, range, State.timestamp)).toReversed()
  const shaped = await Promise.all(
    commits.map(async (commit) => {
      const [parent] = commit.parents
      const files = parent === undefined ? [] : await Git.changesBetween(path, parent, commit.sha)
      return pushedCommit(world, repository, commit, files)
    })
  )
  const isForced = before !== undefined && after !== undefined && !(await Git.isAncestor(path, before, after))
  world.emit(repository, sender, "push", null, {
    ref,
    before: before ?? zero,
    after: after ?? zero,
    created: before === undefined,
    deleted: after === undefined,
    forced: isForced,
    base_ref: null,
    compare: `${repositoryPage(world, repository)}/compare/${before ?? zero}...${after ?? zero}`,
    commits: shaped,
    head_commit: shaped.at(-1) ?? null,
    pusher: { name: sender.login, email: Git.personOf(sender).email }
  })
}

export const emitPull = async (
  world: World,
  repository: State.Repository,
  sender: State.User,
  action: string,
  issue: State.PullRequest,
  more: Readonly<Record<string, unknown>> = {}
) =>
  world.emit(repository, sender, "pull_request", action, {
    number: issue.number,
    pull_request: await pullShape(world, repository, issue),
    ...more
  })

/** Closes a pull request; with a commit, as merged by it. */
export const closePull = async (
  world: World,
  repository: State.Repository,
  sender: State.User,
  issue: State.PullRequest,
  commit: string | null
) => {
  const now = world.clock.now()
  Object.assign(issue, { state: "closed", closedAt: now, closedBy: sender, updatedAt: now })
  issue.pull.queue = null
  if (commit !== null) Object.assign(issue.pull, { mergedAt: now, mergedBy: sender, mergeCommit: commit })
  await emitPull(world, repository, sender, "closed", issue)
}

const followHead = async (
  world: World,
  repository: State.Repository,
  sender: State.User,
  issue: State.PullRequest,
  ref: string,
  after: string | undefined
) => {
  const { pull } = issue
  if (ref !== `refs/heads/${pull.headRef}`) return
  if (after === undefined) return closePull(world, repository, sender, issue, null)
  // The pull request may have been opened at a commit before its branch was seen to move there.
  if (after === pull.head) return
  const before = pull.head
  pull.head = after
  pull.queue = null
  issue.updatedAt = world.clock.now()
  await Git.git(repository.path, ["update-ref", `refs/pull/${issue.number}/head`, after])
  await emitPull(world, repository, sender, "synchronize", issue, { before, after })
}

/** A push to the base that contains the head of a pull request merges it. */
const followBase = async (
  world: World,
  repository: State.Repository,
  sender: State.User,
  issue: State.PullRequest,
  ref: string,
  after: string | undefined
) => {
  const { pull } = issue
  if (ref !== `refs/heads/${pull.base}` || after === undefined) return
  if (await Git.isAncestor(repository.path, pull.head, after)) return closePull(world, repository, sender, issue, after)
  pull.baseSha = after
}

/** Finds the refs that changed since the last look, and sends the events of each. */
export const refreshRefs = async (world: World, repository: State.Repository, sender: State.User) => {
  const now = await Git.refsOf(repository.path)
  const before = new Map(repository.refs)
  const changed = [...new Set([...before.keys(), ...now.keys()])].filter((ref) => before.get(ref) !== now.get(ref))
  for (const ref of changed) {
    const [old, after] = [before.get(ref), now.get(ref)]
    if (after === undefined) repository.refs.delete(ref)
    else repository.refs.set(ref, after)
    repository.pushedAt = world.clock.now()
    const about = {
      ref: ref.replace(/^refs\/(heads|tags)\//, ""),
      ref_type: ref.startsWith("refs/heads/") ? "branch" : "tag"
    }
    if (old === undefined)
      world.emit(repository, sender, "create", null, {
        ...about,
        master_branch: repository.defaultBranch,
        description: null,
        pusher_type: "user"
      })
    if (after === undefined) world.emit(repository, sender, "delete", null, { ...about, pusher_type: "user" })
    await emitPush(world, repository, sender, ref, old, after)
    for (const issue of repository.issues.filter(State.isPullRequest)) {
      if (issue.state === "open") await followHead(world, repository, sender, issue, ref, after)
      if (issue.state === "open") await followBase(world, repository, sender, issue, ref, after)
    }
  }
}

export const refShape = (world: World, repository: State.Repository, ref: string, sha: string) => ({
  ref,
  node_id: `REF_${Buffer.from(ref).toString("base64url")}`,
  url: `${repositoryApi(world, repository)}/git/${ref}`,
  object: { type: "commit", sha, url: `${repositoryApi(world, repository)}/git/commits/${sha}` }
})
