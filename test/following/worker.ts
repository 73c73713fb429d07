import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Console, Effect, Layer } from "effect"
import * as InvestigateByRules from "../../adapters/investigate/InvestigateByRules.ts"
import * as Logging from "../../adapters/Logging.ts"
import * as Notifiers from "../../adapters/notify/Notifiers.ts"
import * as OutgoingHttp from "../../adapters/outgoing/OutgoingHttp.ts"
import * as PgClient from "../../adapters/postgres/connection/PgClient.ts"
import * as Postgres from "../../adapters/postgres/Postgres.ts"
import * as SecretKeyFile from "../../adapters/secrets/SecretKeyFile.ts"
import * as ToolApis from "../../adapters/alerting/ToolApis.ts"
import { JobPace } from "../../application/jobs/JobPace.ts"
import * as JobWorker from "../../application/jobs/JobWorker.ts"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import * as OnCallHandlers from "../../application/jobs/OnCallHandlers.ts"
import * as Sealing from "../../application/secrets/Sealing.ts"

/** The service without its HTTP side; a dead one is missed as soon as the test says. */
const pace = Layer.unwrapEffect(
  Effect.gen(function* () {
    const pace = yield* JobPace
    const lease = yield* Config.withDefault(Config.duration("LEASE"), pace.lease)
    return Layer.succeed(JobPace, { ...pace, lease })
  })
)

const worker = Layer.effectDiscard(Console.log("working")).pipe(
  Layer.provide([TriageWorker.layer, JobWorker.layer]),
  Layer.provide([OnCallHandlers.layer, pace]),
  Layer.provide([InvestigateByRules.layer, Notifiers.layer, ToolApis.layer]),
  Layer.provide([OutgoingHttp.layer, Sealing.layer]),
  Layer.provide([SecretKeyFile.layer, Layer.provideMerge(Postgres.layer, PgClient.layer)])
)

NodeRuntime.runMain(Effect.provide(Layer.launch(worker), Layer.merge(Logging.layer, NodeContext.layer)))
