import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Effect, Either } from "effect"
import * as Listing from "../../application/Listing.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { parseKey, RunNotFound } from "../../domain/Run.ts"
import { Caller } from "./api/Access.ts"
import { Api } from "./api/Api.ts"
import * as Query from "./Query.ts"
import * as Respond from "./Respond.ts"

export const keyOf = (run: string) => Either.fromOption(parseKey(run), () => new RunNotFound({ run }))

export const layer = HttpApiBuilder.group(Api, "runs", (handlers) =>
  Effect.gen(function* () {
    const runs = yield* RunStore
    return handlers
      .handle("listRuns", ({ urlParams }) =>
        Effect.gen(function* () {
          const { workspace } = yield* Caller
          const filters = { team: yield* Query.team(urlParams.team), story: yield* Query.story(urlParams.story) }
          const paging = yield* Query.paging(urlParams)
          const listing = { workspace, list: "runs", filters }
          return Respond.page(yield* Listing.page(listing, paging, (page) => runs.page(workspace, filters, page)))
        })
      )
      .handle("getRun", ({ path, request }) =>
        Effect.gen(function* () {
          const { workspace } = yield* Caller
          return Respond.resource(yield* runs.get(workspace, yield* keyOf(path.run)), request.headers)
        })
      )
  })
)
