import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Either, Predicate, Schema } from "effect"
import type { IncomingMessage } from "node:http"
import type { Person } from "../../../application/workspace/Authorization.ts"
import * as Decisions from "../../../application/work/Decisions.ts"
import * as Listing from "../../../application/workspace/Listing.ts"
import { type DecisionFilter, DecisionStore } from "../../../application/ports/DecisionStore.ts"
import type { Bearer } from "../../../application/ports/TokenStore.ts"
import { checkNote } from "../../../domain/work/ResolveDecision.ts"
import { DecisionNotFound, DecisionStatus, parseKey } from "../../../domain/work/Decision.ts"
import { Text } from "../../../domain/value/Text.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { Caller } from "../../api/AccessApi.ts"
import { Api } from "../../api/Api.ts"
import { InvalidRequest } from "../../api/HttpErrors.ts"
import * as RequestBody from "../server/RequestBody.ts"
import { caller } from "../server/RequestNotes.ts"
import * as QueryParameters from "./QueryParameters.ts"
import * as Responses from "./Responses.ts"

const isText = Schema.is(Text)

/** Describes a value to its sender, in few and visible characters. */
const shown = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (Array.isArray(value)) return "an array"
  if (Predicate.isRecord(value)) return "an object"
  const text = JSON.stringify(value)
  return text.length > 100 ? `${Array.from(text.slice(0, 101)).slice(0, 99).join("")}…` : text
}

/** Decodes a resolution; each error names its field. */
const resolution = (body: unknown) =>
  Effect.gen(function* () {
    const refuse = (field: string, problem: string, received: unknown) =>
      new InvalidRequest({ field, problem: `${problem}; got ${shown(received)}` })
    if (!Predicate.isRecord(body))
      return yield* refuse("", 'must be a JSON object such as {"optionId": "approve"}', body)
    const { note = null, optionId } = body
    if (typeof optionId !== "string")
      return yield* refuse("optionId", "must be a string: the id of one of the options", optionId)
    if (note !== null && typeof note !== "string") return yield* refuse("note", "must be a string", note)
    if (note !== null && !isText(note))
      return yield* refuse("note", "must not hold NUL or lone surrogate characters", note)
    return { optionId, note: yield* checkNote(note) }
  })

const statusOf = QueryParameters.oneOf("status", DecisionStatus.literals)

/** Decodes the query of a list of decisions. */
export const asked = (query: QueryParameters.Query<"status" | "team" | "run" | "limit" | "cursor">) =>
  Either.flatMap(statusOf(query.status), (status) =>
    Either.flatMap(QueryParameters.team(query.team), (team) =>
      Either.flatMap(QueryParameters.run(query.run), (run) =>
        Either.map(QueryParameters.paging(query), (paging) => ({ filters: { status, team, run }, paging }))
      )
    )
  )

export const listing = (workspace: WorkspaceId, filters: DecisionFilter) => ({
  workspace,
  list: "decisions",
  filters: { ...filters }
})

/** Resolves a decision with the body of a request. */
export const resolve = Effect.fnUntraced(function* (
  person: Person & Pick<Bearer, "token">,
  decision: string,
  request: IncomingMessage
) {
  const { note, optionId } = yield* resolution(yield* RequestBody.json(request))
  const given = request.headers["idempotency-key"]
  const name = yield* QueryParameters.idempotencyKey(given === undefined ? undefined : String(given))
  const key = yield* Effect.mapError(parseKey(decision), () => new DecisionNotFound({ decision }))
  const { isReplay, json } = yield* Decisions.answer(person, {
    decision: key,
    optionId,
    note,
    idempotency: name === null ? null : { token: person.token, key: name }
  })
  return Responses.json(json, isReplay ? { "idempotent-replayed": "true" } : {})
})

export const layer = HttpApiBuilder.group(Api, "decisions", (handlers) =>
  Effect.gen(function* () {
    const decisions = yield* DecisionStore
    return handlers
      .handle("listDecisions", ({ urlParams }) =>
        Effect.gen(function* () {
          const { workspace } = yield* Caller
          const { filters, paging } = yield* asked(urlParams)
          const read = Listing.page(listing(workspace, filters), paging, (page) =>
            decisions.page(workspace, filters, page)
          )
          return Responses.page(yield* read)
        })
      )
      .handle("getDecision", ({ path: { decision }, request }) =>
        Effect.gen(function* () {
          const { workspace } = yield* Caller
          const key = yield* Effect.mapError(parseKey(decision), () => new DecisionNotFound({ decision }))
          return Responses.resource(yield* decisions.get(workspace, key), request.headers)
        })
      )
      .handleRaw("resolveDecision", ({ path, request }) =>
        Effect.flatMap(caller, (person) => resolve(person, path.decision, toIncomingMessage(request)))
      )
  })
)
