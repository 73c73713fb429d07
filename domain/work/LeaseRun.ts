import { DateTime, Either, Schema } from "effect"
import type { By } from "../workspace/Actor.ts"
import * as Audit from "../workspace/Audit.ts"
import { answered, type Change } from "../Change.ts"
import { Job } from "./Job.ts"
import { handHours, type Lease, type LeaseId, LeaseLost, leaseSeconds, mostLapses, returnSeconds } from "./Lease.ts"
import { Run } from "./Run.ts"
import { type Progress, type RunContext, type RunDecided, written } from "./RunContext.ts"
import { end, isUnheld, release, requeue, RunNotQueued, take } from "./RunTransitions.ts"
import { runChanged } from "./WorkContext.ts"
import type { TokenId } from "../workspace/ApiToken.ts"
import { TeamIsPaused } from "../workspace/Team.ts"
import { skipValidation } from "../value/SkipValidation.ts"

/** The worker that reports on a run: a runner with its lease, a person on the command line, or the service itself. */
export type Hold =
  | { readonly by: "runner"; readonly lease: LeaseId; readonly fence: number; readonly token: TokenId }
  | { readonly by: "hand"; readonly fence: number | null; readonly fresh: LeaseId }
  | { readonly by: "service"; readonly attempt: number }

/** The holder-to-be of a run. */
export type Taker = Pick<Lease, "id" | "runner" | "token" | "credential" | "instance">

/** After an answer, the last runner has a while to return: it has the files of the attempt. */
const isReserved = ({ lastLease, resumedAt }: Run, { runner }: Taker, now: DateTime.Utc): boolean =>
  runner !== null &&
  lastLease?.runner !== runner &&
  lastLease?.runner != null &&
  resumedAt !== null &&
  DateTime.lessThan(now, DateTime.add(resumedAt, { seconds: returnSeconds }))

const given = (at: RunContext, run: Run, taker: Taker): Run => {
  const expiresAt = DateTime.add(at.now, taker.runner === null ? { hours: handHours } : { seconds: leaseSeconds })
  const taken = take(run, at.now, { ...taker, expiresAt })
  return new Run({ ...taken, inputsTaken: run.inputs.length }, skipValidation)
}

/** The jobs of answers that the holder now has. */
export const delivered = (at: RunContext): ReadonlyArray<Job> =>
  at.undelivered.map((job) => new Job({ ...job, status: "done", updatedAt: at.now }, skipValidation))

export const lease = (by: By, at: RunContext, taker: Taker): RunDecided<RunNotQueued | TeamIsPaused> => {
  const { latest } = at.run
  if (at.team.pausedAt !== null) return Either.left(new TeamIsPaused({ team: at.team.slug }))
  const isFree = latest.status === "queued" || (isUnheld(at.run) && !isReserved(at.run, taker, at.now))
  if (!isFree) return Either.left(new RunNotQueued({ run: at.run.key, status: latest.status }))
  const run = given(at, at.run, taker)
  const details = { fence: run.fence, runner: taker.runner }
  const jobs = delivered(at)
  const more = jobs.length === 0 ? {} : { changed: { jobs } }
  return answered(written(by, at, run, at.story, more, details), { ...none, run, story: at.story })
}

export const none = { raised: [], mergeHold: null }

const lostBy = (run: Run, now: DateTime.Utc, given: { readonly id?: LeaseId; readonly fence: number | null }) => {
  const { latest, lease } = run
  const reason =
    lease === null
      ? latest.status === "running"
        ? "it was given back or lost"
        : `${run.key} is ${latest.status}`
      : isLapsed(run, now)
        ? lapseReason(lease)
        : given.id === lease.id && given.fence !== lease.fence
          ? `fence must be ${lease.fence}; got ${given.fence}`
          : `lease ${lease.fence} holds ${run.key}`
  return new LeaseLost({ lease: given.id ?? `${given.fence ?? ""} of ${run.key}`.trim(), reason })
}

/** The service works on an attempt that was handed off to it, and that nobody else holds. */
const isHandedOff = ({ latest, lease }: Run, attempt: number): boolean =>
  lease === null && latest.attempt === attempt && (latest.stage === "handing_off" || latest.stage === "done")

/** The run in the hands of its worker; refuses a worker whose lease is over. */
export const held = (at: RunContext, hold: Hold): Either.Either<Run, LeaseLost> => {
  const { now, run } = at
  const { lease } = run
  if (hold.by === "service")
    return isHandedOff(run, hold.attempt) ? Either.right(run) : Either.left(lostBy(run, now, { fence: null }))
  if (hold.by === "runner")
    return lease?.id === hold.lease && lease.fence === hold.fence && lease.token === hold.token && !isLapsed(run, now)
      ? Either.right(run)
      : Either.left(lostBy(run, now, { id: hold.lease, fence: hold.fence }))
  if (hold.fence === null && lease === null)
    return Either.right(
      run.latest.status === "running"
        ? given(at, run, { id: hold.fresh, runner: null, token: null, credential: null })
        : run
    )
  const isOwn = hold.fence === null ? lease?.runner === null : lease?.fence === hold.fence
  return isOwn && !isLapsed(run, now) ? Either.right(run) : Either.left(lostBy(run, now, { fence: hold.fence }))
}

/** State of a run for a holder that changes nothing now; refuses one whose lease is over. */
export const look =
  (hold: Hold) =>
  (at: RunContext): RunDecided<LeaseLost | Seen> =>
    Either.flatMap(held(at, hold), () => Either.left(Object.assign(new Seen(), { progress: progressOf(at) })))

/** Result of a look, which ends the transaction without a change. */
export class Seen extends Schema.TaggedError<Seen>()("Seen", {}) {
  declare readonly progress: Progress
}

/** A lease that ended because its run waits or is over: its holder stops. Any other that is over was lost. */
export const whyOver =
  (hold: Hold & { readonly by: "runner" }) =>
  (at: RunContext): RunDecided<LeaseLost | Seen> => {
    const { latest, lease } = at.run
    const isDone = lease === null && latest.status !== "queued" && latest.status !== "running"
    return isDone && isLastHolder(at.run, hold)
      ? Either.left(Object.assign(new Seen(), { progress: progressOf(at) }))
      : look(hold)(at)
  }

const progressOf = ({ run, story }: RunContext): Progress => ({ ...none, run, story })

/** A report or an end that was applied before, sent again. */
export class Repeated extends Schema.TaggedError<Repeated>()("Repeated", {}) {
  declare readonly progress: Progress
}

export const repeated = (at: RunContext) => Object.assign(new Repeated(), { progress: progressOf(at) })

/** Number and session of a runner's report. */
export interface Sent {
  readonly seq: number | null
  readonly session: string | null
}

export const unnumbered: Sent = { seq: null, session: null }

/** True for the holder of the newest lease, also after its end. */
const isLastHolder = ({ fence, lastLease }: Run, hold: Hold): boolean =>
  hold.by === "runner" && lastLease?.id === hold.lease && fence === hold.fence && lastLease.token === hold.token

/**
 * True for a number at or below that of the last report. Numbers count up and may be left out. The lease must be valid, or
 * its holder must have ended it: one that was lost takes nothing more.
 */
export const isRepeated = ({ now, run }: RunContext, hold: Hold, seq: number | null): boolean => {
  const { lastLease, lease } = run
  if (seq === null || lastLease === null || seq > lastLease.seq || !isLastHolder(run, hold)) return false
  return lease === null ? lastLease.released || lastLease.finished : !isLapsed(run, now)
}

/** True for a part of the log that comes with or after the last report: a later copy of an older one is dropped. */
export const takesLog = ({ lastLease }: Run, seq: number): boolean => lastLease !== null && seq >= lastLease.seq

export const isFinished = (run: Run, hold: Hold): boolean => isLastHolder(run, hold) && run.lastLease?.finished === true

/** Notes the number of a report, and that its lease ended with it. */
export const counted = (run: Run, { seq, session }: Sent): Run => {
  const { lastLease, lease } = run
  if (lastLease === null) return run
  const noted = { ...lastLease, seq: seq ?? lastLease.seq, released: lease === null }
  return new Run({ ...run, lastLease: noted, session: session ?? run.session }, skipValidation)
}

export const finished = (run: Run): Run =>
  run.lastLease === null
    ? run
    : new Run({ ...run, lapses: 0, lastLease: { ...run.lastLease, finished: true } }, skipValidation)

export const isLapsed = ({ lease }: Run, now: DateTime.Utc): boolean =>
  lease !== null && DateTime.greaterThanOrEqualTo(now, lease.expiresAt)

export const lapseReason = ({ runner }: Lease): string =>
  runner === null ? "it was not finished in time" : `it was not renewed for ${leaseSeconds} s`

const lost = (by: By, run: Run, { fence, runner }: Lease, reason: string): Audit.Fact =>
  Audit.fact(
    by,
    "lease_lost",
    { type: "run", id: run.key, name: run.key },
    { team: run.team, runKey: run.key, details: { fence, runner, reason } }
  )

const failed = (run: Run, now: DateTime.Utc, error: string) => {
  const failure = { failureClass: "transient", error } as const
  const lapses = run.lapses + 1
  if (lapses < mostLapses) return new Run({ ...requeue(run, now, failure), lapses }, skipValidation)
  const last = `${error}; ${mostLapses} leases in a row were lost, so no further attempt is queued`
  return new Run({ ...end(run, now, "failed", { ...failure, error: last }), lapses: 0 }, skipValidation)
}

/** Ends the leases of runs whose holder is gone: each attempt fails as transient, and the next is queued. */
export const lose = (
  by: By,
  runs: ReadonlyArray<Run>,
  now: DateTime.Utc,
  reason: string
): { readonly runs: ReadonlyArray<Run>; readonly audit: ReadonlyArray<Audit.Fact> } => {
  const held = runs.flatMap((run) => (run.lease === null ? [] : [{ run, lease: run.lease }]))
  const ended = held.map(({ run }) => failed(run, now, `The lease was lost: ${reason}`))
  return {
    runs: ended,
    audit: held.flatMap(({ lease, run }, index) => [
      lost(by, run, lease, reason),
      runChanged(by, run, ended[index] ?? run)
    ])
  }
}

/** Gives leases back: the attempts go on with the next holder, and nothing counts as a lapse. */
export const giveBack = (by: By, runs: ReadonlyArray<Run>): Pick<Change, "changed"> & { audit: Array<Audit.Fact> } => {
  const freed = runs.map((run) => new Run({ ...release(run), resumedAt: null }, skipValidation))
  return {
    changed: { runs: freed },
    audit: freed.map((run, index) => runChanged(by, runs[index] ?? run, run, { lease: "given back" }))
  }
}
