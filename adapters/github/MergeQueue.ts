import { type DateTime, Effect, Option, Schema } from "effect"
import {
  BranchMoved,
  HostFailed,
  InMergeQueue,
  MergeBlocked,
  MergeConflict
} from "../../application/ports/codehost/CodeHost.ts"
import type { PullRequestNumber, PullRequestRecord } from "../../domain/codehost/PullRequestRecord.ts"
import { cut, oneLine } from "../../domain/value/Text.ts"
import { refused } from "./GitHubClient.ts"
import type { GitHubRepository } from "./GitHubRepository.ts"

const look = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      id
      state
      headRefOid
      isInMergeQueue
      mergeQueueEntry { position }
      timelineItems(last: 1, itemTypes: [ADDED_TO_MERGE_QUEUE_EVENT, REMOVED_FROM_MERGE_QUEUE_EVENT]) {
        nodes { ... on RemovedFromMergeQueueEvent { createdAt reason } }
      }
    }
  }
}`

const enqueue = `mutation($input: EnqueuePullRequestInput!) {
  enqueuePullRequest(input: $input) { mergeQueueEntry { position } }
}`

const Entry = Schema.NullOr(Schema.Struct({ position: Schema.Number }))

const Looked = Schema.Struct({
  repository: Schema.Struct({
    pullRequest: Schema.Struct({
      id: Schema.String,
      state: Schema.String,
      headRefOid: Schema.String,
      isInMergeQueue: Schema.Boolean,
      mergeQueueEntry: Entry,
      timelineItems: Schema.Struct({
        nodes: Schema.Array(
          Schema.Struct({
            createdAt: Schema.optional(Schema.String),
            reason: Schema.optional(Schema.NullOr(Schema.String))
          })
        )
      })
    })
  })
})

const Enqueued = Schema.Struct({ enqueuePullRequest: Schema.Struct({ mergeQueueEntry: Entry }) })

const Errors = Schema.Struct({
  errors: Schema.NonEmptyArray(Schema.Struct({ message: Schema.String, type: Schema.optional(Schema.String) }))
})

/** Data of a document, or the words of its errors, which come with status 200. */
const asked = <A, I>(repository: GitHubRepository, query: string, variables: object, schema: Schema.Schema<A, I>) =>
  Effect.gen(function* () {
    const answer = yield* repository.client.call(repository.access, {
      method: "POST",
      path: "graphql",
      repository: repository.of,
      body: { query, variables }
    })
    if (answer.status !== 200 || answer.waitSeconds !== null) return yield* refused(answer, repository.shown)
    const data = Schema.decodeUnknownOption(Schema.Struct({ data: schema }))(answer.body)
    if (Option.isSome(data)) return { data: data.value.data, problem: null }
    const failed = Schema.decodeUnknownOption(Errors)(answer.body)
    const words = Option.map(failed, ({ errors }) => errors.map(({ message }) => message).join(" "))
    return { data: null, problem: cut(oneLine(Option.getOrElse(words, () => "The answer is empty.")), 500) }
  })

/** The end of a stay in the queue after the merge was decided; null when there was none. */
const removalOf = (
  nodes: (typeof Looked.Type)["repository"]["pullRequest"]["timelineItems"]["nodes"],
  since: DateTime.Utc | undefined
) => {
  const [last] = nodes
  // GitHub's times have no fractions of a second.
  if (last?.createdAt === undefined || Date.parse(last.createdAt) < Math.floor((since?.epochMillis ?? 0) / 1000) * 1000)
    return null
  return (
    oneLine(last.reason ?? "")
      .replaceAll("_", " ")
      .toLowerCase() || "GitHub names no reason"
  )
}

const lookAt = (repository: GitHubRepository, number: PullRequestNumber) =>
  Effect.gen(function* () {
    const { name, owner } = repository.of
    const { data, problem } = yield* asked(repository, look, { owner, name, number }, Looked)
    const again = (reason: string) =>
      new HostFailed({ reason: `${repository.shown}#${number}: ${reason}`, isFinal: false })
    if (data === null) return yield* again(problem)
    const { pullRequest } = data.repository
    // The queue may have merged it meanwhile; the next try sees how it ended.
    if (pullRequest.state !== "OPEN") return yield* again(`It is ${pullRequest.state.toLowerCase()}.`)
    if (pullRequest.isInMergeQueue)
      return yield* new InMergeQueue({ place: pullRequest.mergeQueueEntry?.position ?? null })
    return pullRequest
  })

/**
 * Puts a pull request into the merge queue of its branch, unless it is there or was taken out of it since. The queue's
 * outcome is seen by looking: a merge by the state of the pull request, a removal by its history.
 */
export const mergeByQueue = (
  repository: GitHubRepository,
  number: PullRequestNumber,
  record: PullRequestRecord,
  decidedAt?: DateTime.Utc
) =>
  Effect.gen(function* () {
    const { headRefOid, id, timelineItems } = yield* lookAt(repository, number)
    if (headRefOid !== record.head)
      return yield* new BranchMoved({ branch: record.branch, expected: record.head, found: headRefOid })
    const removal = removalOf(timelineItems.nodes, decidedAt)
    if (removal !== null)
      return /conflict/.test(removal)
        ? yield* new MergeConflict({ base: record.base, files: [] })
        : yield* new MergeBlocked({ rule: `It was removed from the merge queue: ${removal}.` })
    const input = { pullRequestId: id, expectedHeadOid: record.head }
    const put = yield* asked(repository, enqueue, { input }, Enqueued)
    if (put.data !== null)
      return yield* new InMergeQueue({ place: put.data.enqueuePullRequest.mergeQueueEntry?.position ?? null })
    yield* lookAt(repository, number)
    return yield* new MergeBlocked({ rule: `It cannot be added to the merge queue: ${put.problem}` })
  })
