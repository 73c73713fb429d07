import { type Array, DateTime, Duration, Effect, Either, PubSub, Redacted } from "effect"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as ApiToken from "../../domain/workspace/ApiToken.ts"
import type { Team, TeamIsPaused } from "../../domain/workspace/Team.ts"
import { answered, type Decided } from "../../domain/Change.ts"
import * as ChangeRunner from "../../domain/runner/ChangeRunner.ts"
import { type Runner, RunnerDraining, RunnerNotFound, SeveralRunners } from "../../domain/runner/Runner.ts"
import { freshId } from "../../domain/work/Fresh.ts"
import { type InstanceId, type LeaseId, LeaseLost, type RunnerId } from "../../domain/work/Lease.ts"
import * as LeaseRun from "../../domain/work/LeaseRun.ts"
import type { RaiseRefusal } from "../../domain/work/RaiseDecision.ts"
import type { Progress, RunContext } from "../../domain/work/RunContext.ts"
import { isOver, type RunNotQueued } from "../../domain/work/RunTransitions.ts"
import type { Fact } from "../../domain/work/RunReport.ts"
import * as RunTransactions from "../../domain/work/RunTransactions.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import { cancelled } from "../../domain/work/WorkContext.ts"
import { byOf, permit, type Person } from "../workspace/Authorization.ts"
import * as DeniedTarget from "../workspace/DeniedTarget.ts"
import type { TeamStore } from "../ports/TeamStore.ts"
import * as LeaseCredential from "./LeaseCredential.ts"
import { RunnerStore } from "../ports/runner/RunnerStore.ts"
import { RunStore } from "../ports/RunStore.ts"
import { LeaseBell, rung } from "./LeaseBell.ts"
import { logText } from "../../domain/runner/LogText.ts"
import { grantOf, type Renewal, type Reported } from "./LeaseGrant.ts"

/** A runner's request: the owner of its token, and the token. */
export type Caller = Person & { readonly token: ApiToken.TokenId }

/** Registers a runner, or notes that it is back. */
export const hello = Effect.fn("Runners.hello")(function* (caller: Caller, given: ChangeRunner.Introduction) {
  const decide = ChangeRunner.register(byOf(caller), caller.token, freshId(), given)
  return yield* (yield* RunnerStore).change(caller.workspace, { token: caller.token, name: given.name }, decide)
})

interface Granted {
  readonly given: Progress
  readonly team: Team
}

type TakeRefusal = RunnerNotFound | RunNotQueued | TeamIsPaused

/** A runner, and the process of it that asks for a lease. */
interface LeaseAsker {
  readonly runner: RunnerId
  readonly instance?: InstanceId
}

/** Tries to lease a run; null when another holder was faster. */
const take = Effect.fnUntraced(function* (caller: Caller, { instance, runner }: LeaseAsker, key: RunKey) {
  const store = yield* RunStore
  const credential = Redacted.value(yield* ApiToken.draw).replace(/^tk_/, "rk_")
  const taker = {
    id: freshId<LeaseId>(),
    runner,
    token: caller.token,
    credential: yield* ApiToken.hashOf(Redacted.make(credential)),
    ...(instance !== undefined && { instance })
  }
  const decide = (at: RunContext, isActive: boolean): Either.Either<Decided<Granted>, TakeRefusal> =>
    isActive
      ? Either.map(LeaseRun.lease(byOf(caller), at, taker), ({ answer, change }) => ({
          change,
          answer: Either.map(answer, (given) => ({ given, team: at.team }))
        }))
      : Either.left(new RunnerNotFound({ runner }))
  const found = yield* store.changeAs(caller.workspace, key, runner, decide).pipe(
    Effect.catchTags({
      RunNotQueued: () => Effect.succeed(null),
      TeamIsPaused: () => Effect.succeed(null),
      RunNotFound: () => Effect.succeed(null)
    })
  )
  const held = found?.given.run.lease
  if (found == null || held == null) return null
  return grantOf(found.given, found.team, held, credential, yield* LeaseCredential.first(caller.workspace, found.team))
})

/** Looks again at least this often, since a hint may be lost. */
const longestNap = Duration.seconds(5)

/** Refuses a runner that is offline, or drains. */
const working = (runner: Runner | null, id: RunnerId): Effect.Effect<Runner, RunnerNotFound | RunnerDraining> => {
  if (runner === null) return new RunnerNotFound({ runner: id })
  return runner.drainingAt === null ? Effect.succeed(runner) : new RunnerDraining({ runner: runner.name })
}

/** Leases the next run for a runner; waits for one while it is online, and returns null when the time is over. */
export const lease = Effect.fn("Runners.lease")(function* (
  caller: Caller,
  asked: LeaseAsker & { readonly executors: ReadonlyArray<string>; readonly waitSeconds: number }
) {
  const runners = yield* RunnerStore
  const runs = yield* RunStore
  const hints = yield* PubSub.subscribe(yield* LeaseBell)
  const { runner: id } = asked
  const runner = yield* working(yield* runners.heard(caller.workspace, id, caller.token), id)
  const stillWorking = Effect.flatMap(runners.online(caller.workspace, id), (found) => working(found, id))
  const wanted = { teams: runner.teams, runner: { id: runner.id, executors: asked.executors } }
  const until = DateTime.add(yield* DateTime.now, { seconds: asked.waitSeconds })
  for (;;) {
    const key = yield* runs.next(caller.workspace, wanted)
    const granted =
      key === null
        ? null
        : yield* Effect.catchTag(take(caller, asked, key), "RunnerNotFound", (gone) =>
            Effect.zipRight(stillWorking, gone)
          )
    if (granted !== null) return granted
    if (key !== null) continue
    const left = DateTime.distanceDuration(yield* DateTime.now, until)
    if (DateTime.greaterThanOrEqualTo(yield* DateTime.now, until)) return null
    // A server does not interrupt requests elsewhere: a client that left must end the wait, and so must its time.
    yield* Effect.interruptible(rung(hints, caller.workspace, Duration.min(left, longestNap)))
    yield* stillWorking
  }
}, Effect.scoped)

const unknown = (lease: LeaseId) => new LeaseLost({ lease, reason: "it is not known" })

interface Held {
  readonly lease: LeaseId
  readonly fence: number
}

const holdOf = ({ token }: Pick<Caller, "token">, { fence, lease }: Held) =>
  ({ by: "runner", lease, fence, token }) as const

const runOf = (caller: Caller, lease: LeaseId) =>
  Effect.flatMap(RunStore, (store) =>
    Effect.filterOrFail(
      store.ofLease(caller.workspace, lease),
      (key) => key !== null,
      () => unknown(lease)
    )
  )

/** Extends a lease. A lease that ended because its run waits or is over answers `stop`. */
export const renew = Effect.fn("Runners.renew")(function* (
  caller: Caller,
  held: Held,
  lastInput: number,
  wantsGit = false
): Effect.fn.Return<Renewal, LeaseLost, RunStore | TeamStore> {
  const store = yield* RunStore
  const renewed = yield* store.renew(caller.workspace, { ...held, token: caller.token }, lastInput)
  if (renewed !== null && !wantsGit) return renewed
  const key = yield* runOf(caller, held.lease)
  if (renewed !== null) return { ...renewed, ...(yield* LeaseCredential.next(caller.workspace, key)) }
  const stopped = (yield* DateTime.now) satisfies Renewal["expiresAt"]
  return yield* store.change(caller.workspace, key, LeaseRun.whyOver(holdOf(caller, held))).pipe(
    Effect.catchTags({
      Seen: () => Effect.void,
      RunNotFound: () => unknown(held.lease)
    }),
    Effect.as<Renewal>({ expiresAt: stopped, action: "stop", inputs: [], decisions: [] })
  )
})

const stateOf = ({ raised, run }: Progress, { lease }: Held): Reported => ({
  status: run.latest.status,
  stage: run.latest.stage,
  held: run.lease?.id === lease,
  raised: raised.map(({ key }) => key)
})

export interface SentReport extends Held {
  readonly seq: number
  readonly facts: ReadonlyArray<Fact>
  readonly log: string
  readonly session: string | null
}

const isNonEmpty = (facts: ReadonlyArray<Fact>): facts is Array.NonEmptyReadonlyArray<Fact> => facts.length > 0

/** Applies a report once, however often it is sent, and appends to the log. */
export const report = Effect.fn("Runners.report")(function* (caller: Caller, sent: SentReport) {
  yield* permit(caller, "run report")
  const store = yield* RunStore
  const key = yield* runOf(caller, sent.lease)
  const hold = holdOf(caller, sent)
  const decide: (
    at: RunContext
  ) => Either.Either<Decided<Progress>, RaiseRefusal | LeaseLost | LeaseRun.Repeated | LeaseRun.Seen> = isNonEmpty(
    sent.facts
  )
    ? RunTransactions.report(byOf(caller), hold, sent.facts, sent)
    : LeaseRun.look(hold)
  const after = yield* store.change(caller.workspace, key, decide).pipe(
    Effect.catchTags({
      Repeated: ({ progress }) => Effect.succeed(progress),
      Seen: ({ progress }) => Effect.succeed(progress),
      RunNotFound: () => unknown(sent.lease)
    })
  )
  const { lease, log, seq } = sent
  const attempt = after.run.lastLease?.attempt ?? after.run.latest.attempt
  if (log !== "" && LeaseRun.takesLog(after.run, seq))
    yield* (yield* RunnerStore).appendLog(caller.workspace, { run: key, attempt, lease, seq, text: logText(log) })
  return stateOf(after, sent)
})

/** Finishes the attempt of a lease; sent again, it answers the same. */
export const finish = Effect.fn("Runners.finish")(function* (
  caller: Caller,
  held: Held,
  outcome: RunTransactions.Outcome | null
) {
  yield* permit(caller, "run finish")
  const store = yield* RunStore
  const key = yield* runOf(caller, held.lease)
  const after = yield* store
    .change(caller.workspace, key, RunTransactions.finish(byOf(caller), holdOf(caller, held), outcome))
    .pipe(
      Effect.catchTags({
        Repeated: ({ progress }) => Effect.succeed(progress),
        RunNotFound: () => unknown(held.lease)
      })
    )
  return stateOf(after, held)
})

/** A process of the runner leaves; its leases are given back. */
export const goodbye = Effect.fn("Runners.goodbye")(function* (
  caller: Caller,
  runner: RunnerId,
  instance?: InstanceId
): Effect.fn.Return<void, RunnerNotFound, RunnerStore> {
  const store = yield* RunnerStore
  yield* store
    .change(caller.workspace, { id: runner }, (at) =>
      at.runner?.token === caller.token
        ? ChangeRunner.leave(byOf(caller), runner, instance)(at)
        : Either.left(new RunnerNotFound({ runner }))
    )
    .pipe(Effect.catchAll((refusal) => (refusal === "another works" ? Effect.void : Effect.fail(refusal))))
})

export const list = Effect.fn("Runners.list")(function* (person: Person) {
  yield* permit(person, "runner list")
  return yield* (yield* RunnerStore).list(person.workspace)
})

/** The runner with a name, or an id where several have the name. */
export const find = Effect.fn("Runners.find")(function* (person: Person, name: string) {
  const runners = yield* list(person)
  const named = runners.filter((runner) => runner.name === name)
  const found = runners.find(({ id }) => id === name) ?? named[0]
  if (found === undefined) return yield* new RunnerNotFound({ runner: name })
  if (found.id !== name && named.length > 1)
    return yield* new SeveralRunners({ runner: name, ids: named.map(({ id }) => id) })
  return found
})

/** Asks a runner to finish its work and to end. Asked again, it is the same. */
export const drain = Effect.fn("Runners.drain")(function* (person: Person, name: string) {
  yield* permit(person, "runner drain", DeniedTarget.ofWorkspace(person))
  const { id } = yield* find(person, name)
  yield* (yield* RunnerStore)
    .change(person.workspace, { id }, ChangeRunner.drain(byOf(person), name))
    .pipe(Effect.catchAll((refusal) => (refusal === "it drains" ? Effect.void : Effect.fail(refusal))))
  return yield* find(person, id)
})

export const remove = Effect.fn("Runners.remove")(function* (person: Person, name: string) {
  yield* permit(person, "runner remove", DeniedTarget.ofWorkspace(person))
  const { id } = yield* find(person, name)
  return yield* (yield* RunnerStore).change(person.workspace, { id }, ChangeRunner.remove(byOf(person), name))
})

/** Ends leases that lapsed and marks silent runners as offline; each once, however many instances there are. */
export const sweep = Effect.fn("Runners.sweep")(function* () {
  const runs = yield* RunStore
  const runners = yield* RunnerStore
  for (const { run, workspace } of yield* runs.lapsed(100))
    yield* runs
      .change(workspace, run, (at) => {
        const { lease } = at.run
        if (lease === null || !LeaseRun.isLapsed(at.run, at.now)) return Either.left("renewed" as const)
        const { audit, runs: changed } = LeaseRun.lose(bySystem, [at.run], at.now, LeaseRun.lapseReason(lease))
        const isLast = changed.every(({ latest }) => isOver(latest.status))
        const moot = cancelled(bySystem, isLast ? at.pending : [])
        const [first, ...rest] = audit
        if (first === undefined) return Either.left("renewed" as const)
        const rows = { runs: changed, decisions: moot.decisions }
        return answered({ changed: rows, audit: [first, ...rest, ...moot.audit] }, undefined)
      })
      .pipe(Effect.ignore)
  for (const { id, workspace } of yield* runners.silent)
    yield* runners.change(workspace, { id }, ChangeRunner.silence(bySystem)).pipe(Effect.ignore)
})

/** The log of an attempt, from a position on. */
export const logs = Effect.fn("Runners.logs")(function* (
  workspace: Person["workspace"],
  of: { readonly run: RunKey; readonly attempt: number; readonly after: number; readonly most?: number }
) {
  return yield* (yield* RunnerStore).log(workspace, of)
})
