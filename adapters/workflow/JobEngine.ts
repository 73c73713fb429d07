import { Sharding } from "@effect/cluster/Sharding"
import * as SqlClient from "@effect/sql/SqlClient"
import { type Cause, Duration, Effect, Exit, Layer, Schedule, Scope } from "effect"
import * as OutageLog from "../../application/jobs/OutageLog.ts"
import { Outside } from "../../application/ports/JobHandlers.ts"
import * as Begin from "./Begin.ts"
import * as Cluster from "./Cluster.ts"
import * as ClusterTables from "./ClusterTables.ts"
import * as JobWorkflow from "./JobWorkflow.ts"
import * as Starter from "./Starter.ts"
import * as Upkeep from "./Upkeep.ts"

/** With nothing connected there is nothing to run: jobs are only put to rest. */
const resting = Layer.scopedDiscard(
  Effect.zipRight(
    Starter.start(() => Effect.void, Effect.void),
    Upkeep.start({ lag: Effect.succeed(Duration.zero), purge: () => Effect.void })
  )
)

const working = Layer.scopedDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const begin = yield* Begin.Begin
    const { pollStorage } = yield* Sharding
    yield* Starter.start(begin, pollStorage)
    yield* Upkeep.start({
      lag: Effect.provideService(ClusterTables.lag, SqlClient.SqlClient, sql),
      purge: (days) => Effect.provideService(ClusterTables.purge(days), SqlClient.SqlClient, sql)
    })
  })
).pipe(
  Layer.provide(JobWorkflow.layer),
  Layer.provide([Begin.layer, Cluster.runner]),
  Layer.provide(Layer.effectDiscard(ClusterTables.create))
)

/** What is under way gets time to end, but cannot hold up a shutdown: it goes on at the next start. */
const leave = (scope: Scope.CloseableScope) =>
  Scope.close(scope, Exit.void).pipe(
    Effect.disconnect,
    Effect.interruptible,
    Effect.timeout("6 seconds"),
    Effect.ignore
  )

const running = Effect.gen(function* () {
  const engine = (yield* Outside).size === 0 ? resting : working
  return yield* Effect.acquireUseRelease(
    Scope.make(),
    (scope) => Effect.zipRight(Layer.buildWithScope(engine, scope), Effect.never),
    leave
  )
})

/** Does the jobs that changes put into the outbox, with what is connected in `Outside`; it waits for its database. */
export const layer = Layer.scopedDiscard(
  Effect.suspend(() => {
    let isTold = false
    const tell = (cause: Cause.Cause<unknown>) => {
      if (isTold) return Effect.void
      isTold = true
      return OutageLog.logFailure("jobs wait: their engine cannot be started right now", cause)
    }
    return running.pipe(
      Effect.tapErrorCause(tell),
      Effect.sandbox,
      Effect.retry(Schedule.spaced("1 second")),
      Effect.forkScoped
    )
  })
)
