import { Effect, Either, Schema } from "effect"
import * as ChangePullRequest from "../../domain/codehost/ChangePullRequest.ts"
import { BranchName, CommitId, type PullRequestRecord } from "../../domain/codehost/PullRequestRecord.ts"
import { byService } from "../../domain/workspace/Actor.ts"
import type { Decided } from "../../domain/Change.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { Line, oneLine, Text } from "../../domain/value/Text.ts"
import { branchOf, PullRequest, type RunView } from "../../domain/work/Run.ts"
import { payloadOf } from "../oncall/FollowIncident.ts"
import { PublicUrl } from "../oncall/PublicUrl.ts"
import * as FollowHost from "./FollowHost.ts"
import { presented } from "./PullRequestPage.ts"
import type { BranchMoved, HostFailed, MergeBlocked, MergeConflict } from "../ports/codehost/CodeHost.ts"
import { PullRequestStore } from "../ports/codehost/PullRequestStore.ts"
import { JobFailed, NotConnected, StillWaiting } from "../ports/JobHandlers.ts"
import type { WorkspaceJob } from "../ports/JobStore.ts"
import * as Runs from "../work/Runs.ts"
import { attemptOf, endingRun, hostFor, isCurrent, isMerged, orFail, over, refusingRun, runOf } from "./HostWork.ts"

const isCommit = Schema.is(CommitId)

const HandOff = Schema.Struct({
  repository: Line(500),
  branch: BranchName,
  head: CommitId,
  base: BranchName,
  title: Line(500),
  /** Summary of the verification. */
  summary: Text,
  /** False when the verification failed and a person allowed that. */
  verified: Schema.optionalWith(Schema.Boolean, { default: () => true })
})

/** Opens a pull request, or finds the one that is open for its branch. */
export const record = Effect.fnUntraced(function* (workspace: WorkspaceId, proposal: ChangePullRequest.Proposal) {
  const store = yield* PullRequestStore
  const opened = yield* store
    .open(workspace, proposal, ChangePullRequest.open(byService, proposal))
    .pipe(Effect.catchAll(Effect.succeed))
  const { hostNumber, hostUrl, number } = opened.record
  const url = hostUrl ?? `${yield* PublicUrl}/${opened.slug}/pulls/${number}`
  return { ...opened, pullRequest: { number: hostNumber ?? number, url } }
})

/** Address of the page of a run. */
const pageOf = (workspace: WorkspaceId, proposal: ChangePullRequest.Proposal, { key }: RunView) =>
  Effect.gen(function* () {
    const store = yield* PullRequestStore
    const slug = yield* Effect.flip(
      store.open(workspace, proposal, (at): Either.Either<Decided<never>, WorkspaceSlug> => Either.left(at.slug))
    )
    return `${yield* PublicUrl}/${slug}/runs/${key}`
  })

/** True when the hand-off was reported before, in a try whose end was not written. */
const isReported = ({ job }: WorkspaceJob, { attemptList, pullRequest }: RunView): boolean => {
  const verification = attemptList.at(-1)?.verification
  return (
    pullRequest !== null &&
    verification?.status === (job.payload["verified"] === false ? "failed" : "passed") &&
    verification.completedAt !== null &&
    verification.completedAt.epochMillis >= job.createdAt.epochMillis
  )
}

/** A run that waits or was taken from us meanwhile: the next try sees what became of it. */
const again = ({ message }: { readonly message: string }) => new JobFailed({ reason: message, isFinal: false })

/** The hand-off of a run with its host; a runner cannot name what is not its own. */
const handedOff = (work: WorkspaceJob, run: RunView) =>
  Effect.gen(function* () {
    const given = yield* payloadOf(HandOff, work)
    const host = yield* hostFor(work, given.repository)
    const own = branchOf({ key: run.key, story: run.story.key })
    if (given.branch !== own) return yield* over(`The run handed off the branch ${given.branch}; its own is ${own}.`)
    const main = yield* orFail(host.defaultBranch(given.repository))
    if (given.base !== main)
      return yield* over(`The run handed off for the branch ${given.base}; changes go to ${main}.`)
    return { ...given, host }
  }).pipe(refusingRun(work, run))

/** Opens the pull request of a run that handed its branch off, and lets the policy decide on its merge. */
export const open = Effect.fn("PullRequests.open")(function* (work: WorkspaceJob) {
  const run = yield* runOf(work)
  if (isReported(work, run)) return
  if (!isCurrent(work, run)) return yield* over(`${run.key} is ${run.status}: this hand-off is over.`)
  const { host, summary, verified, ...change } = yield* handedOff(work, run)
  const proposal = { ...change, team: run.team, runKey: run.key, story: run.story.key, reverts: null }
  const page = presented(run, { isVerified: verified, summary, url: yield* pageOf(work.workspace, proposal, run) })
  const onHost = yield* endingRun(work, run)(host.open(proposal, page))
  const { pullRequest } = yield* record(work.workspace, { ...proposal, onHost })
  yield* Effect.mapError(
    Runs.reportHandedOff(attemptOf(work, run), [
      { type: "pull_request", pullRequest },
      verified
        ? { type: "verification", status: "passed", summary }
        : { type: "verification", status: "failed", summary, allowed: true }
    ]),
    again
  )
})

const Merge = Schema.Struct({ pullRequest: Schema.NullOr(PullRequest) })

/** Message of the merge, with the trailers that lead back to the story. */
const messageOf = ({ hostNumber, number, title }: PullRequestRecord, run: RunView, url: string) =>
  [
    `Merge pull request #${hostNumber ?? number}: ${oneLine(title)}`,
    url,
    [`Story: ${run.story.key}`, `Run: ${run.key}`, `Attempt: ${run.attempts}`].join("\n")
  ].join("\n\n")

/** Number of one of our own pull requests by its address. */
export const numberIn = (url: string): number | null => {
  const [, number] = /^https?:\/\/[^/]+\/[a-z0-9-]+\/pulls\/([1-9]\d{0,8})$/.exec(url) ?? []
  return number === undefined ? null : Number(number)
}

const isSame = ({ hostUrl, number }: PullRequestRecord, url: string): boolean =>
  hostUrl === null ? numberIn(url) === number : hostUrl === url

/** The run is done; a try whose end was not written may have reported it before. */
const finishRun = (work: WorkspaceJob, run: RunView) =>
  Effect.gen(function* () {
    if (run.stage !== "done") yield* Runs.reportHandedOff(attemptOf(work, run), [{ type: "merged" }])
    yield* Runs.finishHandedOff(attemptOf(work, run), "succeeded")
  }).pipe(
    Effect.catchTag("RunOver", () => Effect.void),
    Effect.mapError(again)
  )

/** A person decides on a merge that a rule forbids, or whose branch moved on a host where people push. */
const askInstead = (
  { workspace }: WorkspaceJob,
  run: RunView,
  found: PullRequestRecord,
  error: BranchMoved | MergeConflict | MergeBlocked | HostFailed
) =>
  Effect.gen(function* () {
    if (error._tag === "MergeBlocked") return yield* FollowHost.blocked(workspace, run.key, found, error.rule)
    const isMoved = error._tag === "BranchMoved" && found.hostUrl !== null && isCommit(error.found)
    return isMoved ? yield* FollowHost.moved(workspace, run.key, found, error.found as CommitId) : null
  })

/** Merges the pull request of a run at the commit that was verified, and finishes the run. */
export const merge = Effect.fn("PullRequests.merge")(function* (work: WorkspaceJob) {
  const { pullRequest } = yield* payloadOf(Merge, work)
  if (pullRequest === null) return yield* over("The run has no pull request.")
  const run = yield* runOf(work)
  const store = yield* PullRequestStore
  const found = yield* store.find(work.workspace, { run: run.key })
  if (found === null || !isSame(found, pullRequest.url))
    return yield* new NotConnected({
      reason: `${pullRequest.url} was not opened by this service. Merge it there, and report it with gatehouse run report --merged.`
    })
  const isOurs = isMerged(work, run) || isCurrent(work, run)
  const host = yield* isOurs ? refusingRun(work, run)(hostFor(work, found.repository)) : hostFor(work, found.repository)
  const standing = found.state === "open" ? yield* orFail(host.state(found)) : found
  if (found.state === "open" && standing.state === "closed")
    yield* Effect.ignore(store.change(work.workspace, found.number, ChangePullRequest.close(byService)))
  const mergeable = Effect.gen(function* () {
    if (!isOurs) return yield* over(`${run.key} is ${run.status}: #${found.number} is not merged for it any more.`)
    if (found.updatedAt.epochMillis > work.job.createdAt.epochMillis)
      return yield* over(`#${found.number} changed to ${found.head} after its merge was decided.`)
    const merging = host.merge(found, messageOf(found, run, pullRequest.url), work.job.createdAt)
    return yield* Effect.catchAll(merging, (error) =>
      Effect.gen(function* () {
        if (error._tag === "InMergeQueue") return yield* new StillWaiting({ reason: error.message })
        const asked = yield* askInstead(work, run, found, error)
        if (asked !== null) return yield* over(`${error.message} ${asked} asks what to do.`)
        return yield* endingRun(work, run)(Effect.fail(error))
      })
    )
  })
  const commit = standing.mergeCommit ?? (yield* mergeable)
  if (found.state === "open")
    yield* Effect.ignore(store.change(work.workspace, found.number, ChangePullRequest.merge(byService, commit)))
  if (isOurs) yield* finishRun(work, run)
})
