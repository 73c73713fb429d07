import { Context, Effect, Layer } from "effect"
import { welcome } from "./adapters/cli/Welcome.ts"
import * as NodeServer from "./adapters/http/server/NodeServer.ts"
import * as Server from "./adapters/http/Server.ts"
import * as CloudPagesHttp from "./adapters/alerting/cloudwatch/CloudPagesHttp.ts"
import * as Tools from "./adapters/alerting/Tools.ts"
import * as GitHub from "./adapters/github/GitHub.ts"
import * as LocalCodeHost from "./adapters/localgit/LocalCodeHost.ts"
import * as InvestigateByRules from "./adapters/investigate/InvestigateByRules.ts"
import * as Notifiers from "./adapters/notify/Notifiers.ts"
import * as OpenIdConnect from "./adapters/openid/OpenIdConnect.ts"
import * as OutgoingHttp from "./adapters/outgoing/OutgoingHttp.ts"
import * as PgClient from "./adapters/postgres/connection/PgClient.ts"
import * as Postgres from "./adapters/postgres/Postgres.ts"
import * as NodeHashing from "./adapters/secrets/NodeHashing.ts"
import * as SecretKeyFile from "./adapters/secrets/SecretKeyFile.ts"
import * as WebAuthnVerifier from "./adapters/webauthn/WebAuthnVerifier.ts"
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
import * as Telemetry from "./adapters/Telemetry.ts"
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
  Layer.provide([
    GitHub.layer,
    InvestigateByRules.layer,
    LocalCodeHost.layer,
    Notifiers.layer,
    OpenIdConnect.layer,
    ToolApis.layer,
    WebAuthnVerifier.layer
  ]),
  Layer.provide([Sealing.layer, Tools.layer, CloudPagesHttp.layer, OutgoingHttp.layer, Signature.Default]),
  Layer.provide(SecretKeyFile.layer),
  Layer.provideMerge(stores),
  Layer.provide([NodeHashing.layer, OutageLog.layer]),
  Layer.provide(Telemetry.layer),
  Layer.provide([Layer.effect(Retention, Settings.retention), Layer.effect(PublicUrl, Settings.ownUrl)])
)

/** Runs until a signal ends it or its database is lost for good. */
export const serve = Effect.scoped(
  Effect.flatMap(Layer.build(service), (context) => Context.get(context, PgClient.Supervision).lost)
)
