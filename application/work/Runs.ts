import { type Array, Effect } from "effect"
import { byService } from "../../domain/workspace/Actor.ts"
import type { Fact } from "../../domain/work/RunReport.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as StartRun from "../../domain/work/StartRun.ts"
import * as RunTransactions from "../../domain/work/RunTransactions.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { admit, byOf, isPerson, permit, type Person } from "../workspace/Authorization.ts"
import { RunStore } from "../ports/RunStore.ts"
import { StoryStore } from "../ports/StoryStore.ts"

/** The worker on a run: a person's agent, or the service itself. */
export type Worker = Person | { readonly workspace: WorkspaceId }

const whoIs = (worker: Worker) => (isPerson(worker) ? worker : byService)

/** Leases a queued run and begins its attempt: the named run, or the next; null when there is none. */
export const lease = Effect.fn("Runs.lease")(function* (
  worker: Worker,
  wanted: { readonly team: TeamSlug | null; readonly run: RunKey | null }
) {
  const by = yield* admit(whoIs(worker), "run lease")
  const store = yield* RunStore
  if (wanted.run !== null)
    return yield* store.change(worker.workspace, wanted.run, (at) => RunTransactions.lease(by, at))
  for (;;) {
    const key = yield* store.next(worker.workspace, wanted.team)
    if (key === null) return null
    const leased = yield* store
      .change(worker.workspace, key, (at) => RunTransactions.lease(by, at))
      .pipe(
        Effect.catchTags({
          RunNotQueued: () => Effect.succeed(null),
          TeamIsPaused: () => Effect.succeed(null),
          RunNotFound: () => Effect.succeed(null)
        })
      )
    if (leased !== null) return leased
  }
})

export const report = Effect.fn("Runs.report")(function* (
  worker: Worker,
  run: RunKey,
  facts: Array.NonEmptyReadonlyArray<Fact>
) {
  const by = yield* admit(whoIs(worker), "run report")
  return yield* (yield* RunStore).change(worker.workspace, run, RunTransactions.report(by, facts))
})

export const finish = Effect.fn("Runs.finish")(function* (
  worker: Worker,
  run: RunKey,
  outcome: RunTransactions.Outcome | null
) {
  const by = yield* admit(whoIs(worker), "run finish")
  return yield* (yield* RunStore).change(worker.workspace, run, RunTransactions.finish(by, outcome))
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
