import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import * as Domain from "../../../domain/Decision.ts"
import { ReadAccess } from "./Access.ts"
import * as Parameters from "./Parameters.ts"
import * as Refusal from "./Refusals.ts"

const Decision = Domain.Decision.annotations({ identifier: "Decision" })

export class DecisionsApi extends HttpApiGroup.make("decisions")
  .add(
    HttpApiEndpoint.get("listDecisions", "/")
      .setUrlParams(
        Schema.Struct({
          status: Parameters.statusFilter,
          team: Parameters.teamFilter,
          run: Parameters.runFilter,
          ...Parameters.paging
        })
      )
      .addSuccess(Parameters.page(Decision, "DecisionPage"))
      .addError(Refusal.InvalidParameter)
      .addError(Refusal.InvalidCursor)
      .addError(Refusal.TeamNotFound)
      .annotate(OpenApi.Summary, "Decisions, newest first")
  )
  .add(
    HttpApiEndpoint.get("getDecision")`/${Parameters.decision}`
      .addSuccess(Decision)
      .addError(Refusal.DecisionNotFound)
      .annotate(OpenApi.Summary, "One decision")
  )
  .middleware(ReadAccess)
  .prefix("/v1/decisions")
  .annotate(OpenApi.Description, "Points where the service needs a human.") {}
