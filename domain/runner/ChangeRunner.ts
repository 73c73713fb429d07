import { DateTime, Either } from "effect"
import type { By } from "../workspace/Actor.ts"
import { answered, type Decided } from "../Change.ts"
import type { InstanceId, RunnerId } from "../work/Lease.ts"
import { giveBack } from "../work/LeaseRun.ts"
import type { Run } from "../work/Run.ts"
import type { TokenId } from "../workspace/ApiToken.ts"
import { idleMinutes, isSilent, mostRunners, Runner, RunnerNotFound, RunnerOffline, TooManyRunners } from "./Runner.ts"
import { runnerFact, takeOffline } from "./TakeOffline.ts"
import { skipValidation } from "../value/SkipValidation.ts"

export interface RunnerContext {
  readonly now: DateTime.Utc
  readonly runner: Runner | null
  /** Runs that it holds. */
  readonly held: ReadonlyArray<Run>
  /** Number of the workspace's runners that are not removed. */
  readonly registered: number
  /** The one of them that holds nothing and was offline the longest. */
  readonly idle: Runner | null
}

export type Introduction = Pick<Runner, "name" | "version" | "os" | "arch" | "slots" | "executors" | "teams">

const introduced = ({ arch, executors, os, slots, teams, version }: Runner) => ({
  version,
  os,
  arch,
  slots,
  executors: executors.map(({ name }) => name),
  teams
})

const isIdle = ({ offlineAt }: Runner, now: DateTime.Utc): boolean =>
  offlineAt !== null && DateTime.lessThanOrEqualTo(DateTime.add(offlineAt, { minutes: idleMinutes }), now)

/** The runner to forget so that another one may come: null while there is room. */
const replaced = ({ idle, now, registered, runner }: RunnerContext): Either.Either<Runner | null, TooManyRunners> => {
  const isKnown = runner !== null && runner.removedAt === null
  if (isKnown || registered < mostRunners) return Either.right(null)
  return idle !== null && isIdle(idle, now) ? Either.right(idle) : Either.left(new TooManyRunners())
}

const forgotten = (by: By, idle: Runner, now: DateTime.Utc) => ({
  row: new Runner({ ...idle, removedAt: now }, skipValidation),
  fact: runnerFact(by, "runner_offline", idle, { reason: "another runner took its place, since it was offline" })
})

/** Registers a runner, or notes that a known one is back: its token and name identify it. */
export const register =
  (by: By, token: TokenId, fresh: RunnerId, given: Introduction) =>
  (at: RunnerContext): Either.Either<Decided<Runner>, TooManyRunners> => {
    const { now, runner } = at
    const room = replaced(at)
    if (Either.isLeft(room)) return Either.left(room.left)
    const gone = room.right === null ? null : forgotten(by, room.right, now)
    const { arch, executors, name, os, slots, teams, version } = given
    const after = new Runner({
      arch,
      executors,
      name,
      os,
      slots,
      teams,
      version,
      id: runner?.id ?? fresh,
      token,
      registeredAt: runner?.registeredAt ?? now,
      lastSeenAt: now,
      // A process that begins works, whatever the one before it was asked.
      drainingAt: null,
      offlineAt: null,
      removedAt: null
    })
    const fact = runnerFact(by, "runner_registered", after, { after: introduced(after) })
    const rows = gone === null ? [] : [gone.row]
    const audit = [fact, ...(gone === null ? [] : [gone.fact])] as const
    return runner === null
      ? answered({ added: { runners: [after] }, changed: { runners: rows }, audit }, after)
      : answered({ changed: { runners: [after, ...rows] }, audit }, after)
  }

/**
 * A process of the runner leaves: its leases are given back, and the attempts go on elsewhere. The runner stays online
 * while another process of its name works.
 */
export const leave =
  (by: By, id: string, instance: InstanceId | undefined) =>
  ({ held, now, runner }: RunnerContext): Either.Either<Decided<void>, RunnerNotFound | "another works"> => {
    if (runner === null || runner.removedAt !== null) return Either.left(new RunnerNotFound({ runner: id }))
    const own = held.filter(({ lease }) => lease?.instance === instance)
    const freed = giveBack(by, own)
    if (own.length < held.length) {
      const [first, ...rest] = freed.audit
      return first === undefined
        ? Either.left("another works")
        : answered({ changed: freed.changed ?? {}, audit: [first, ...rest] }, undefined)
    }
    const after = new Runner({ ...runner, lastSeenAt: now, offlineAt: now }, skipValidation)
    return answered(
      {
        changed: { ...freed.changed, runners: [after] },
        audit: [runnerFact(by, "runner_offline", after, { reason: "it said goodbye" }), ...freed.audit]
      },
      undefined
    )
  }

/** Asks a runner to finish its work, to lease nothing more and to end. */
export const drain =
  (by: By, name: string) =>
  ({ now, runner }: RunnerContext): Either.Either<Decided<void>, RunnerNotFound | RunnerOffline | "it drains"> => {
    if (runner === null || runner.removedAt !== null) return Either.left(new RunnerNotFound({ runner: name }))
    if (runner.offlineAt !== null) return Either.left(new RunnerOffline({ runner: runner.name }))
    if (runner.drainingAt !== null) return Either.left("it drains")
    const after = new Runner({ ...runner, drainingAt: now }, skipValidation)
    return answered({ changed: { runners: [after] }, audit: [runnerFact(by, "runner_draining", after)] }, undefined)
  }

/** Removes a runner and ends its leases; it may register again as long as its token is active. */
export const remove =
  (by: By, name: string) =>
  ({ held, now, runner }: RunnerContext): Either.Either<Decided<Runner>, RunnerNotFound> => {
    if (runner === null || runner.removedAt !== null) return Either.left(new RunnerNotFound({ runner: name }))
    const after = new Runner({ ...runner, offlineAt: runner.offlineAt ?? now, removedAt: now }, skipValidation)
    const { audit, changed } = takeOffline(by, { runners: [], held }, now, "the runner was removed")
    return answered(
      {
        changed: { ...changed, runners: [after] },
        audit: [runnerFact(by, "runner_offline", after, { reason: "it was removed" }), ...audit]
      },
      after
    )
  }

/** Notes that a runner has fallen silent; its leases lapse on their own. */
export const silence =
  (by: By) =>
  ({ now, runner }: RunnerContext): Either.Either<Decided<void>, "it spoke"> => {
    if (runner === null || runner.offlineAt !== null || !isSilent(runner, now)) return Either.left("it spoke")
    const after = new Runner({ ...runner, offlineAt: now }, skipValidation)
    return answered(
      {
        changed: { runners: [after] },
        audit: [runnerFact(by, "runner_offline", after, { reason: "it was not heard from" })]
      },
      undefined
    )
  }
