import { Effect } from "effect"
import { byService } from "../../domain/workspace/Actor.ts"
import { schedule } from "../../domain/work/Schedule.ts"
import { TeamStore } from "../ports/TeamStore.ts"

/** Queues runs for Ready stories where a team has room. Every instance may call it; a lock serialises each team. */
export const tick = Effect.fn("Scheduler.tick")(function* () {
  const store = yield* TeamStore
  const teams = yield* store.withRoom
  const queued = yield* Effect.forEach(teams, ({ team, workspace }) =>
    store.schedule(workspace, team, schedule(byService)).pipe(Effect.orElseSucceed(() => []))
  )
  return queued.flat()
})
