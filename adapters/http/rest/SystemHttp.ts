import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as OpenApi from "@effect/platform/OpenApi"
import { Effect, Option, Schema } from "effect"
import { Health } from "../../../application/ports/Health.ts"
import { parseKey } from "../../../domain/value/IncidentKey.ts"
import { WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import { Api } from "../../api/Api.ts"
import { RouteNotFound } from "../../api/HttpErrors.ts"
import { home, incidentPage } from "../web/HomePage.ts"
import * as Responses from "./Responses.ts"

const slugOf = Schema.decodeOption(WorkspaceSlug)

export const layer = HttpApiBuilder.group(Api, "system", (handlers) =>
  Effect.gen(function* () {
    const health = yield* Health
    const openapi = JSON.stringify(OpenApi.fromApi(Api))
    return handlers
      .handle("health", () => Effect.succeed({ status: "ok" as const }))
      .handle("ready", () => Effect.as(health.ready, { status: "ok" as const }))
      .handle("openapi", () => Effect.sync(() => Responses.json(openapi)))
      .handle("home", () => Effect.succeed(HttpServerResponse.html(home)))
      .handle("incident", ({ path: { incident, workspace } }) =>
        Option.match(Option.all([slugOf(workspace), parseKey(incident)]), {
          // A command to copy shows only a slug and a key; the edge answers any other path as missing.
          onNone: () => Effect.die(new RouteNotFound({ method: "GET", path: "/incidents/…" })),
          onSome: ([slug, key]) => Effect.succeed(HttpServerResponse.html(incidentPage(slug, key)))
        })
      )
  })
)
