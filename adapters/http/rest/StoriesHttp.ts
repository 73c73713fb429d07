import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Effect } from "effect"
import { StoryStore } from "../../../application/ports/StoryStore.ts"
import { parseKey, StoryNotFound } from "../../../domain/work/Story.ts"
import { Caller } from "../../api/AccessApi.ts"
import { Api } from "../../api/Api.ts"
import * as Responses from "./Responses.ts"

export const layer = HttpApiBuilder.group(Api, "stories", (handlers) =>
  Effect.gen(function* () {
    const stories = yield* StoryStore
    return handlers.handle("getStory", ({ path: { story }, request }) =>
      Effect.gen(function* () {
        const { workspace } = yield* Caller
        const key = yield* Effect.mapError(parseKey(story), () => new StoryNotFound({ story }))
        return Responses.resource(yield* stories.get(workspace, key), request.headers)
      })
    )
  })
)
