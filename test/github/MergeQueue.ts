/** The merge queue, which a test drives: it merges nothing on its own. */
import { refuse } from "./Answer.ts"
import { problemsOf } from "./Judge.ts"
import { merge } from "./Merge.ts"
import { emitPull } from "./Refs.ts"
import type * as State from "./State.ts"
import { inTurn, type World } from "./World.ts"

const queueRule = "Changes must be made through the merge queue"

const queued = (repository: State.Repository) => repository.issues.filter((one) => one.pull?.queue != null).length

export const enqueue = async (
  world: World,
  repository: State.Repository,
  issue: State.PullRequest,
  user: State.User,
  expectedHead: string | null
) => {
  const { pull } = issue
  if (repository.protections.get(pull.base)?.mergeQueue !== true) throw refuse(422, "Merge queue is not enabled")
  if (issue.state === "closed") throw refuse(422, "Pull request is closed")
  if (pull.queue !== null) throw refuse(422, "Pull request is already in the queue")
  if (expectedHead !== null && expectedHead !== pull.head) throw refuse(422, "Pull request head was modified")
  const problem = problemsOf(repository, issue).find((one) => one !== queueRule)
  if (problem !== undefined) throw refuse(422, `Pull request ${problem}`)
  pull.queue = {
    id: world.nextId(),
    position: queued(repository) + 1,
    head: pull.head,
    enqueuer: user,
    enqueuedAt: world.clock.now()
  }
  pull.queueEvents.push({ at: world.clock.now(), reason: null, isRemoval: false })
  await emitPull(world, repository, user, "enqueued", issue)
}

export const dequeue = async (
  world: World,
  repository: State.Repository,
  issue: State.PullRequest,
  user: State.User,
  reason: string
) => {
  if (issue.pull.queue === null) throw refuse(422, "Pull request is not in the queue")
  issue.pull.queue = null
  issue.pull.queueEvents.push({ at: world.clock.now(), reason, isRemoval: true })
  await emitPull(world, repository, user, "dequeued", issue, { reason })
}

/** The queue's own work: merges a pull request that is in it. */
export const mergeFromQueue = (world: World, repository: State.Repository, issue: State.PullRequest) =>
  inTurn(repository, async () => {
    const { queue } = issue.pull
    if (queue === null) throw new Error(`pull request ${issue.number} is not in the queue`)
    const rules = repository.protections.get(issue.pull.base)
    if (rules !== undefined) repository.protections.set(issue.pull.base, { ...rules, mergeQueue: false })
    try {
      return await merge(world, repository, issue, queue.enqueuer, { sha: queue.head })
    } finally {
      if (rules !== undefined) repository.protections.set(issue.pull.base, rules)
    }
  })
