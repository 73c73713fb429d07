import * as Git from "./Git.ts"
import { issueLabels } from "./IssueShapes.ts"
import { repositoryApi, repositoryPage, repositoryShape, userShape } from "./Shapes.ts"
import * as State from "./State.ts"
import { judge, problemsOf } from "./Judge.ts"
import type { World } from "./World.ts"

const side = (world: World, repository: State.Repository, ref: string, sha: string) => ({
  label: `${repository.owner.login}:${ref}`,
  ref,
  sha,
  user: userShape(world, repository.owner),
  repo: repositoryShape(world, repository)
})

/** A pull request as lists have it. */
export const simplePullShape = (world: World, repository: State.Repository, issue: State.PullRequest) => {
  const { pull } = issue
  const api = repositoryApi(world, repository)
  const url = `${api}/pulls/${issue.number}`
  const html = `${repositoryPage(world, repository)}/pull/${issue.number}`
  const own = `${api}/issues/${issue.number}`
  return {
    url,
    id: issue.id,
    node_id: State.nodeId("PR", issue.id),
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: own,
    number: issue.number,
    state: issue.state,
    locked: issue.locked,
    title: issue.title,
    user: userShape(world, issue.user),
    body: issue.body,
    created_at: State.timestamp(issue.createdAt),
    updated_at: State.timestamp(issue.updatedAt),
    closed_at: State.timeOrNull(issue.closedAt),
    merged_at: State.timeOrNull(pull.mergedAt),
    merge_commit_sha: pull.mergeCommit ?? pull.judged?.merge ?? null,
    assignee: issue.assignees[0] === undefined ? null : userShape(world, issue.assignees[0]),
    assignees: issue.assignees.map((one) => userShape(world, one)),
    requested_reviewers: [],
    requested_teams: [],
    labels: issueLabels(world, repository, issue),
    milestone: null,
    draft: pull.draft,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${api}/pulls/comments{/number}`,
    comments_url: `${own}/comments`,
    statuses_url: `${api}/statuses/${pull.head}`,
    head: side(world, repository, pull.headRef, pull.head),
    base: side(world, repository, pull.base, pull.baseSha),
    _links: {
      self: { href: url },
      html: { href: html },
      issue: { href: own },
      comments: { href: `${own}/comments` },
      review_comments: { href: `${url}/comments` },
      review_comment: { href: `${api}/pulls/comments{/number}` },
      commits: { href: `${url}/commits` },
      statuses: { href: `${api}/statuses/${pull.head}` }
    },
    author_association: "CONTRIBUTOR",
    auto_merge: null,
    active_lock_reason: null
  }
}

const mergeableState = (
  world: World,
  repository: State.Repository,
  issue: State.PullRequest,
  isMergeable: boolean | null
) => {
  if (issue.state === "closed" || isMergeable === null) return "unknown"
  if (issue.pull.draft) return "draft"
  if (!isMergeable) return "dirty"
  return problemsOf(repository, issue).length > 0 ? "blocked" : "clean"
}

const sizes = new Map<string, Promise<{ readonly files: ReadonlyArray<Git.FileChange>; readonly commits: number }>>()

const measured = async ({ path }: State.Repository, { baseSha, head }: State.Pull) => {
  const from = (await Git.tryGit(path, ["merge-base", baseSha, head])).out.trim()
  if (from === "") return { files: [], commits: 0 }
  const commits = await Git.git(path, ["rev-list", "--count", `${from}..${head}`])
  return { files: await Git.changesBetween(path, from, head), commits: Number(commits) }
}

/** Files and commits of a pull request; the same pair of commits is measured once. */
const sizeOf = (repository: State.Repository, pull: State.Pull) => {
  const key = `${repository.path} ${pull.baseSha} ${pull.head}`
  const known = sizes.get(key) ?? measured(repository, pull)
  sizes.set(key, known)
  return known
}

/** A whole pull request; asking for it starts the test merge, as at GitHub. */
export const pullShape = async (
  world: World,
  repository: State.Repository,
  issue: State.PullRequest,
  { isAsked = false }: { readonly isAsked?: boolean } = {}
) => {
  const { pull } = issue
  const isMergeable = issue.state === "open" && isAsked ? await judge(world, repository, issue) : null
  const { files, commits } = await sizeOf(repository, pull)
  const sum = (field: "additions" | "deletions") => files.reduce((total, one) => total + one[field], 0)
  return {
    ...simplePullShape(world, repository, issue),
    merged: pull.mergedAt !== null,
    mergeable: isMergeable,
    rebaseable: isMergeable,
    mergeable_state: mergeableState(world, repository, issue, isMergeable),
    merged_by: pull.mergedBy === null ? null : userShape(world, pull.mergedBy),
    comments: issue.comments.length,
    review_comments: 0,
    maintainer_can_modify: false,
    commits,
    additions: sum("additions"),
    deletions: sum("deletions"),
    changed_files: files.length
  }
}

/** A pull request as check runs name it. */
export const minimalPullShape = (world: World, repository: State.Repository, issue: State.PullRequest) => {
  const repo = { id: repository.id, url: repositoryApi(world, repository), name: repository.name }
  return {
    id: issue.id,
    number: issue.number,
    url: `${repositoryApi(world, repository)}/pulls/${issue.number}`,
    head: { ref: issue.pull.headRef, sha: issue.pull.head, repo },
    base: { ref: issue.pull.base, sha: issue.pull.baseSha, repo }
  }
}
