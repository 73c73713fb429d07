import { Effect, Layer } from "effect"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { AuthenticatedReads } from "../../application/ports/AuthenticatedReads.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"

/** A team store whose reads and writes fail with these defects. */
export const teamStore = (list: unknown, get: unknown = list) =>
  Layer.succeed(TeamStore, {
    list: () => Effect.die(list),
    get: () => Effect.die(get),
    whole: () => Effect.die(get),
    change: () => Effect.die(list),
    withRoom: Effect.die(list),
    schedule: () => Effect.die(list)
  })

/** Authenticated reads that fail with this defect. */
export const polling = (defect: unknown) =>
  Layer.succeed(AuthenticatedReads, {
    decisions: () => Effect.die(defect),
    run: () => Effect.die(defect),
    teams: () => Effect.die(defect)
  })

/** A decision store that fails with this defect. */
export const decisionStore = (defect: unknown) =>
  Layer.succeed(DecisionStore, {
    page: () => Effect.die(defect),
    get: () => Effect.die(defect),
    queue: () => Effect.die(defect),
    unanswered: () => Effect.die(defect),
    context: () => Effect.die(defect),
    change: () => Effect.die(defect),
    due: () => Effect.die(defect),
    purgeKept: Effect.die(defect)
  })
