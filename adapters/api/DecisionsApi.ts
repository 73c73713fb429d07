import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { ResolvedView } from "../../application/work/Decisions.ts"
import { DecisionStatus, DecisionView, longestNote } from "../../domain/work/Decision.ts"
import { ReadAccess, WriteAccess } from "./AccessApi.ts"
import * as Parameters from "./Parameters.ts"
import * as Refusal from "./OperationErrors.ts"

/** The handler reads it, so that a refusal can name the field and the allowed values. */
const Resolution = Schema.Struct({
  optionId: Schema.String.annotations({ description: "id of one of the decision's options." }),
  note: Schema.optional(
    Schema.NullOr(Schema.String.annotations({ jsonSchema: { type: "string", maxLength: longestNote } }))
  ).annotations({ description: "What the agent should know; at most 4,000 characters." })
}).annotations({ identifier: "Resolution" })

const resolve = HttpApiEndpoint.post("resolveDecision")`/${Parameters.decision}/resolve`
  .setHeaders(Parameters.idempotency)
  .setPayload(Resolution)
  .addSuccess(ResolvedView)
  .addError(Refusal.InvalidParameter)
  .addError(Refusal.InvalidJson)
  .addError(Refusal.InvalidRequest)
  .addError(Refusal.NoteTooLong)
  .addError(Refusal.UnknownOption)
  .addError(Refusal.InsufficientAuthority)
  .addError(Refusal.DecisionNotFound)
  .addError(Refusal.DecisionAlreadyResolved)
  .addError(Refusal.DecisionExpired)
  .addError(Refusal.DecisionCancelled)
  .addError(Refusal.DecisionSuperseded)
  .addError(Refusal.IdempotencyKeyReused)
  .addError(Refusal.UnsupportedMediaType)
  .middleware(WriteAccess)
  .annotate(OpenApi.Summary, "Answer a decision")
  .annotate(
    OpenApi.Description,
    "The first answer wins, whichever channel it comes from, and takes effect on the run and the story. `effects` lists the steps taken: `done` is committed, `queued` waits for somebody outside to confirm it."
  )

const statusFilter = Parameters.query({
  type: "string",
  enum: DecisionStatus.literals,
  description: "Only decisions with this status."
})

export class DecisionsApi extends HttpApiGroup.make("decisions")
  .add(
    HttpApiEndpoint.get("listDecisions", "/")
      .setUrlParams(
        Schema.Struct({
          status: statusFilter,
          team: Parameters.teamFilter,
          run: Parameters.runFilter,
          ...Parameters.paging
        })
      )
      .addSuccess(Parameters.page(DecisionView, "DecisionPage"))
      .addError(Refusal.InvalidParameter)
      .addError(Refusal.InvalidCursor)
      .addError(Refusal.TeamNotFound)
      .annotate(OpenApi.Summary, "Decisions, newest first")
  )
  .add(
    HttpApiEndpoint.get("getDecision")`/${Parameters.decision}`
      .addSuccess(DecisionView)
      .addError(Refusal.DecisionNotFound)
      .annotate(OpenApi.Summary, "One decision")
  )
  .middlewareEndpoints(ReadAccess)
  .add(resolve)
  .prefix("/v1/decisions")
  .annotate(OpenApi.Description, "Points where the service needs a human.") {}
