import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Effect } from "effect"
import * as Listing from "../../../application/workspace/Listing.ts"
import { StoryStore } from "../../../application/ports/StoryStore.ts"
import { TeamStore } from "../../../application/ports/TeamStore.ts"
import { parseSlug, TeamNotFound } from "../../../domain/workspace/Team.ts"
import { Caller } from "../../api/AccessApi.ts"
import { Api } from "../../api/Api.ts"
import * as QueryParameters from "./QueryParameters.ts"
import * as Responses from "./Responses.ts"

const slugOf = (team: string) => Effect.mapError(parseSlug(team), () => new TeamNotFound({ team }))

export const layer = HttpApiBuilder.group(Api, "teams", (handlers) =>
  Effect.gen(function* () {
    const teams = yield* TeamStore
    const stories = yield* StoryStore
    return handlers
      .handle("listTeams", () =>
        Effect.gen(function* () {
          const { workspace } = yield* Caller
          return Responses.page({ items: yield* teams.list(workspace), nextCursor: null })
        })
      )
      .handle("getTeam", ({ path, request }) =>
        Effect.gen(function* () {
          const { workspace } = yield* Caller
          return Responses.resource(yield* teams.get(workspace, yield* slugOf(path.team)), request.headers)
        })
      )
      .handle("listStories", ({ path, urlParams }) =>
        Effect.gen(function* () {
          const { workspace } = yield* Caller
          const paging = yield* QueryParameters.paging(urlParams)
          const filters = { drafts: yield* QueryParameters.drafts(urlParams.drafts), team: yield* slugOf(path.team) }
          const listing = { workspace, list: "stories", filters }
          return Responses.page(yield* Listing.page(listing, paging, (page) => stories.page(workspace, filters, page)))
        })
      )
  })
)
