import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as OpenApi from "@effect/platform/OpenApi"
import { Effect } from "effect"
import { Health } from "../../../application/ports/Health.ts"
import { Api } from "../../api/Api.ts"
import * as Responses from "./Responses.ts"

export const layer = HttpApiBuilder.group(Api, "system", (handlers) =>
  Effect.gen(function* () {
    const health = yield* Health
    const openapi = JSON.stringify(OpenApi.fromApi(Api))
    return handlers
      .handle("health", () => Effect.succeed({ status: "ok" as const }))
      .handle("ready", () => Effect.as(health.ready, { status: "ok" as const }))
      .handle("openapi", () => Effect.sync(() => Responses.json(openapi)))
  })
)
