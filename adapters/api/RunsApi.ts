import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { RunSummary, RunView } from "../../domain/work/Run.ts"
import { ReadAccess } from "./AccessApi.ts"
import * as Parameters from "./Parameters.ts"
import * as Refusal from "./OperationErrors.ts"

export class RunsApi extends HttpApiGroup.make("runs")
  .add(
    HttpApiEndpoint.get("listRuns", "/")
      .setUrlParams(Schema.Struct({ team: Parameters.teamFilter, story: Parameters.storyFilter, ...Parameters.paging }))
      .addSuccess(Parameters.page(RunSummary, "RunPage"))
      .addError(Refusal.InvalidParameter)
      .addError(Refusal.InvalidCursor)
      .addError(Refusal.TeamNotFound)
      .annotate(OpenApi.Summary, "Runs, newest first")
  )
  .add(
    HttpApiEndpoint.get("getRun")`/${Parameters.run}`
      .addSuccess(RunView)
      .addError(Refusal.RunNotFound)
      .annotate(OpenApi.Summary, "One run")
      .annotate(OpenApi.Description, "With its attempts, its evidence and its decisions, newest first.")
  )
  .middleware(ReadAccess)
  .prefix("/v1/runs")
  .annotate(OpenApi.Description, "The service working on stories.") {}
