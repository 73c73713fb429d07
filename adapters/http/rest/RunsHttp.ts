import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Effect, Either } from "effect"
import * as Listing from "../../../application/workspace/Listing.ts"
import { RunStore } from "../../../application/ports/RunStore.ts"
import { parseKey, RunNotFound } from "../../../domain/work/Run.ts"
import { Caller } from "../../api/AccessApi.ts"
import { Api } from "../../api/Api.ts"
import * as QueryParameters from "./QueryParameters.ts"
import * as Responses from "./Responses.ts"

export const keyOf = (run: string) => Either.fromOption(parseKey(run), () => new RunNotFound({ run }))

export const layer = HttpApiBuilder.group(Api, "runs", (handlers) =>
  Effect.gen(function* () {
    const runs = yield* RunStore
    return handlers
      .handle("listRuns", ({ urlParams }) =>
        Effect.gen(function* () {
          const { workspace } = yield* Caller
          const filters = {
            team: yield* QueryParameters.team(urlParams.team),
            story: yield* QueryParameters.story(urlParams.story)
          }
          const paging = yield* QueryParameters.paging(urlParams)
          const listing = { workspace, list: "runs", filters }
          return Responses.page(yield* Listing.page(listing, paging, (page) => runs.page(workspace, filters, page)))
        })
      )
      .handle("getRun", ({ path, request }) =>
        Effect.gen(function* () {
          const { workspace } = yield* Caller
          return Responses.resource(yield* runs.get(workspace, yield* keyOf(path.run)), request.headers)
        })
      )
  })
)
