import { Effect } from "effect"
import { isUrgent } from "../../domain/work/Job.ts"
import { type FailureClass, RunView } from "../../domain/work/Run.ts"
import { Team } from "../../domain/workspace/Team.ts"
import * as Backoff from "../jobs/Backoff.ts"
import { type CodeHost, hostOf } from "../ports/codehost/CodeHost.ts"
import { JobFailed, NotConnected } from "../ports/JobHandlers.ts"
import type { WorkspaceJob } from "../ports/JobStore.ts"
import * as Json from "../ports/Json.ts"
import { RunStore } from "../ports/RunStore.ts"
import { TeamStore } from "../ports/TeamStore.ts"
import * as Runs from "../work/Runs.ts"

const decodeTeam = Json.decoder(Team)
const decodeRun = Json.decoder(RunView)

export const over = (reason: string) => new JobFailed({ reason, isFinal: true })

/** The run of a job. */
export const runOf = ({ job, workspace }: WorkspaceJob) =>
  Effect.gen(function* () {
    if (job.runKey === null) return yield* over("It belongs to no run.")
    return decodeRun(
      yield* Effect.mapError((yield* RunStore).get(workspace, job.runKey), ({ message }) => over(message))
    )
  })

/** True when the latest attempt queued the job: it began before. */
const isOfLatest = ({ job }: WorkspaceJob, { attemptList }: RunView): boolean => {
  const begun = attemptList.at(-1)?.startedAt ?? null
  return begun === null || begun.epochMillis <= job.createdAt.epochMillis
}

/** True while the attempt that queued the job hands its change off. */
export const isCurrent = (work: WorkspaceJob, run: RunView): boolean =>
  (run.status === "running" || run.status === "waiting") && run.stage === "handing_off" && isOfLatest(work, run)

/** True after the attempt that queued the job reported its merge, until it is finished. */
export const isMerged = (work: WorkspaceJob, run: RunView): boolean =>
  run.status === "running" && run.stage === "done" && isOfLatest(work, run)

/** The latest attempt of a run, as the job has seen it: a later one is not the job's. */
export const attemptOf = ({ workspace }: WorkspaceJob, { attempts, key }: RunView): Runs.HandedOff => ({
  workspace,
  run: key,
  attempt: attempts
})

const repositoriesOf = ({ job, workspace }: WorkspaceJob) =>
  Effect.gen(function* () {
    const json = yield* Effect.mapError((yield* TeamStore).whole(workspace, job.team), ({ message }) => over(message))
    return decodeTeam(json).repositories
  })

export interface Hosted {
  readonly repository: string
  readonly host: CodeHost
}

/** Repositories of the job's team with their hosts. */
export const hostsOf = (work: WorkspaceJob) =>
  Effect.gen(function* () {
    const repositories = yield* repositoriesOf(work)
    const hosted: Array<Hosted> = []
    for (const repository of repositories) {
      const host = yield* hostOf(work.workspace, repository)
      if (host !== null) hosted.push({ repository, host })
    }
    return { repositories, hosted }
  })

/** The host of a repository, which the team must have: a runner names it. */
export const hostFor = (work: WorkspaceJob, repository: string) =>
  Effect.gen(function* () {
    const { hosted, repositories } = yield* hostsOf(work)
    if (!repositories.includes(repository))
      return yield* over(
        `${repository} is not a repository of the team ${work.job.team}. Set it with gatehouse team set.`
      )
    const found = hosted.find((one) => one.repository === repository)
    return found?.host ?? (yield* new NotConnected({ reason: `No code host is connected for ${repository}.` }))
  })

/** Fails the attempt, unless it is over or another one began; a person may retry the run. */
const failRun = (attempt: Runs.HandedOff, failureClass: FailureClass, error: string) =>
  Effect.gen(function* () {
    yield* Runs.reportHandedOff(attempt, [{ type: "failure", failureClass, error }])
    yield* Runs.finishHandedOff(attempt, "failed")
  }).pipe(Effect.ignore)

/** True when no try follows one that fails now. */
const isLast = ({ job }: WorkspaceJob) => job.tries + 1 >= Backoff.plan(isUrgent(job.kind)).tries

interface HostError {
  readonly _tag: "BranchMoved" | "MergeConflict" | "MergeBlocked" | "HostFailed"
  readonly message: string
  readonly isFinal?: boolean
}

const classOf: Record<HostError["_tag"], FailureClass> = {
  // The approval was for another commit.
  BranchMoved: "policy",
  MergeConflict: "dependency",
  MergeBlocked: "policy",
  HostFailed: "dependency"
}

/** Ends the attempt when its change can never be merged, so that no run waits for ever. */
export const endingRun =
  (work: WorkspaceJob, run: RunView) =>
  <A, E extends HostError, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, JobFailed, R | RunStore> =>
    Effect.catchAll(effect, (error) =>
      Effect.gen(function* () {
        const isFinal = error.isFinal ?? true
        if (isFinal || isLast(work)) yield* failRun(attemptOf(work, run), classOf[error._tag], error.message)
        return yield* new JobFailed({ reason: error.message, isFinal })
      })
    )

/** Fails the job alone. */
export const orFail = <A, E extends HostError, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, JobFailed, R> =>
  Effect.mapError(effect, ({ isFinal = true, message }) => new JobFailed({ reason: message, isFinal }))

/** Ends the attempt with a job that is refused for good. */
export const refusingRun =
  (work: WorkspaceJob, run: RunView) =>
  <A, E, R>(effect: Effect.Effect<A, E | JobFailed, R>) =>
    Effect.tapError(effect, (error) =>
      error instanceof JobFailed && error.isFinal ? failRun(attemptOf(work, run), "policy", error.reason) : Effect.void
    )
