import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Effect, Predicate, Schema } from "effect"
import * as Decisions from "../../application/Decisions.ts"
import * as Listing from "../../application/Listing.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { checkNote } from "../../domain/Answer.ts"
import { DecisionNotFound, parseKey } from "../../domain/Decision.ts"
import { Text } from "../../domain/Text.ts"
import { Caller } from "./api/Access.ts"
import { Api } from "./api/Api.ts"
import { InvalidRequest } from "./api/Errors.ts"
import * as Body from "./Body.ts"
import { caller } from "./Exchange.ts"
import * as Query from "./Query.ts"
import * as Respond from "./Respond.ts"

const isText = Schema.is(Text)

/** The fields of an answer, each refused by its name. */
const resolution = (body: unknown) =>
  Effect.gen(function* () {
    const refuse = (field: string, problem: string) => new InvalidRequest({ field, problem })
    if (!Predicate.isRecord(body)) return yield* refuse("", 'must be a JSON object such as {"optionId": "approve"}')
    const { note = null, optionId } = body
    if (typeof optionId !== "string") return yield* refuse("optionId", "must be a string: the id of one of the options")
    if (note !== null && typeof note !== "string") return yield* refuse("note", "must be a string")
    if (note !== null && !isText(note)) return yield* refuse("note", "must not hold NUL or lone surrogate characters")
    return { optionId, note: yield* checkNote(note) }
  })

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
      .handleRaw("resolveDecision", ({ headers, path: { decision } }) =>
        Effect.gen(function* () {
          const person = yield* caller
          const { note, optionId } = yield* resolution(yield* Body.json)
          const name = yield* Query.idempotencyKey(headers["idempotency-key"])
          const key = yield* Effect.mapError(parseKey(decision), () => new DecisionNotFound({ decision }))
          const { isReplay, json } = yield* Decisions.answer(person, {
            decision: key,
            optionId,
            note,
            idempotency: name === null ? null : { token: person.token, key: name }
          })
          return Respond.json(json, isReplay ? { "idempotent-replayed": "true" } : {})
        })
      )
  })
)
