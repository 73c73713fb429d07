import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Console, Effect, Layer } from "effect"
import * as ByRules from "../../adapters/investigate/ByRules.ts"
import * as Logging from "../../adapters/Logging.ts"
import * as Notifiers from "../../adapters/notify/Notifiers.ts"
import * as OutgoingHttp from "../../adapters/outgoing/OutgoingHttp.ts"
import * as Client from "../../adapters/postgres/Client.ts"
import * as Postgres from "../../adapters/postgres/Postgres.ts"
import * as SecretKeyFile from "../../adapters/secrets/SecretKeyFile.ts"
import * as SourceApis from "../../adapters/sources/SourceApis.ts"
import * as JobEngine from "../../adapters/workflow/JobEngine.ts"
import { Pace } from "../../adapters/workflow/Pace.ts"
import * as Draining from "../../application/Draining.ts"
import * as OnCallWork from "../../application/OnCallWork.ts"
import * as Sealing from "../../application/Sealing.ts"

/** The service without its HTTP side; a dead one is missed as soon as the test says. */
const pace = Layer.unwrapEffect(
  Effect.gen(function* () {
    const pace = yield* Pace
    const silence = yield* Config.withDefault(Config.duration("SILENCE"), pace.silence)
    return Layer.succeed(Pace, { ...pace, silence })
  })
)

const worker = Layer.effectDiscard(Console.log("working")).pipe(
  Layer.provide([Draining.layer, JobEngine.layer]),
  Layer.provide([OnCallWork.layer, pace]),
  Layer.provide([ByRules.layer, Notifiers.layer, SourceApis.layer]),
  Layer.provide([OutgoingHttp.layer, Sealing.layer]),
  Layer.provide([SecretKeyFile.layer, Layer.provideMerge(Postgres.layer, Client.layer)])
)

NodeRuntime.runMain(Effect.provide(Layer.launch(worker), Layer.merge(Logging.layer, NodeContext.layer)))
