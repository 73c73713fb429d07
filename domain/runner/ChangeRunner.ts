import { type DateTime, Either } from "effect"
import type { By } from "../workspace/Actor.ts"
import { answered, type Decided } from "../Change.ts"
import type { RunnerId } from "../work/Lease.ts"
import { giveBack } from "../work/LeaseRun.ts"
import type { Run } from "../work/Run.ts"
import type { TokenId } from "../workspace/ApiToken.ts"
import { isSilent, Runner, RunnerNotFound } from "./Runner.ts"
import { runnerFact, takeOffline } from "./TakeOffline.ts"
import { skipValidation } from "../value/SkipValidation.ts"

export interface RunnerContext {
  readonly now: DateTime.Utc
  readonly runner: Runner | null
  /** Runs that it holds. */
  readonly held: ReadonlyArray<Run>
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

/** Registers a runner, or notes that a known one is back: its token and name identify it. */
export const register =
  (by: By, token: TokenId, fresh: RunnerId, given: Introduction) =>
  ({ now, runner }: RunnerContext): Either.Either<Decided<Runner>> => {
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
      offlineAt: null,
      removedAt: null
    })
    const fact = runnerFact(by, "runner_registered", after, { after: introduced(after) })
    return runner === null
      ? answered({ added: { runners: [after] }, audit: [fact] }, after)
      : answered({ changed: { runners: [after] }, audit: [fact] }, after)
  }

/** The runner leaves: its leases are given back, and the attempts go on elsewhere. */
export const leave =
  (by: By, id: string) =>
  ({ held, now, runner }: RunnerContext): Either.Either<Decided<void>, RunnerNotFound> => {
    if (runner === null || runner.removedAt !== null) return Either.left(new RunnerNotFound({ runner: id }))
    const freed = giveBack(by, held)
    const after = new Runner({ ...runner, lastSeenAt: now, offlineAt: now }, skipValidation)
    return answered(
      {
        changed: { ...freed.changed, runners: [after] },
        audit: [runnerFact(by, "runner_offline", after, { reason: "it said goodbye" }), ...freed.audit]
      },
      undefined
    )
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
