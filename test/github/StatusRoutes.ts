import { type Call, created, type Handlers, listed, ok, textOf } from "./Answer.ts"
import * as Git from "./Git.ts"
import { checksOf } from "./Judge.ts"
import { reached, requireCommit } from "./Reach.ts"
import * as Shapes from "./Shapes.ts"
import * as State from "./State.ts"
import type { World } from "./World.ts"

const statusShape = (world: World, repository: State.Repository, status: State.Status) => ({
  url: `${Shapes.repositoryApi(world, repository)}/statuses/${status.sha}`,
  avatar_url: `${world.origin}/avatars/u/${status.creator.id}`,
  id: status.id,
  node_id: State.nodeId("SC", status.id),
  state: status.state,
  description: status.description,
  target_url: status.targetUrl,
  context: status.context,
  created_at: State.timestamp(status.createdAt),
  updated_at: State.timestamp(status.createdAt)
})

/** Adds a commit status, as a call or a test does. */
export const addStatus = async (
  world: World,
  repository: State.Repository,
  creator: State.User,
  sha: string,
  body: Call["body"]
): Promise<State.Status> => {
  const status: State.Status = {
    id: world.nextId(),
    sha: await requireCommit(repository, sha),
    state: String(body["state"]),
    context: textOf(body["context"]) ?? "default",
    description: textOf(body["description"]),
    targetUrl: textOf(body["target_url"]),
    creator,
    createdAt: world.clock.now()
  }
  repository.statuses.push(status)
  const commit = await Git.infoOf(repository.path, status.sha, State.timestamp)
  const { url: _, node_id: __, ...rest } = statusShape(world, repository, status)
  world.emit(repository, creator, "status", null, {
    ...rest,
    sha: status.sha,
    name: State.fullName(repository),
    commit: commit === undefined ? null : Shapes.commitShape(world, repository, commit),
    branches: [...repository.refs]
      .filter(([ref, at]) => at === status.sha && ref.startsWith("refs/heads/"))
      .map(([ref]) => ({
        name: ref.slice(11),
        commit: { sha: status.sha, url: `${Shapes.repositoryApi(world, repository)}/commits/${status.sha}` },
        protected: repository.protections.has(ref.slice(11))
      }))
  })
  return status
}

const combined = async (call: Call) => {
  const { repository } = reached(call, "statuses", "read")
  const sha = await requireCommit(repository, call.parameters["ref"] ?? "")
  const { statuses } = checksOf(repository, sha)
  const states = statuses.map(({ state }) => state)
  const isBad = states.some((state) => state === "failure" || state === "error")
  const isGood = states.length > 0 && states.every((state) => state === "success")
  const api = Shapes.repositoryApi(call.world, repository)
  return ok({
    state: isBad ? "failure" : isGood ? "success" : "pending",
    statuses: statuses.map((one) => statusShape(call.world, repository, one)),
    sha,
    total_count: statuses.length,
    repository: Shapes.repositoryShape(call.world, repository),
    commit_url: `${api}/commits/${sha}`,
    url: `${api}/commits/${sha}/status`
  })
}

export const statusRoutes: Handlers = {
  "repos/create-commit-status": async (call) => {
    const { repository, user } = reached(call, "statuses", "write")
    const status = await addStatus(call.world, repository, user, call.parameters["sha"] ?? "", call.body)
    return created({ ...statusShape(call.world, repository, status), creator: Shapes.userShape(call.world, user) })
  },
  "repos/get-combined-status-for-ref": combined,
  "repos/list-commit-statuses-for-ref": async (call) => {
    const { repository } = reached(call, "statuses", "read")
    const sha = await requireCommit(repository, call.parameters["ref"] ?? "")
    const all = repository.statuses.filter((one) => one.sha === sha).toReversed()
    return listed(call, all, (one) => ({
      ...statusShape(call.world, repository, one),
      creator: Shapes.userShape(call.world, one.creator)
    }))
  }
}
