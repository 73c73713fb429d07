import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpServer from "@effect/platform/HttpServer"
import { Effect, Layer } from "effect"
import * as Cursors from "../../application/workspace/Cursors.ts"
import * as LeaseBell from "../../application/runner/LeaseBell.ts"
import * as ChangeFeed from "../../application/workspace/ChangeFeed.ts"
import * as TokenUsage from "../../application/workspace/TokenUsage.ts"
import * as TokenAuth from "./rest/TokenAuth.ts"
import { Api } from "../api/Api.ts"
import * as AuditHttp from "./rest/AuditHttp.ts"
import * as BoardsHttp from "./rest/BoardsHttp.ts"
import * as ClientAddress from "./server/ClientAddress.ts"
import * as DecisionsHttp from "./rest/DecisionsHttp.ts"
import * as DocsPage from "./web/DocsPage.ts"
import { edge } from "./rest/Edge.ts"
import { host } from "./server/Host.ts"
import * as LivePages from "./web/LivePages.ts"
import * as WebApp from "./web/WebApp.ts"
import * as FloodGuard from "./server/FloodGuard.ts"
import * as FastRoutes from "./rest/FastRoutes.ts"
import * as HooksApp from "./hooks/HooksApp.ts"
import * as McpApp from "./mcp/McpApp.ts"
import { segments } from "./rest/Routes.ts"
import * as RunnerApp from "./runner/RunnerApp.ts"
import * as RunsHttp from "./rest/RunsHttp.ts"
import * as SignalsHttp from "./rest/SignalsHttp.ts"
import * as StoriesHttp from "./rest/StoriesHttp.ts"
import * as SystemHttp from "./rest/SystemHttp.ts"
import * as TeamsHttp from "./rest/TeamsHttp.ts"

const groups = Layer.mergeAll(
  TeamsHttp.layer,
  StoriesHttp.layer,
  RunsHttp.layer,
  DecisionsHttp.layer,
  AuditHttp.layer,
  SignalsHttp.layer,
  BoardsHttp.layer,
  SystemHttp.layer
)

const access = TokenAuth.layer.pipe(
  Layer.provideMerge(Cursors.layer),
  Layer.provideMerge(Layer.merge(FloodGuard.layer, ClientAddress.layer)),
  Layer.provide(TokenUsage.layer)
)

export const hotPath = Layer.provide(FastRoutes.layer, access)

const rest = Effect.map(HttpApiBuilder.httpApp, (app) => ({ segments, app }))

/** All applications over their stores, on any HTTP server. */
export const api = Layer.unwrapScoped(
  Effect.map(Effect.all([rest, WebApp.make, RunnerApp.make, McpApp.make, HooksApp.make]), ([rest, web, ...more]) =>
    HttpServer.serve(host(rest, web, more))
  )
).pipe(
  Layer.provide([HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer]),
  // Addresses of the intake hold secrets, and spans would hold addresses.
  HttpMiddleware.withTracerDisabledWhen(() => true),
  Layer.provide(HttpApiBuilder.middleware(edge)),
  // A key that is too long to exist gets the answer of a missing key.
  Layer.provide(HttpRouter.setRouterConfig({ caseSensitive: true, maxParamLength: 16_384 })),
  Layer.provide(DocsPage.layer),
  Layer.provide(HttpApiBuilder.api(Api)),
  Layer.provide(groups),
  Layer.provide(access),
  Layer.provide([LivePages.layer, LeaseBell.layer]),
  Layer.provide(ChangeFeed.layer)
)
