import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Effect } from "effect"
import * as Listing from "../../application/Listing.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import { parseSlug, TeamNotFound } from "../../domain/Team.ts"
import { Caller } from "./api/Access.ts"
import { Api } from "./api/Api.ts"
import * as Query from "./Query.ts"
import * as Respond from "./Respond.ts"

const slugOf = (team: string) => Effect.mapError(parseSlug(team), () => new TeamNotFound({ team }))

export const layer = HttpApiBuilder.group(Api, "teams", (handlers) =>
  Effect.gen(function* () {
    const teams = yield* TeamStore
    const stories = yield* StoryStore
    return handlers
      .handle("listTeams", () =>
        Effect.gen(function* () {
          const { workspace } = yield* Caller
          return Respond.page({ items: yield* teams.list(workspace), nextCursor: null })
        })
      )
      .handle("getTeam", ({ path, request }) =>
        Effect.gen(function* () {
          const { workspace } = yield* Caller
          return Respond.resource(yield* teams.get(workspace, yield* slugOf(path.team)), request.headers)
        })
      )
      .handle("listStories", ({ path, urlParams }) =>
        Effect.gen(function* () {
          const { workspace } = yield* Caller
          const paging = yield* Query.paging(urlParams)
          const filters = { drafts: yield* Query.drafts(urlParams.drafts), team: yield* slugOf(path.team) }
          const listing = { workspace, list: "stories", filters }
          return Respond.page(yield* Listing.page(listing, paging, (page) => stories.page(workspace, filters, page)))
        })
      )
  })
)
