import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import * as Refusal from "./OperationErrors.ts"

const Status = Schema.Struct({ status: Schema.Literal("ok") }).annotations({ identifier: "Status" })

/** Open routes: the state and the features of the service need no token. */
export class SystemApi extends HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("health", "/healthz").addSuccess(Status).annotate(OpenApi.Summary, "Whether the process is up")
  )
  .add(
    HttpApiEndpoint.get("ready", "/readyz")
      .addSuccess(Status)
      .addError(Refusal.Unavailable)
      .annotate(OpenApi.Summary, "Whether the database answers too")
  )
  .add(
    HttpApiEndpoint.get("openapi", "/v1/openapi.json")
      .addSuccess(Schema.Object.annotations({ jsonSchema: { type: "object", additionalProperties: true } }))
      .annotate(OpenApi.Summary, "This document")
  )
  .annotate(OpenApi.Description, "Health and this description; no token needed.") {}
