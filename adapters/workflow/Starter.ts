import { type Cause, Effect, Schedule } from "effect"
import * as OutageLog from "../../application/jobs/OutageLog.ts"
import { type Errand, JobStore } from "../../application/ports/JobStore.ts"
import { Outside } from "../../application/ports/JobHandlers.ts"
import { Pace } from "./Pace.ts"

const batch = 50

/** Takes what waits out of the outbox, again and again; a database that is away is told once and waited for. */
export const start = Effect.fn("Jobs.start")(function* (
  begin: (errands: ReadonlyArray<Errand>) => Effect.Effect<void>,
  wake: Effect.Effect<void>
) {
  const store = yield* JobStore
  const kinds = [...(yield* Outside).keys()]
  const { poll } = yield* Pace
  let isTold = false

  const trouble = (cause: Cause.Cause<never>) => {
    if (isTold) return Effect.void
    isTold = true
    return OutageLog.logFailure("jobs wait: they cannot be taken right now", cause)
  }
  const fine = Effect.suspend(() => {
    if (!isTold) return Effect.void
    isTold = false
    return Effect.logInfo("jobs are taken again")
  })

  yield* store.take(kinds, batch, begin).pipe(
    Effect.tap((begun) => (begun > 0 ? wake : Effect.void)),
    Effect.zipRight(fine),
    Effect.catchAllCause(trouble),
    Effect.repeat(Schedule.spaced(poll)),
    Effect.forkScoped
  )
})
