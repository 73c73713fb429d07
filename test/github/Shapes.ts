/** Accounts, repositories, apps and commits as GitHub's JSON. */
import type { CommitInfo } from "./Git.ts"
import * as State from "./State.ts"
import { botOf, type World } from "./World.ts"

export const apiOf = (world: World) => `${world.origin}/api/v3`
export const repositoryApi = (world: World, repository: State.Repository) =>
  `${apiOf(world)}/repos/${State.fullName(repository)}`
export const issueApi = (world: World, repository: State.Repository, number: number) =>
  `${repositoryApi(world, repository)}/issues/${number}`
export const repositoryPage = (world: World, repository: State.Repository) =>
  `${world.origin}/${State.fullName(repository)}`

export const userShape = (world: World, user: State.User) => {
  const url = `${apiOf(world)}/users/${encodeURIComponent(user.login)}`
  return {
    login: user.login,
    id: user.id,
    node_id: State.nodeId("U", user.id),
    avatar_url: `${world.origin}/avatars/u/${user.id}`,
    gravatar_id: "",
    url,
    html_url: `${world.origin}/${encodeURIComponent(user.login)}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type: user.type,
    site_admin: false
  }
}

export const profileShape = (world: World, user: State.User) => ({
  ...userShape(world, user),
  name: user.login,
  company: null,
  blog: "",
  location: null,
  email: null,
  hireable: null,
  bio: null,
  public_repos: 1,
  public_gists: 0,
  followers: 0,
  following: 0,
  created_at: "2020-01-01T00:00:00Z",
  updated_at: "2020-01-01T00:00:00Z"
})

const addresses = `archive:{archive_format}{/ref} assignees:{/user} blobs:git/blobs{/sha} branches:{/branch}
  collaborators:{/collaborator} comments:{/number} commits:{/sha} compare:{base}...{head} contents:{+path} contributors:
  deployments: downloads: events: forks: git_commits:git/commits{/sha} git_refs:git/refs{/sha} git_tags:git/tags{/sha}
  hooks: issue_comment:issues/comments{/number} issue_events:issues/events{/number} issues:{/number} keys:{/key_id}
  labels:{/name} languages: merges: milestones:{/number} notifications:{?since,all,participating} pulls:{/number}
  releases:{/id} stargazers: statuses:{/sha} subscribers: subscription: tags: teams: trees:git/trees{/sha}`
  .split(/\s+/)
  .map((one) => one.split(":") as [string, string])

const addressesOf = (url: string) =>
  Object.fromEntries(
    addresses.map(([name, suffix]) => {
      const hasOwnPath = suffix.startsWith("git/") || suffix.startsWith("issues/")
      const joined = hasOwnPath ? `/${suffix}` : `/${name}${/^\{[a-z+]/.test(suffix) ? "/" : ""}${suffix}`
      return [`${name}_url`, `${url}${joined}`]
    })
  )

export const repositoryShape = (world: World, repository: State.Repository) => {
  const page = repositoryPage(world, repository)
  const url = repositoryApi(world, repository)
  const open = repository.issues.filter(({ state }) => state === "open").length
  return {
    id: repository.id,
    node_id: State.nodeId("R", repository.id),
    name: repository.name,
    full_name: State.fullName(repository),
    private: repository.isPrivate,
    owner: userShape(world, repository.owner),
    html_url: page,
    description: null,
    fork: false,
    url,
    ...addressesOf(url),
    git_url: `git:${page.replace(/^https?:/, "")}.git`,
    ssh_url: `git@${new URL(page).hostname}:${State.fullName(repository)}.git`,
    clone_url: `${page}.git`,
    svn_url: page,
    mirror_url: null,
    homepage: null,
    language: null,
    forks_count: 0,
    stargazers_count: 0,
    watchers_count: 0,
    size: 0,
    default_branch: repository.defaultBranch,
    open_issues_count: open,
    is_template: false,
    topics: [],
    has_issues: repository.hasIssues,
    has_projects: true,
    has_wiki: true,
    has_pages: false,
    has_discussions: false,
    has_downloads: true,
    archived: false,
    disabled: false,
    visibility: repository.isPrivate ? "private" : "public",
    allow_forking: true,
    web_commit_signoff_required: false,
    pushed_at: State.timestamp(repository.pushedAt),
    created_at: State.timestamp(repository.createdAt),
    updated_at: State.timestamp(repository.pushedAt),
    license: null,
    custom_properties: {},
    forks: 0,
    open_issues: open,
    watchers: 0
  }
}

export const fullRepositoryShape = (world: World, repository: State.Repository) => ({
  ...repositoryShape(world, repository),
  allow_squash_merge: repository.mergeMethods.has("squash"),
  allow_merge_commit: repository.mergeMethods.has("merge"),
  allow_rebase_merge: repository.mergeMethods.has("rebase"),
  allow_auto_merge: false,
  delete_branch_on_merge: false,
  subscribers_count: 0,
  network_count: 0
})

/** Page of every app, and of check runs that name none. */
export const externalUrl = "https://gatehouse.test"

export const appShape = (world: World, app: State.App) => ({
  id: app.id,
  slug: app.slug,
  node_id: State.nodeId("A", app.id),
  owner: userShape(world, app.owner),
  name: app.name,
  description: "",
  external_url: externalUrl,
  html_url: `${world.origin}/apps/${app.slug}`,
  created_at: State.timestamp(app.createdAt),
  updated_at: State.timestamp(app.createdAt),
  permissions: app.permissions,
  events: app.events
})

export const installationShape = (world: World, one: State.Installation) => ({
  id: one.id,
  client_id: one.app.clientId,
  account: userShape(world, one.account),
  repository_selection: one.repositories === null ? "all" : "selected",
  access_tokens_url: `${apiOf(world)}/app/installations/${one.id}/access_tokens`,
  repositories_url: `${apiOf(world)}/installation/repositories`,
  html_url: `${world.origin}/organizations/${one.account.login}/settings/installations/${one.id}`,
  app_id: one.app.id,
  app_slug: one.app.slug,
  target_id: one.account.id,
  target_type: one.account.type,
  permissions: one.permissions,
  events: one.app.events,
  created_at: State.timestamp(one.createdAt),
  updated_at: State.timestamp(one.createdAt),
  single_file_name: null,
  has_multiple_single_files: false,
  single_file_paths: [],
  suspended_by: one.suspendedAt === null ? null : userShape(world, botOf(world, one.app)),
  suspended_at: State.timeOrNull(one.suspendedAt)
})

const unsigned = { verified: false, reason: "unsigned", signature: null, payload: null, verified_at: null }

/** A commit with its number of comments, author and parents. */
export const commitShape = (world: World, repository: State.Repository, commit: CommitInfo) => {
  const url = repositoryApi(world, repository)
  const page = repositoryPage(world, repository)
  return {
    sha: commit.sha,
    node_id: `C_${commit.sha}`,
    commit: {
      author: commit.author,
      committer: commit.committer,
      message: commit.message,
      tree: { sha: commit.tree, url: `${url}/git/trees/${commit.tree}` },
      url: `${url}/git/commits/${commit.sha}`,
      comment_count: 0,
      verification: unsigned
    },
    url: `${url}/commits/${commit.sha}`,
    html_url: `${page}/commit/${commit.sha}`,
    comments_url: `${url}/commits/${commit.sha}/comments`,
    author: null,
    committer: null,
    parents: commit.parents.map((sha) => ({ sha, url: `${url}/commits/${sha}`, html_url: `${page}/commit/${sha}` }))
  }
}

export const gitCommitShape = (world: World, repository: State.Repository, commit: CommitInfo) => {
  const { sha, node_id, html_url, parents, commit: inner } = commitShape(world, repository, commit)
  const { author, committer, message, tree, url, verification } = inner
  return { sha, node_id, url, html_url, author, committer, tree, message, parents, verification }
}

/** A commit as pushes and check suites name it. */
export const simpleCommitShape = ({ sha, tree, message, author, committer }: CommitInfo) => ({
  id: sha,
  tree_id: tree,
  message,
  timestamp: committer.date,
  author: { name: author.name, email: author.email },
  committer: { name: committer.name, email: committer.email }
})
