import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as OpenApi from "@effect/platform/OpenApi"
import { Effect, Option, Schema } from "effect"
import { Health } from "../../application/ports/Health.ts"
import { parseKey } from "../../domain/IncidentKey.ts"
import { WorkspaceSlug } from "../../domain/Workspace.ts"
import { Api } from "./api/Api.ts"
import { RouteNotFound } from "./api/Errors.ts"
import { home, incidentPage } from "./HomePage.ts"
import * as Respond from "./Respond.ts"

const slugOf = Schema.decodeOption(WorkspaceSlug)

export const layer = HttpApiBuilder.group(Api, "system", (handlers) =>
  Effect.gen(function* () {
    const health = yield* Health
    const openapi = JSON.stringify(OpenApi.fromApi(Api))
    return handlers
      .handle("health", () => Effect.succeed({ status: "ok" as const }))
      .handle("ready", () => Effect.as(health.ready, { status: "ok" as const }))
      .handle("openapi", () => Effect.sync(() => Respond.json(openapi)))
      .handle("home", () => Effect.succeed(HttpServerResponse.html(home)))
      .handle("incident", ({ path: { incident, workspace } }) =>
        Option.match(Option.all([slugOf(workspace), parseKey(incident)]), {
          // Nothing but a slug and a key is shown in a command to copy; the edge answers as for every path that is none.
          onNone: () => Effect.die(new RouteNotFound({ method: "GET", path: "/incidents/…" })),
          onSome: ([slug, key]) => Effect.succeed(HttpServerResponse.html(incidentPage(slug, key)))
        })
      )
  })
)
