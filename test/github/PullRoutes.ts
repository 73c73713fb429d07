import { type Call, created, empty, type Handlers, invalid, listed, ok, refuse, textOf } from "./Answer.ts"
import * as Git from "./Git.ts"
import { merge } from "./Merge.ts"
import { pullShape, simplePullShape } from "./PullShapes.ts"
import { pullOf, reached } from "./Reach.ts"
import { closePull, emitPull } from "./Refs.ts"
import { commitShape, repositoryApi, repositoryPage } from "./Shapes.ts"
import * as State from "./State.ts"
import { inTurn, type World } from "./World.ts"

export interface Proposal {
  readonly title: string
  readonly body: string | null
  readonly headRef: string
  readonly base: string
  readonly draft: boolean
}

/** Opens a pull request whose branches exist and differ. */
export const openPull = async (
  world: World,
  repository: State.Repository,
  user: State.User,
  app: State.App | null,
  proposal: Proposal
): Promise<State.PullRequest> => {
  const { headRef, base, draft, title, body } = proposal
  const head = await Git.commitOf(repository.path, `refs/heads/${headRef}`)
  const baseSha = await Git.commitOf(repository.path, `refs/heads/${base}`)
  if (head === null) throw invalid("PullRequest", { field: "head", code: "invalid" })
  if (baseSha === null) throw invalid("PullRequest", { field: "base", code: "invalid" })
  const existing = repository.issues.find(
    (one) => one.state === "open" && one.pull?.headRef === headRef && one.pull.base === base
  )
  if (existing !== undefined)
    throw invalid("PullRequest", {
      code: "custom",
      message: `A pull request already exists for ${repository.owner.login}:${headRef}.`
    })
  if (await Git.isAncestor(repository.path, head, baseSha))
    throw invalid("PullRequest", { code: "custom", message: `No commits between ${base} and ${headRef}` })
  const now = world.clock.now()
  const number = ++repository.lastNumber
  const issue: State.PullRequest = {
    id: world.nextId(),
    number,
    user,
    app,
    pull: {
      headRef,
      head,
      base,
      baseSha,
      draft,
      mergedAt: null,
      mergedBy: null,
      mergeCommit: null,
      judged: null,
      queue: null,
      queueEvents: []
    },
    ...State.unclosed(title, body, now)
  }
  repository.issues.push(issue)
  await Git.git(repository.path, ["update-ref", `refs/pull/${number}/head`, head])
  await emitPull(world, repository, user, "opened", issue)
  return issue
}

const proposalOf = ({ body }: Call, repository: State.Repository): Proposal => {
  const head = String(body["head"] ?? "")
  const title = textOf(body["title"])
  if (title === null || title === "") throw invalid("PullRequest", { field: "title", code: "missing_field" })
  const [owner, ...rest] = head.includes(":") ? head.split(":") : [repository.owner.login, head]
  if (owner?.toLowerCase() !== repository.owner.login.toLowerCase())
    throw invalid("PullRequest", { field: "head", code: "invalid" })
  return {
    title,
    body: textOf(body["body"]),
    headRef: rest.join(":"),
    base: String(body["base"]),
    draft: body["draft"] === true
  }
}

const selected = ({ query }: Call, repository: State.Repository): ReadonlyArray<State.PullRequest> => {
  const state = query.get("state") ?? "open"
  const head = query.get("head")
  const base = query.get("base")
  const isHead = ({ pull }: State.PullRequest) => {
    const label = `${repository.owner.login}:${pull.headRef}`
    return head === null || !head.includes(":") || label.toLowerCase() === head.toLowerCase()
  }
  const found = repository.issues
    .filter(State.isPullRequest)
    .filter(
      (one) => (state === "all" || one.state === state) && isHead(one) && (base ?? one.pull.base) === one.pull.base
    )
  const isUpdated = query.get("sort") === "updated"
  const sorted = found.toSorted((a, b) => (isUpdated ? a.updatedAt - b.updatedAt : a.number - b.number))
  const direction = query.get("direction") ?? (query.has("sort") && query.get("sort") !== "created" ? "asc" : "desc")
  return direction === "asc" ? sorted : sorted.toReversed()
}

const update = async (call: Call) => {
  const { repository, user } = reached(call, "pull_requests", "write")
  const issue = pullOf(call, repository)
  const { world, body } = call
  const state = body["state"]
  if (state === "open" && issue.pull.mergedAt !== null)
    throw invalid("PullRequest", {
      code: "custom",
      field: "state",
      message: "state cannot be changed. The pull request cannot be reopened."
    })
  const [title, text] = [textOf(body["title"]), textOf(body["body"])]
  if (title !== null || text !== null) {
    const changes = {
      ...(title === null ? {} : { title: { from: issue.title } }),
      ...(text === null ? {} : { body: { from: issue.body ?? "" } })
    }
    Object.assign(issue, { title: title ?? issue.title, body: text ?? issue.body, updatedAt: world.clock.now() })
    await emitPull(world, repository, user, "edited", issue, { changes })
  }
  if (state === "closed" && issue.state === "open") await closePull(world, repository, user, issue, null)
  if (state === "open" && issue.state === "closed") {
    Object.assign(issue, { state: "open", closedAt: null, closedBy: null, updatedAt: world.clock.now() })
    await emitPull(world, repository, user, "reopened", issue)
  }
  return ok(await pullShape(world, repository, issue))
}

export const fileShape = (world: World, repository: State.Repository, sha: string, file: Git.FileChange) => {
  const page = repositoryPage(world, repository)
  return {
    sha,
    filename: file.name,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${page}/blob/${sha}/${encodeURI(file.name)}`,
    raw_url: `${page}/raw/${sha}/${encodeURI(file.name)}`,
    contents_url: `${repositoryApi(world, repository)}/contents/${encodeURI(file.name)}?ref=${sha}`
  }
}

const forkOf = (repository: State.Repository, { pull }: State.PullRequest) =>
  Git.git(repository.path, ["merge-base", pull.baseSha, pull.head])

export const pullRoutes: Handlers = {
  "pulls/list": (call) => {
    const { repository } = reached(call, "pull_requests", "read")
    return listed(call, selected(call, repository), (one) => simplePullShape(call.world, repository, one))
  },
  "pulls/create": (call) => {
    const { repository, user, app } = reached(call, "pull_requests", "write")
    return inTurn(repository, async () => {
      const issue = await openPull(call.world, repository, user, app, proposalOf(call, repository))
      return created(await pullShape(call.world, repository, issue, { isAsked: true }))
    })
  },
  "pulls/get": async (call) => {
    const { repository } = reached(call, "pull_requests", "read")
    return ok(await pullShape(call.world, repository, pullOf(call, repository), { isAsked: true }))
  },
  "pulls/update": (call) => inTurn(reached(call, "pull_requests", "write").repository, () => update(call)),
  "pulls/check-if-merged": (call) => {
    const { repository } = reached(call, "contents", "read")
    if (pullOf(call, repository).pull.mergedAt === null) throw refuse(404, "Not Found")
    return empty
  },
  "pulls/merge": (call) => {
    const { repository, user } = reached(call, "contents", "write")
    const { world, body } = call
    return inTurn(repository, async () => {
      const sha = await merge(world, repository, pullOf(call, repository), user, {
        sha: textOf(body["sha"]) ?? undefined,
        method: body["merge_method"],
        title: textOf(body["commit_title"]) ?? undefined,
        message: textOf(body["commit_message"]) ?? undefined
      })
      return ok({ sha, merged: true, message: "Pull Request successfully merged" })
    })
  },
  "pulls/list-commits": async (call) => {
    const { repository } = reached(call, "pull_requests", "read")
    const issue = pullOf(call, repository)
    const range = [`${await forkOf(repository, issue)}..${issue.pull.head}`]
    const commits = (await Git.log(repository.path, range, State.timestamp)).toReversed()
    return listed(call, commits, (one) => commitShape(call.world, repository, one))
  },
  "pulls/list-files": async (call) => {
    const { repository } = reached(call, "pull_requests", "read")
    const issue = pullOf(call, repository)
    const files = await Git.changesBetween(repository.path, await forkOf(repository, issue), issue.pull.head)
    return listed(call, files, (one) => fileShape(call.world, repository, issue.pull.head, one))
  }
}
