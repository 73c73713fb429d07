import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Effect } from "effect"
import * as Listing from "../../application/Listing.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { DecisionNotFound, parseKey } from "../../domain/Decision.ts"
import { Caller } from "./api/Access.ts"
import { Api } from "./api/Api.ts"
import * as Query from "./Query.ts"
import * as Respond from "./Respond.ts"

export const layer = HttpApiBuilder.group(Api, "decisions", (handlers) =>
  Effect.gen(function* () {
    const decisions = yield* DecisionStore
    return handlers
      .handle("listDecisions", ({ urlParams }) =>
        Effect.gen(function* () {
          const { workspace } = yield* Caller
          const filters = {
            status: yield* Query.status(urlParams.status),
            team: yield* Query.team(urlParams.team),
            run: yield* Query.run(urlParams.run)
          }
          const paging = yield* Query.paging(urlParams)
          const listing = { workspace, list: "decisions", filters }
          return Respond.page(yield* Listing.page(listing, paging, (page) => decisions.page(workspace, filters, page)))
        })
      )
      .handle("getDecision", ({ path: { decision } }) =>
        Effect.gen(function* () {
          const { workspace } = yield* Caller
          const key = yield* Effect.mapError(parseKey(decision), () => new DecisionNotFound({ decision }))
          return yield* Respond.resource(yield* decisions.get(workspace, key))
        })
      )
  })
)
