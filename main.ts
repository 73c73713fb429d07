import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import * as Runtime from "@effect/platform/Runtime"
import { Effect, Layer } from "effect"
import { startsRunner } from "./adapters/cli/RunnerHelp.ts"
import { explain, minding } from "./adapters/cli/Failures.ts"
import * as Cli from "./adapters/cli/Cli.ts"
import * as Tools from "./adapters/alerting/Tools.ts"
import * as GitHub from "./adapters/github/GitHub.ts"
import * as LocalCodeHost from "./adapters/localgit/LocalCodeHost.ts"
import * as Logging from "./adapters/Logging.ts"
import * as NodeHashing from "./adapters/secrets/NodeHashing.ts"
import * as OutgoingHttp from "./adapters/outgoing/OutgoingHttp.ts"
import * as PgClient from "./adapters/postgres/connection/PgClient.ts"
import * as Postgres from "./adapters/postgres/Postgres.ts"
import * as SecretKeyFile from "./adapters/secrets/SecretKeyFile.ts"
import * as ToolApis from "./adapters/alerting/ToolApis.ts"
import { PublicUrl } from "./application/oncall/PublicUrl.ts"
import * as Sealing from "./application/secrets/Sealing.ts"
import * as Settings from "./adapters/Settings.ts"
import * as Telemetry from "./adapters/Telemetry.ts"

const stores = Postgres.layer.pipe(Layer.provideMerge(PgClient.layer))
const sealing = Layer.provide(Sealing.lazily(Effect.orDie(SecretKeyFile.key)), SecretKeyFile.old)

const commands = Layer.mergeAll(
  GitHub.layer.pipe(Layer.provide(OutgoingHttp.layer), Layer.provideMerge(stores), Layer.provideMerge(sealing)),
  Tools.layer,
  Layer.provide(ToolApis.layer, OutgoingHttp.layer),
  LocalCodeHost.layer.pipe(Layer.provideMerge(Layer.effect(PublicUrl, Settings.ownUrl)))
)

const program = Effect.gen(function* () {
  if (startsRunner(process.argv.slice(2))) {
    const { runner } = yield* Effect.promise(() => import("./runner.ts"))
    return yield* runner
  }
  // It calls a service elsewhere, whose settings are not here.
  if (process.argv[2] !== "mcp") yield* Settings.all
  if (process.argv.length > 2) minding(process.stdout, process.argv.includes("--json"))
  if (process.argv.length > 2) return yield* Effect.provide(Cli.run(process.argv, commands), NodeHashing.layer)
  yield* SecretKeyFile.given
  // A command starts faster without the modules of the service.
  const { serve } = yield* Effect.promise(() => import("./serve.ts"))
  return yield* Telemetry.counting(serve)
})

/** A command that has written everything ends at once: Node would free its memory first, for 25 ms. */
const teardown: Runtime.Teardown = (exit, end) =>
  Runtime.defaultTeardown(exit, (code) => {
    end(code)
    if (process.argv.length < 3) return
    // An output that failed is an event of this turn.
    setImmediate(() => {
      if ([process.stdout, process.stderr].every(({ writableLength }) => writableLength === 0)) process.exit()
    })
  })

program.pipe(
  Effect.provide(Logging.layer),
  Effect.catchAllCause(explain(process.argv.includes("--json"))),
  Effect.provide(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeTerminal.layer)),
  (main) => NodeRuntime.runMain(main, { disableErrorReporting: true, disablePrettyLogger: true, teardown })
)
