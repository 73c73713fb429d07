import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as SqlClient from "@effect/sql/SqlClient"
import { Config, Console, Effect, Layer } from "effect"
import * as PgClient from "../../adapters/postgres/connection/PgClient.ts"
import * as Postgres from "../../adapters/postgres/Postgres.ts"
import { JobPace } from "../../application/jobs/JobPace.ts"
import * as JobWorker from "../../application/jobs/JobWorker.ts"
import { type Handler, JobFailed, JobHandlers, noHandlers } from "../../application/ports/JobHandlers.ts"

/** Delivers each job into a table of the test, in two steps, so that there is a middle to be killed in. */
const outside = Layer.effect(
  JobHandlers,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const delay = yield* Config.withDefault(Config.duration("DELAY"), "20 millis")
    const deliver: Handler = ({ job }) =>
      sql`INSERT INTO handed_over (job, process) VALUES (${job.id}, ${process.pid})`.pipe(
        Effect.zipRight(Effect.sleep(delay)),
        Effect.mapError(({ message }) => new JobFailed({ reason: message, isFinal: false }))
      )
    return { ...noHandlers, tell_agent: deliver }
  })
)

const pace = Layer.unwrapEffect(
  Effect.gen(function* () {
    const pace = yield* JobPace
    return Layer.succeed(JobPace, {
      ...pace,
      lease: yield* Config.withDefault(Config.duration("LEASE"), pace.lease)
    })
  })
)

const worker = Layer.effectDiscard(Console.log("working")).pipe(
  Layer.provide(JobWorker.layer),
  Layer.provide(outside),
  Layer.provide(pace),
  Layer.provide(Postgres.layer),
  Layer.provide(PgClient.layer)
)

NodeRuntime.runMain(Layer.launch(worker))
