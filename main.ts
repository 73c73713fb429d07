import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Context, Effect, Layer, RuntimeFlags, RuntimeFlagsPatch } from "effect"
import { explain } from "./adapters/cli/Failures.ts"
import * as Cli from "./adapters/cli/Cli.ts"
import { welcome } from "./adapters/cli/Welcome.ts"
import * as NodeServer from "./adapters/http/server/NodeServer.ts"
import * as Server from "./adapters/http/Server.ts"
import * as CloudPagesHttp from "./adapters/alerting/cloudwatch/CloudPagesHttp.ts"
import * as Tools from "./adapters/alerting/Tools.ts"
import * as InvestigateByRules from "./adapters/investigate/InvestigateByRules.ts"
import * as Logging from "./adapters/Logging.ts"
import * as Notifiers from "./adapters/notify/Notifiers.ts"
import * as OutgoingHttp from "./adapters/outgoing/OutgoingHttp.ts"
import * as PgClient from "./adapters/postgres/connection/PgClient.ts"
import * as Postgres from "./adapters/postgres/Postgres.ts"
import * as NodeHashing from "./adapters/secrets/NodeHashing.ts"
import * as SecretKeyFile from "./adapters/secrets/SecretKeyFile.ts"
import * as ToolApis from "./adapters/alerting/ToolApis.ts"
import * as TriageWorker from "./application/jobs/TriageWorker.ts"
import * as OnCallHandlers from "./application/jobs/OnCallHandlers.ts"
import * as OutageLog from "./application/jobs/OutageLog.ts"
import { PublicUrl } from "./application/oncall/PublicUrl.ts"
import { Retention } from "./application/jobs/Retention.ts"
import * as KeyRotation from "./application/secrets/KeyRotation.ts"
import * as PeriodicTasks from "./application/jobs/PeriodicTasks.ts"
import * as Sealing from "./application/secrets/Sealing.ts"
import * as JobWorker from "./application/jobs/JobWorker.ts"
import * as Settings from "./adapters/Settings.ts"
import { Signature } from "./domain/value/Signature.ts"

const stores = Postgres.layer.pipe(Layer.provideMerge(PgClient.lasting))

const service = Layer.effectDiscard(welcome).pipe(
  Layer.provide(Server.api),
  Layer.merge(PeriodicTasks.layer),
  Layer.merge(TriageWorker.layer),
  Layer.merge(JobWorker.layer),
  Layer.provide(OnCallHandlers.layer),
  Layer.provide(NodeServer.layer),
  Layer.provide(Layer.effectDiscard(Effect.flatMap(Settings.lostKeys, KeyRotation.begin))),
  Layer.provide(Server.hotPath),
  Layer.provide([InvestigateByRules.layer, Notifiers.layer, ToolApis.layer]),
  Layer.provide([Sealing.layer, Tools.layer, CloudPagesHttp.layer, OutgoingHttp.layer, Signature.Default]),
  Layer.provide(SecretKeyFile.layer),
  Layer.provideMerge(stores),
  Layer.provide([NodeHashing.layer, OutageLog.layer]),
  // Nothing reads spans yet, and creating them is a fifth of a request's cost.
  Layer.provide(Layer.setTracerEnabled(false)),
  Layer.provide([Layer.effect(Retention, Settings.retention), Layer.effect(PublicUrl, Settings.ownUrl)])
)

const commands = Layer.mergeAll(
  Postgres.layer.pipe(Layer.provideMerge(PgClient.layer)),
  Tools.layer,
  Layer.provide(ToolApis.layer, OutgoingHttp.layer),
  Layer.provide(Sealing.lazily(Effect.orDie(SecretKeyFile.key)), SecretKeyFile.old)
)

/** Nothing reads fiber metrics yet either. */
const uncounted = RuntimeFlagsPatch.disable(RuntimeFlags.RuntimeMetrics)

/** Runs until a signal ends it or its database is lost for good. */
const serve = Effect.scoped(
  Effect.flatMap(Layer.build(service), (context) => Context.get(context, PgClient.Supervision).lost)
)

const program = Effect.gen(function* () {
  yield* Settings.all
  if (process.argv.length > 2) return yield* Cli.run(process.argv, commands)
  yield* SecretKeyFile.given
  return yield* Effect.withRuntimeFlagsPatch(serve, uncounted)
})

program.pipe(
  Effect.provide(Logging.layer),
  Effect.catchAllCause(explain(process.argv.includes("--json"))),
  Effect.provide(NodeContext.layer),
  (main) => NodeRuntime.runMain(main, { disableErrorReporting: true, disablePrettyLogger: true })
)
