import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import { StoryView } from "../../domain/work/Story.ts"
import { ReadAccess } from "./AccessApi.ts"
import * as Parameters from "./Parameters.ts"
import * as Refusal from "./OperationErrors.ts"

export class StoriesApi extends HttpApiGroup.make("stories")
  .add(
    HttpApiEndpoint.get("getStory")`/${Parameters.story}`
      .addSuccess(StoryView)
      .addError(Refusal.StoryNotFound)
      .annotate(OpenApi.Summary, "One story")
      .annotate(OpenApi.Description, "With description, acceptance criteria and the keys of its runs, newest first.")
  )
  .middleware(ReadAccess)
  .prefix("/v1/stories")
  .annotate(OpenApi.Description, "What teams work on.") {}
