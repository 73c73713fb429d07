import { Effect, Option, Schema } from "effect"
import {
  BranchName,
  type CommitId,
  PullRequestNumber,
  PullRequestView
} from "../../domain/codehost/PullRequestRecord.ts"
import { parseKey } from "../../domain/work/Run.ts"
import { cut, oneLine, parseUrl } from "../../domain/value/Text.ts"
import { payloadOf } from "../oncall/FollowIncident.ts"
import { PullRequestStore } from "../ports/codehost/PullRequestStore.ts"
import { NotConnected } from "../ports/JobHandlers.ts"
import type { WorkspaceJob } from "../ports/JobStore.ts"
import * as Json from "../ports/Json.ts"
import { hostFor, hostsOf, orFail, over } from "./HostWork.ts"
import { numberIn, record } from "./PullRequests.ts"

const Subject = Schema.Struct({ subject: Schema.NullOr(Schema.String) })
const decode = Json.decoder(PullRequestView)

const numbered = (work: WorkspaceJob, number: number) =>
  Effect.gen(function* () {
    const wanted = yield* Effect.option(Schema.decodeUnknown(PullRequestNumber)(number))
    if (Option.isNone(wanted)) return null
    const found = yield* Effect.option((yield* PullRequestStore).get(work.workspace, wanted.value))
    return Option.getOrNull(Option.map(found, decode))
  })

/** The merge that a decision is about: a pull request of ours by its address, number or run. */
const pullRequestOf = (work: WorkspaceJob, subject: string) =>
  Effect.gen(function* () {
    const store = yield* PullRequestStore
    const onHost = parseUrl(subject) === null ? null : yield* store.find(work.workspace, { hostUrl: subject })
    if (onHost !== null) return onHost
    const number = numberIn(subject) ?? Number(/^#?([1-9]\d{0,8})$/.exec(subject)?.[1] ?? 0)
    if (number > 0) return yield* numbered(work, number)
    const run = Option.getOrNull(parseKey(subject.split(" ")[0] ?? ""))
    return run === null ? null : yield* store.find(work.workspace, { run })
  })

interface Merged {
  readonly repository: string
  readonly base: BranchName
  readonly commit: CommitId
}

/** The commit that a decision is about, in one of the team's repositories. */
const commitOf = (work: WorkspaceJob, subject: string) =>
  Effect.gen(function* () {
    if (!/^[0-9a-f]{7,64}$/i.test(subject)) return null
    for (const { host, repository } of (yield* hostsOf(work)).hosted) {
      const found = yield* orFail(host.findCommit(repository, subject.toLowerCase()))
      if (found === null) continue
      if (found.isRevert) return yield* over(`${found.commit} is a revert itself. Revert it by hand if that is meant.`)
      const merged: Merged = { repository, base: yield* orFail(host.defaultBranch(repository)), commit: found.commit }
      return merged
    }
    return null
  })

const missing = (subject: string) =>
  parseUrl(subject) === null
    ? over(`'${subject}' names no merge: a pull request, a run or a commit on the main branch of a team's repository.`)
    : new NotConnected({ reason: `No code host is connected for ${subject}.` })

const branchNamed = (name: string) => BranchName.make(name)

/** Opens a pull request that reverts a merge, once. */
export const open = Effect.fn("OpenRevert.open")(function* (work: WorkspaceJob) {
  const { job, workspace } = work
  const subject = ((yield* payloadOf(Subject, work)).subject ?? job.runKey ?? "").trim()
  if (subject === "") return yield* over("The decision names no merge. Revert it by hand.")
  const store = yield* PullRequestStore
  const named = yield* pullRequestOf(work, subject)
  const loose = named === null ? yield* commitOf(work, subject) : null
  const found = loose && (yield* store.find(workspace, { repository: loose.repository, mergeCommit: loose.commit }))
  const pullRequest = named ?? found
  if (pullRequest === null && loose === null) return yield* missing(subject)
  if (pullRequest !== null && pullRequest.mergeCommit === null)
    return yield* over(`#${pullRequest.number} is not merged, so there is nothing to revert.`)
  if (pullRequest !== null && pullRequest.reverts !== null)
    return yield* over(`#${pullRequest.number} reverts #${pullRequest.reverts}. Revert it by hand if that is meant.`)
  if (pullRequest !== null && (yield* store.find(workspace, { reverts: pullRequest.number })) !== null) return
  const { base, commit, repository } =
    pullRequest === null ? (loose as Merged) : { ...pullRequest, commit: pullRequest.mergeCommit as CommitId }
  const host = yield* hostFor(work, repository)
  const branch = branchNamed(`revert-${pullRequest?.number ?? commit.slice(0, 12)}`)
  const title = cut(`Revert "${oneLine(pullRequest?.title ?? commit)}"`, 500)
  const trailers = [
    ...(pullRequest?.story ? [`Story: ${pullRequest.story}`] : []),
    ...(pullRequest?.runKey ? [`Run: ${pullRequest.runKey}`] : [])
  ]
  const message = [title, ...(trailers.length === 0 ? [] : [trailers.join("\n")])].join("\n\n")
  const reverted = yield* orFail(
    host.revert({ repository, base, commit, branch, message, number: pullRequest?.hostNumber ?? null })
  )
  yield* record(workspace, {
    ...reverted,
    team: job.team,
    repository,
    base,
    title,
    runKey: pullRequest?.runKey ?? null,
    story: pullRequest?.story ?? null,
    reverts: pullRequest?.number ?? null
  })
})
