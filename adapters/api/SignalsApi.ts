import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { Link } from "../../domain/oncall/Signal.ts"
import * as Refusal from "./OperationErrors.ts"

const source = HttpApiSchema.param(
  "source",
  Schema.String.annotations({ description: "The last part of the address that `source create` printed." })
)

/** The source's translator reads it, so that a refusal can name the problem. */
const GenericAlert = Schema.Struct({
  title: Schema.String,
  status: Schema.optional(Schema.Literal("firing", "resolved")),
  fingerprint: Schema.optional(Schema.String),
  id: Schema.optional(Schema.String),
  severity: Schema.optional(Schema.String),
  service: Schema.optional(Schema.String),
  environment: Schema.optional(Schema.String),
  description: Schema.optional(Schema.String),
  startedAt: Schema.optional(Schema.String),
  endedAt: Schema.optional(Schema.String),
  labels: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
  links: Schema.optional(Schema.Array(Link))
}).annotations({ identifier: "GenericAlert" })

const GenericAlerts = Schema.Struct({ alerts: Schema.Array(GenericAlert) }).annotations({ identifier: "GenericAlerts" })

export const Accepted = Schema.Struct({
  deliveryId: Schema.UUID,
  accepted: Schema.Int,
  duplicates: Schema.Int,
  rejected: Schema.Array(Schema.Struct({ index: Schema.Int, message: Schema.String }))
}).annotations({ identifier: "Accepted" })

const receive = <Name extends string>(name: Name, method: "POST" | "PUT", summary: string) =>
  HttpApiEndpoint.make(method)(name)`/${source}`
    .setPayload(Schema.Union(GenericAlert, GenericAlerts))
    .addSuccess(Accepted, { status: 202 })
    .addError(Refusal.UnreadableAlert)
    .addError(Refusal.InvalidProof)
    .addError(Refusal.TimestampOutOfWindow)
    .addError(Refusal.SourceNotFound)
    .addError(Refusal.PayloadTooLarge)
    .addError(Refusal.UnsupportedMediaType)
    .addError(Refusal.Unavailable)
    .annotate(OpenApi.Summary, summary)
    .annotate(
      OpenApi.Description,
      "The body is that of the source's tool; the generic format is shown. The proof is the tool's own: `X-Service-Signature: sha256=<hex HMAC-SHA256 of the body>` for the generic format, with `X-Service-Timestamp` over `<timestamp>.<body>`. Answered once the delivery is stored; the rest happens after."
    )

export class SignalsApi extends HttpApiGroup.make("signals")
  .add(receive("postSignal", "POST", "Deliver alerts"))
  .add(receive("putSignal", "PUT", "Deliver alerts, from a tool that uses PUT"))
  .prefix("/signals")
  .annotate(OpenApi.Description, "Where alerting tools post, each source at an address of its own.") {}
