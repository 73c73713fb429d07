import { type Array, Effect, Random } from "effect"
import { byService } from "../../domain/workspace/Actor.ts"
import type { Fact } from "../../domain/work/RunReport.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as StartRun from "../../domain/work/StartRun.ts"
import { isOver, RunOver } from "../../domain/work/RunTransitions.ts"
import { logText } from "../../domain/runner/LogText.ts"
import { RunView } from "../../domain/work/Run.ts"
import * as RunTransactions from "../../domain/work/RunTransactions.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { freshId } from "../../domain/work/Fresh.ts"
import type { LeaseId } from "../../domain/work/Lease.ts"
import * as LeaseRun from "../../domain/work/LeaseRun.ts"
import { admit, byOf, isPerson, permit, type Person } from "../workspace/Authorization.ts"
import * as Json from "../ports/Json.ts"
import { RunnerStore } from "../ports/runner/RunnerStore.ts"
import { RunStore } from "../ports/RunStore.ts"
import { StoryStore } from "../ports/StoryStore.ts"

const progressOf = Json.decoder(RunView)

/** The worker on a run: a person's agent, or the service itself. */
export type Worker = Person | { readonly workspace: WorkspaceId }

const whoIs = (worker: Worker) => (isPerson(worker) ? worker : byService)

/** A lease taken on the command line. */
const byHand = (): LeaseRun.Taker => ({ id: freshId(), runner: null, token: null, credential: null })

/** Leases a run by hand and begins its attempt: the named run, or the next; null when there is none. */
export const lease = Effect.fn("Runs.lease")(function* (
  worker: Worker,
  wanted: { readonly team: TeamSlug | null; readonly run: RunKey | null }
) {
  const by = yield* admit(whoIs(worker), "run lease")
  const store = yield* RunStore
  const taken = (key: RunKey) => store.change(worker.workspace, key, (at) => LeaseRun.lease(by, at, byHand()))
  if (wanted.run !== null) return yield* taken(wanted.run)
  for (;;) {
    const teams = wanted.team === null ? [] : [wanted.team]
    const key = yield* store.next(worker.workspace, { teams, runner: null })
    if (key === null) return null
    const leased = yield* taken(key).pipe(
      Effect.catchTags({
        RunNotQueued: () => Effect.succeed(null),
        TeamIsPaused: () => Effect.succeed(null),
        RunNotFound: () => Effect.succeed(null)
      })
    )
    if (leased !== null) return leased
  }
})

/** The number of the lease in hand; null is the one taken on the command line. */
const inHand = (fence: number | null): LeaseRun.Hold => ({ by: "hand", fence, fresh: freshId<LeaseId>() })

const reported = (workspace: WorkspaceId, run: RunKey, decide: ReturnType<typeof RunTransactions.report>) =>
  Effect.flatMap(RunStore, (store) => store.change(workspace, run, decide)).pipe(
    Effect.catchTag("Repeated", ({ progress }) => Effect.succeed(progress))
  )

export const report = Effect.fn("Runs.report")(function* (
  worker: Worker,
  run: RunKey,
  facts: Array.NonEmptyReadonlyArray<Fact>,
  fence: number | null = null
) {
  const by = yield* admit(whoIs(worker), "run report")
  return yield* reported(worker.workspace, run, RunTransactions.report(by, inHand(fence), facts))
})

/** An attempt that was handed off to the service. */
export interface HandedOff {
  readonly workspace: WorkspaceId
  readonly run: RunKey
  readonly attempt: number
}

/** The service reports on an attempt that was handed off to it. */
export const reportHandedOff = Effect.fn("Runs.reportHandedOff")(function* (
  { attempt, run, workspace }: HandedOff,
  facts: Array.NonEmptyReadonlyArray<Fact>
) {
  return yield* reported(workspace, run, RunTransactions.report(byService, { by: "service", attempt }, facts))
})

const ended = (workspace: WorkspaceId, run: RunKey, decide: ReturnType<typeof RunTransactions.finish>) =>
  Effect.flatMap(RunStore, (store) => store.change(workspace, run, decide)).pipe(
    Effect.catchTag("Repeated", ({ progress }) => Effect.succeed(progress))
  )

export const finish = Effect.fn("Runs.finish")(function* (
  worker: Worker,
  run: RunKey,
  outcome: RunTransactions.Outcome | null,
  fence: number | null = null
) {
  const by = yield* admit(whoIs(worker), "run finish")
  return yield* ended(worker.workspace, run, RunTransactions.finish(by, inHand(fence), outcome))
})

/** The service finishes an attempt that was handed off to it. */
export const finishHandedOff = Effect.fn("Runs.finishHandedOff")(function* (
  { attempt, run, workspace }: HandedOff,
  outcome: RunTransactions.Outcome
) {
  return yield* ended(workspace, run, RunTransactions.finish(byService, { by: "service", attempt }, outcome))
})

/** Appends a line to the log of a run that is not over, for an agent that works on it without a lease. */
export const note = Effect.fn("Runs.note")(function* (person: Person, key: RunKey, text: string) {
  yield* permit(person, "run report")
  const run = progressOf(yield* (yield* RunStore).get(person.workspace, key))
  if (isOver(run.status)) return yield* new RunOver({ run: key, status: run.status })
  const seq = yield* Random.nextIntBetween(-2_000_000_000, 0)
  const line = logText(`${person.member.name}: ${text}\n`)
  const part = { run: key, attempt: run.attempts, lease: freshId<LeaseId>(), seq, text: line }
  yield* (yield* RunnerStore).appendLog(person.workspace, part)
})

export const stop = Effect.fn("Runs.stop")(function* (person: Person, run: RunKey) {
  yield* permit(person, "run stop")
  return yield* (yield* RunStore).change(person.workspace, run, RunTransactions.stop(byOf(person)))
})

export const retry = Effect.fn("Runs.retry")(function* (person: Person, run: RunKey, note: string | null) {
  yield* permit(person, "run retry")
  return yield* (yield* RunStore).change(person.workspace, run, RunTransactions.retry(byOf(person), note))
})

/** Starts a run for a person, in any column of the story. */
export const start = Effect.fn("Runs.start")(function* (person: Person, story: StoryKey) {
  yield* permit(person, "run start")
  return yield* (yield* StoryStore).change(person.workspace, story, StartRun.start(byOf(person)))
})
