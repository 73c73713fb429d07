import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Effect, Either, Exit, FiberRef, FiberRefs, identity, Layer, LogLevel, Runtime } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AlertTools } from "../../../application/ports/AlertTools.ts"
import type { CloudPages } from "../../../application/ports/CloudPages.ts"
import type { DecisionStore } from "../../../application/ports/DecisionStore.ts"
import type { OnCallStore } from "../../../application/ports/OnCallStore.ts"
import type { SignalStore } from "../../../application/ports/SignalStore.ts"
import type { Bearer } from "../../../application/ports/TokenStore.ts"
import { AuthenticatedReads } from "../../../application/ports/AuthenticatedReads.ts"
import * as Listing from "../../../application/workspace/Listing.ts"
import type { DecisionView } from "../../../domain/work/Decision.ts"
import type { InvalidToken, TokenExpired, TokenRevoked } from "../../../domain/workspace/ApiToken.ts"
import * as Responses from "./Responses.ts"
import type { Cursors } from "../../../application/workspace/Cursors.ts"
import type { Sealing } from "../../../application/secrets/Sealing.ts"
import type { Signature } from "../../../domain/value/Signature.ts"
import { Entrance, type Visit } from "./TokenAuth.ts"
import { largestBody } from "../server/RequestBody.ts"
import type { ClientAddress } from "../server/ClientAddress.ts"
import * as DecisionsHttp from "./DecisionsHttp.ts"
import { refused } from "../server/JsonErrors.ts"
import { headersOf, noted } from "../server/Host.ts"
import * as RequestNotes from "../server/RequestNotes.ts"
import type { FloodGuard } from "../server/FloodGuard.ts"
import { type Endpoint, endpoint } from "./Routes.ts"
import * as RunsHttp from "./RunsHttp.ts"
import * as SignalsHttp from "./SignalsHttp.ts"

type Needs =
  | AlertTools
  | ClientAddress
  | CloudPages
  | Cursors
  | DecisionStore
  | FloodGuard
  | OnCallStore
  | Sealing
  | SignalStore
  | Signature

interface Refusal {
  readonly _tag: string
}

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse, Refusal, Needs>

/** A request as the fast routes read it. */
interface Asked {
  readonly request: IncomingMessage
  readonly key: string
  readonly query: Readonly<Record<string, string>>
  readonly exchange: RequestNotes.Notes
}

const visitOf = ({ exchange, request }: Asked): Visit => ({
  headers: request.headers,
  peer: request.socket.remoteAddress,
  exchange
})

interface Route extends Endpoint {
  readonly answer: (asked: Asked) => Answer
}

/** Query values by name; null when one is repeated, which the ordinary routes refuse. */
const valuesOf = (query: string): Readonly<Record<string, string>> | null => {
  if (query === "") return {}
  const values: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(query)) {
    if (name in values) return null
    values[name] = value
  }
  return values
}

/** True for requests the fast routes can handle; all others take the ordinary routes. */
const isPlain = ({ headers, method }: IncomingMessage) =>
  method === "GET"
    ? headers["content-length"] === undefined && headers["transfer-encoding"] === undefined
    : headers["expect"] === undefined && Number(headers["content-length"] ?? NaN) <= largestBody

const write = (
  response: ServerResponse,
  answer: HttpServerResponse.HttpServerResponse,
  exchange: RequestNotes.Notes
) => {
  const { body, headers, status } = answer
  response.writeHead(status, { ...headers, ...headersOf(exchange) })
  if (body._tag === "Raw" || body._tag === "Uint8Array") response.end(body.body)
  else response.end()
}

/**
 * The short path from the socket to a handler and back, for the most frequent requests: a poll for news, a resolution,
 * an alert. It has no rules and no responses of its own; every request that is not plain takes the ordinary routes.
 */
export class FastRoutes extends Context.Tag("adapters/http/FastRoutes")<
  FastRoutes,
  /** Returns true when it handles the request. */
  (request: IncomingMessage, response: ServerResponse) => boolean
>() {}

export const layer = Layer.effect(
  FastRoutes,
  Effect.gen(function* () {
    const polling = yield* AuthenticatedReads
    const { enter, enterBy } = yield* Entrance
    const isLogged = LogLevel.lessThanEqual(yield* FiberRef.get(FiberRef.currentMinimumLogLevel), LogLevel.Debug)
    const runtime = yield* Effect.runtime<Needs>()
    // Every fiber copies settings such as the log's; a poll takes them only when it has something to log.
    const settled = Effect.inheritFiberRefs(runtime.fiberRefs)
    const start = Runtime.runCallback(runtime)
    const startPoll = isLogged ? start : Runtime.runCallback(Runtime.make({ ...runtime, fiberRefs: FiberRefs.empty() }))

    /** Reads parameters after the token: an unknown caller learns nothing of them. */
    const polled = <P, A extends { readonly bearer: Bearer }>(
      asked: Asked,
      parameters: Either.Either<P, Refusal>,
      poll: (hash: string, parameters: P, lane: string) => Effect.Effect<A, InvalidToken | TokenExpired | TokenRevoked>,
      answer: (found: A, parameters: P) => Answer
    ): Answer => {
      if (Either.isLeft(parameters)) return Effect.zipRight(enter("read", visitOf(asked)), Effect.fail(parameters.left))
      const given = parameters.right
      return enterBy(
        "read",
        visitOf(asked),
        (hash, lane) => poll(hash, given, lane),
        (found) => answer(found, given)
      )
    }

    const decisions = (asked: Asked) =>
      polled(
        asked,
        Either.flatMap(DecisionsHttp.asked(asked.query), ({ filters, paging }) =>
          Either.map(Listing.claim(paging), (claim) => ({ filters, paging, claim }))
        ),
        (hash, { claim, filters }, lane) => polling.decisions(hash, filters, claim, lane),
        ({ answer, bearer }, { filters, paging }) =>
          Either.match(answer, {
            onLeft: Effect.fail,
            onRight: (page) =>
              Effect.map(
                Listing.settle(DecisionsHttp.listing(bearer.workspace, filters), paging, page),
                Responses.page<DecisionView>
              )
          })
      )

    const run = (asked: Asked) =>
      polled(asked, RunsHttp.keyOf(asked.key), polling.run, ({ answer }) =>
        Either.map(answer, (json) => Responses.resource(json, asked.request.headers))
      )

    const teams = (asked: Asked) =>
      polled(
        asked,
        Either.void,
        (hash, _, lane) => polling.teams(hash, lane),
        ({ answer }) => Either.map(answer, (items) => Responses.page({ items, nextCursor: null }))
      )

    const resolve = (asked: Asked) =>
      Effect.flatMap(enter("write", visitOf(asked)), (bearer) =>
        DecisionsHttp.resolve(RequestNotes.personOf(bearer, asked.exchange), asked.key, asked.request)
      )

    const routes: ReadonlyArray<Route> = [
      { ...endpoint("listDecisions"), answer: decisions },
      { ...endpoint("getRun"), answer: run },
      { ...endpoint("listTeams"), answer: teams },
      { ...endpoint("resolveDecision"), answer: resolve },
      { ...endpoint("postSignal"), answer: ({ key, request }) => SignalsHttp.receive(key, request) }
    ]

    return (request, response) => {
      if (!isPlain(request)) return false
      const { headers, method = "", url = "" } = request
      const [path = "", ...rest] = url.split("?")
      for (const route of routes) {
        const key = route.method === method ? route.plain.exec(path) : null
        if (key === null) continue
        const query = valuesOf(rest.join("?"))
        if (query === null) return false
        const exchange = RequestNotes.begin(headers)
        const answer = route.answer({ request, key: key[1] ?? "", query, exchange }).pipe(
          Effect.catchAllCause((cause) => Effect.zipRight(settled, refused(cause, exchange, method, path))),
          isLogged ? Effect.tap(({ status }) => noted(method, path, status, exchange)) : identity
        )
        const begin = method === "GET" ? startPoll : start
        const stop = begin(answer, { onExit: (exit) => Exit.isSuccess(exit) && write(response, exit.value, exchange) })
        response.on("close", () => {
          if (!response.writableEnded) stop()
        })
        return true
      }
      return false
    }
  })
)
