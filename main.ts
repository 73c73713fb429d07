import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Context, Effect, Layer, RuntimeFlags, RuntimeFlagsPatch } from "effect"
import { explain } from "./adapters/cli/Explain.ts"
import * as Gatehouse from "./adapters/cli/Gatehouse.ts"
import { welcome } from "./adapters/cli/Welcome.ts"
import * as NodeServer from "./adapters/http/NodeServer.ts"
import * as Server from "./adapters/http/Server.ts"
import * as CloudPagesHttp from "./adapters/intake/CloudPagesHttp.ts"
import * as Tools from "./adapters/intake/Tools.ts"
import * as ByRules from "./adapters/investigate/ByRules.ts"
import * as Logging from "./adapters/Logging.ts"
import * as Notifiers from "./adapters/notify/Notifiers.ts"
import * as OutgoingHttp from "./adapters/outgoing/OutgoingHttp.ts"
import * as Client from "./adapters/postgres/Client.ts"
import * as Postgres from "./adapters/postgres/Postgres.ts"
import * as NodeHashing from "./adapters/secrets/NodeHashing.ts"
import * as SecretKeyFile from "./adapters/secrets/SecretKeyFile.ts"
import * as SourceApis from "./adapters/sources/SourceApis.ts"
import * as Draining from "./application/Draining.ts"
import * as OnCallWork from "./application/OnCallWork.ts"
import * as Outage from "./application/Outage.ts"
import { PublicUrl } from "./application/PublicUrl.ts"
import { Retention } from "./application/Retention.ts"
import * as Rewrapping from "./application/Rewrapping.ts"
import * as Rounds from "./application/Rounds.ts"
import * as Sealing from "./application/Sealing.ts"
import * as JobEngine from "./adapters/workflow/JobEngine.ts"
import * as Settings from "./adapters/Settings.ts"
import { Signature } from "./domain/Signature.ts"

const stores = Postgres.layer.pipe(Layer.provideMerge(Client.lasting))

const service = Layer.effectDiscard(welcome).pipe(
  Layer.provide(Server.api),
  Layer.merge(Rounds.layer),
  Layer.merge(Draining.layer),
  Layer.merge(JobEngine.layer),
  Layer.provide(OnCallWork.layer),
  Layer.provide(NodeServer.layer),
  Layer.provide(Layer.effectDiscard(Effect.flatMap(Settings.lostKeys, Rewrapping.begin))),
  Layer.provide(Server.hotPath),
  Layer.provide([ByRules.layer, Notifiers.layer, SourceApis.layer]),
  Layer.provide([Sealing.layer, Tools.layer, CloudPagesHttp.layer, OutgoingHttp.layer, Signature.Default]),
  Layer.provide(SecretKeyFile.layer),
  Layer.provideMerge(stores),
  Layer.provide([NodeHashing.layer, Outage.layer]),
  // Nothing reads spans yet, and making them is a fifth of what a request costs.
  Layer.provide(Layer.setTracerEnabled(false)),
  Layer.provide([Layer.effect(Retention, Settings.retention), Layer.effect(PublicUrl, Settings.ownUrl)])
)

const commands = Layer.mergeAll(
  Postgres.layer.pipe(Layer.provideMerge(Client.layer)),
  Tools.layer,
  Layer.provide(SourceApis.layer, OutgoingHttp.layer),
  Layer.provide(Sealing.lazily(Effect.orDie(SecretKeyFile.key)), SecretKeyFile.old)
)

/** Nothing reads metrics of fibers yet either. */
const uncounted = RuntimeFlagsPatch.disable(RuntimeFlags.RuntimeMetrics)

/** Until a signal ends it, or its database is lost for good. */
const serve = Effect.scoped(
  Effect.flatMap(Layer.build(service), (context) => Context.get(context, Client.Supervision).lost)
)

const program = Effect.gen(function* () {
  yield* Settings.all
  if (process.argv.length > 2) return yield* Gatehouse.run(process.argv, commands)
  yield* SecretKeyFile.given
  return yield* Effect.withRuntimeFlagsPatch(serve, uncounted)
})

program.pipe(
  Effect.provide(Logging.layer),
  Effect.catchAllCause(explain(process.argv.includes("--json"))),
  Effect.provide(NodeContext.layer),
  (main) => NodeRuntime.runMain(main, { disableErrorReporting: true, disablePrettyLogger: true })
)
