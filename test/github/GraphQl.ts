/** GraphQL on GitHub's own schema, cut down to pull requests, the merge queue, issues and boards. */
import { buildSchema, graphql, GraphQLError, Kind, parse } from "graphql"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Answer, isRefusal, refuse } from "./Answer.ts"
import { type Caller, reach } from "./Auth.ts"
import { boardView } from "./BoardGraph.ts"
import type { Quota } from "./RateLimit.ts"
import { actorShape, issueShape } from "./IssueGraph.ts"
import { judge, problemsOf } from "./Judge.ts"
import * as Queue from "./MergeQueue.ts"
import { emitPull } from "./Refs.ts"
import { revert } from "./Revert.ts"
import { repositoryPage } from "./Shapes.ts"
import * as State from "./State.ts"
import { inTurn, type World } from "./World.ts"

const schema = buildSchema(readFileSync(join(import.meta.dirname, "fixtures", "schema.graphql"), "utf8"))

interface Found {
  readonly repository: State.Repository
  readonly issue: State.PullRequest
}

const typed = (type: string, message: string) => new GraphQLError(message, { extensions: { type } })

const entryShape = (world: World, found: Found): unknown => {
  const { queue } = found.issue.pull
  if (queue === null) return null
  return {
    __typename: "MergeQueueEntry",
    id: State.nodeId("MQE", queue.id),
    position: queue.position,
    state: "AWAITING_CHECKS",
    enqueuedAt: State.timestamp(queue.enqueuedAt),
    enqueuer: actorShape(world, queue.enqueuer),
    headCommit: commitShape(queue.head),
    baseCommit: commitShape(found.issue.pull.baseSha),
    pullRequest: () => pullShape(world, found)
  }
}

const commitShape = (sha: string) => ({ __typename: "Commit", id: `C_${sha}`, oid: sha })

const pullShape = (world: World, found: Found): Readonly<Record<string, unknown>> => {
  const { repository, issue } = found
  const { pull } = issue
  const isMerged = pull.mergedAt !== null
  const mergeable = async () => {
    const is = issue.state === "open" ? await judge(world, repository, issue) : null
    return is === null ? "UNKNOWN" : is ? "MERGEABLE" : "CONFLICTING"
  }
  const status = async () => {
    const is = await mergeable()
    if (is !== "MERGEABLE") return is === "UNKNOWN" ? "UNKNOWN" : "DIRTY"
    return problemsOf(repository, issue).length > 0 || pull.draft ? "BLOCKED" : "CLEAN"
  }
  return {
    __typename: "PullRequest",
    id: State.nodeId("PR", issue.id),
    number: issue.number,
    url: `${repositoryPage(world, repository)}/pull/${issue.number}`,
    title: issue.title,
    body: issue.body ?? "",
    state: isMerged ? "MERGED" : issue.state.toUpperCase(),
    merged: isMerged,
    mergedAt: State.timeOrNull(pull.mergedAt),
    closed: issue.state === "closed",
    isDraft: pull.draft,
    headRefName: pull.headRef,
    headRefOid: pull.head,
    baseRefName: pull.base,
    mergeable,
    mergeStateStatus: status,
    isInMergeQueue: pull.queue !== null,
    mergeQueueEntry: () => entryShape(world, found),
    timelineItems: ({ last }: Arguments) => ({
      totalCount: pull.queueEvents.length,
      nodes: pull.queueEvents.slice(-Number(last ?? 100)).map(({ at, isRemoval, reason }, index) => ({
        __typename: isRemoval ? "RemovedFromMergeQueueEvent" : "AddedToMergeQueueEvent",
        id: State.nodeId(isRemoval ? "RFMQE" : "ATMQE", index),
        createdAt: State.timestamp(at),
        ...(isRemoval && { reason })
      }))
    }),
    mergeCommit: pull.mergeCommit === null ? null : commitShape(pull.mergeCommit),
    createdAt: State.timestamp(issue.createdAt),
    updatedAt: State.timestamp(issue.updatedAt)
  }
}

const findPull = (world: World, id: string): Found | null => {
  for (const repository of world.repositories.values())
    for (const issue of repository.issues.filter(State.isPullRequest))
      if (State.nodeId("PR", issue.id) === id) return { repository, issue }
  return null
}

type Arguments = Readonly<Record<string, unknown>>

/** Resolvers for the holder of one token. */
const rootOf = (world: World, token: State.Token, quota: Quota) => {
  const may = (repository: State.Repository, permission: string, level: State.Level) => {
    try {
      return reach(world, token, repository.owner.login, repository.name, permission, level)
    } catch (problem) {
      if (!isRefusal(problem)) throw problem
      const { status } = problem.refusal
      throw status === 404
        ? typed("NOT_FOUND", "Could not resolve to a node with the global id.")
        : typed("FORBIDDEN", "Resource not accessible by integration")
    }
  }
  const pullOf = (id: unknown, permission: string, level: State.Level): Found => {
    const found = findPull(world, String(id))
    if (found === null) throw typed("NOT_FOUND", `Could not resolve to a node with the global id of '${String(id)}'`)
    may(found.repository, permission, level)
    return found
  }
  const mutating = <A>(found: Found, change: () => Promise<A>) =>
    inTurn(found.repository, async () => {
      try {
        return await change()
      } catch (problem) {
        if (!isRefusal(problem)) throw problem
        throw typed("UNPROCESSABLE", (problem.refusal.body as { readonly message: string }).message)
      }
    })
  const boards = boardView(world, token)
  const client = (input: Arguments) => ({ clientMutationId: input["clientMutationId"] ?? null })
  return {
    viewer: () => actorShape(world, token.user),
    rateLimit: () => ({
      limit: quota.limit,
      cost: 1,
      remaining: quota.limit - quota.used,
      used: quota.used,
      resetAt: State.timestamp(quota.resetAt)
    }),
    node: ({ id }: Arguments) => pullShape(world, pullOf(id, "pull_requests", "read")),
    repository: ({ owner, name }: Arguments) => {
      const repository = world.repositories.get(`${String(owner)}/${String(name)}`.toLowerCase())
      if (repository === undefined)
        throw typed("NOT_FOUND", `Could not resolve to a Repository with the name '${String(owner)}/${String(name)}'.`)
      may(repository, "metadata", "read")
      return {
        id: State.nodeId("R", repository.id),
        name: repository.name,
        nameWithOwner: State.fullName(repository),
        pullRequest: ({ number }: Arguments) => {
          const issue = repository.issues.filter(State.isPullRequest).find((one) => one.number === number)
          if (issue === undefined)
            throw typed("NOT_FOUND", `Could not resolve to a PullRequest with the number of ${String(number)}.`)
          may(repository, "pull_requests", "read")
          return pullShape(world, { repository, issue })
        },
        issue: ({ number }: Arguments) => {
          const issue = repository.issues.find((one) => one.number === number && one.pull === null)
          if (issue === undefined)
            throw typed("NOT_FOUND", `Could not resolve to an Issue with the number of ${String(number)}.`)
          may(repository, "issues", "read")
          return issueShape(world, repository, issue, boards.issue)
        },
        issues: () => {
          may(repository, "issues", "read")
          return { totalCount: repository.issues.filter(({ pull }) => pull === null).length }
        },
        mergeQueue: ({ branch }: Arguments) => {
          const name = String(branch ?? repository.defaultBranch)
          if (repository.protections.get(name)?.mergeQueue !== true) return null
          return { id: State.nodeId("MQ", repository.id), url: `${repositoryPage(world, repository)}/queue/${name}` }
        }
      }
    },
    ...boards.root,
    revertPullRequest: async ({ input }: { readonly input: Arguments }) => {
      const found = pullOf(input["pullRequestId"], "contents", "write")
      may(found.repository, "pull_requests", "write")
      return mutating(found, async () => {
        const issue = await revert(world, found.repository, found.issue, token, input)
        const made = { repository: found.repository, issue }
        return { ...client(input), pullRequest: pullShape(world, found), revertPullRequest: pullShape(world, made) }
      })
    },
    enqueuePullRequest: ({ input }: { readonly input: Arguments }) => {
      const found = pullOf(input["pullRequestId"], "contents", "write")
      return mutating(found, async () => {
        const head = input["expectedHeadOid"]
        await Queue.enqueue(world, found.repository, found.issue, token.user, typeof head === "string" ? head : null)
        return { ...client(input), mergeQueueEntry: entryShape(world, found) }
      })
    },
    dequeuePullRequest: ({ input }: { readonly input: Arguments }) => {
      const found = pullOf(input["id"], "contents", "write")
      return mutating(found, async () => {
        const entry = entryShape(world, found)
        await Queue.dequeue(world, found.repository, found.issue, token.user, "DEQUEUED")
        return { ...client(input), mergeQueueEntry: entry }
      })
    },
    markPullRequestReadyForReview: ({ input }: { readonly input: Arguments }) => {
      const found = pullOf(input["pullRequestId"], "pull_requests", "write")
      return mutating(found, async () => {
        found.issue.pull.draft = false
        await emitPull(world, found.repository, token.user, "ready_for_review", found.issue)
        return { ...client(input), pullRequest: pullShape(world, found) }
      })
    }
  }
}

interface Document {
  readonly query?: unknown
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName?: string | null
}

const documentOf = (text: string): Document => {
  try {
    return JSON.parse(text) as Document
  } catch {
    throw refuse(400, "Problems parsing JSON")
  }
}

/** The first field that a document asks for, such as `revertPullRequest`. */
export const graphqlFieldOf = (text: string): string | null => {
  try {
    const [operation] = parse(String(documentOf(text).query)).definitions
    const first = operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet.selections[0] : undefined
    return first?.kind === Kind.FIELD ? first.name.value : null
  } catch {
    return null
  }
}

/** Answers one document; errors of GraphQL come with status 200. */
export const answerGraphQl = async (
  world: World,
  caller: Caller | null,
  quota: Quota,
  body: string,
  complain: (problem: string) => void
): Promise<Answer> => {
  if (caller?.kind !== "token") throw refuse(401, "This endpoint requires you to be authenticated.")
  const { query, variables, operationName } = documentOf(body)
  const answer = await graphql({
    schema,
    source: String(query),
    rootValue: rootOf(world, caller.token, quota),
    variableValues: variables ?? {},
    operationName: operationName ?? null
  })
  for (const error of answer.errors ?? []) {
    const { originalError } = error
    if (originalError === undefined) complain(`graphql: ${error.message}`)
    else if (!(originalError instanceof GraphQLError)) throw originalError
  }
  // GitHub puts the type beside the message, not into the extensions.
  const errors = answer.errors?.map(({ message, path, locations, extensions: { type } }) => ({
    ...(type === undefined ? {} : { type }),
    ...(path === undefined ? {} : { path }),
    locations,
    message
  }))
  return {
    status: 200,
    body: { ...(answer.data === undefined ? {} : { data: answer.data }), ...(errors === undefined ? {} : { errors }) }
  }
}
