import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as SqlClient from "@effect/sql/SqlClient"
import { Config, Console, Effect, Layer } from "effect"
import * as PgClient from "../../adapters/postgres/connection/PgClient.ts"
import * as Postgres from "../../adapters/postgres/Postgres.ts"
import * as JobEngine from "../../adapters/workflow/JobEngine.ts"
import { Pace } from "../../adapters/workflow/Pace.ts"
import { type Handler, JobFailed, Outside } from "../../application/ports/JobHandlers.ts"

/** Delivers each job into a table of the test, in two steps, so that there is a middle to be killed in. */
const outside = Layer.effect(
  Outside,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const deliver: Handler = ({ job }) =>
      sql`INSERT INTO handed_over (job, process) VALUES (${job.id}, ${process.pid})`.pipe(
        Effect.zipRight(Effect.sleep("20 millis")),
        Effect.mapError(({ message }) => new JobFailed({ reason: message, isFinal: false }))
      )
    return new Map([["tell_agent", deliver]] as const)
  })
)

const pace = Layer.unwrapEffect(
  Effect.gen(function* () {
    const pace = yield* Pace
    return Layer.succeed(Pace, {
      ...pace,
      silence: yield* Config.withDefault(Config.duration("SILENCE"), pace.silence)
    })
  })
)

const worker = Layer.effectDiscard(Console.log("working")).pipe(
  Layer.provide(JobEngine.layer),
  Layer.provide(outside),
  Layer.provide(pace),
  Layer.provide(Postgres.layer),
  Layer.provide(PgClient.layer)
)

NodeRuntime.runMain(Layer.launch(worker))
