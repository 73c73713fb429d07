import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import { Layer } from "effect"
import * as Cursors from "../../application/Cursors.ts"
import * as LastUsed from "../../application/LastUsed.ts"
import * as AccessHttp from "./AccessHttp.ts"
import { Api } from "./api/Api.ts"
import * as AuditHttp from "./AuditHttp.ts"
import * as BoardsHttp from "./BoardsHttp.ts"
import * as ClientAddress from "./ClientAddress.ts"
import * as DecisionsHttp from "./DecisionsHttp.ts"
import * as Docs from "./Docs.ts"
import { edge } from "./Edge.ts"
import * as FloodGuard from "./FloodGuard.ts"
import * as HotPath from "./HotPath.ts"
import * as RunsHttp from "./RunsHttp.ts"
import * as SignalsHttp from "./SignalsHttp.ts"
import * as StoriesHttp from "./StoriesHttp.ts"
import * as SystemHttp from "./SystemHttp.ts"
import * as TeamsHttp from "./TeamsHttp.ts"

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

const access = AccessHttp.layer.pipe(
  Layer.provideMerge(Cursors.layer),
  Layer.provideMerge(Layer.merge(FloodGuard.layer, ClientAddress.layer)),
  Layer.provide(LastUsed.layer)
)

export const hotPath = Layer.provide(HotPath.layer, access)

/** The REST API over the stores it reads from, on any HTTP server. */
export const api = HttpApiBuilder.serve().pipe(
  // Addresses of the intake hold secrets, and spans would hold addresses.
  HttpMiddleware.withTracerDisabledWhen(() => true),
  Layer.provide(HttpApiBuilder.middleware(edge)),
  // A key too long to be one is still a key that is not there.
  Layer.provide(HttpRouter.setRouterConfig({ maxParamLength: 16_384 })),
  Layer.provide(Docs.layer),
  Layer.provide(HttpApiBuilder.api(Api)),
  Layer.provide(groups),
  Layer.provide(access)
)
