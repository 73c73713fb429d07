import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { Schema } from "effect"
import { StorySummary } from "../../domain/work/Story.ts"
import { TeamView } from "../../domain/workspace/Team.ts"
import { ReadAccess } from "./AccessApi.ts"
import * as Parameters from "./Parameters.ts"
import * as Refusal from "./OperationErrors.ts"

export class TeamsApi extends HttpApiGroup.make("teams")
  .add(
    HttpApiEndpoint.get("listTeams", "/")
      .addSuccess(Parameters.page(TeamView, "TeamPage"))
      .annotate(OpenApi.Summary, "Every team of the workspace")
      .annotate(OpenApi.Description, "Sorted by name, always complete on one page: nextCursor is null.")
  )
  .add(
    HttpApiEndpoint.get("getTeam")`/${Parameters.team}`
      .addSuccess(TeamView)
      .addError(Refusal.TeamNotFound)
      .annotate(OpenApi.Summary, "One team")
  )
  .add(
    HttpApiEndpoint.get("listStories")`/${Parameters.team}/stories`
      .setUrlParams(Schema.Struct({ ...Parameters.paging, drafts: Parameters.drafts }))
      .addSuccess(Parameters.page(StorySummary, "StoryPage"))
      .addError(Refusal.InvalidParameter)
      .addError(Refusal.InvalidCursor)
      .addError(Refusal.TeamNotFound)
      .annotate(OpenApi.Summary, "A team's stories, newest first")
  )
  .middleware(ReadAccess)
  .prefix("/v1/teams")
  .annotate(OpenApi.Description, "AI teams and their stories.") {}
