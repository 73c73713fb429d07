import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type * as HttpApp from "@effect/platform/HttpApp"
import { Cause, DateTime, Effect, Option } from "effect"
import { RateLimited, requestsPerMinute, untouched } from "../../../domain/workspace/RateLimit.ts"
import { EndpointGone, InternalError, InvalidParameter, MethodNotAllowed, RouteNotFound } from "../../api/HttpErrors.ts"
import { bodyOf, statusOf } from "../../api/OperationErrors.ts"
import { begin, Exchange, type Notes } from "../server/RequestNotes.ts"
import { secured } from "../server/PageSecurity.ts"
import { allowed, successorOf } from "../Routes.ts"

const hasTag = (error: unknown): error is { readonly _tag: string; readonly message: string } =>
  typeof error === "object" && error !== null && "_tag" in error && "message" in error

/** Names the query parameter that the API's schema refused: only a repeated one gets that far. */
const repeatedParameter = (error: { readonly message: string }) => {
  const name = /\["([A-Za-z]+)"\]/.exec(error.message)?.[1] ?? "A query parameter"
  return new InvalidParameter({ name, received: "several values", allowed: "given once" })
}

/** Masks the address of a source, which is half of a secret, also in a misspelt path. */
const shown = (path: string) => path.replace(/(signals\/).+/i, "$1…").slice(0, 200)

const notFound = (method: string, path: string) => new RouteNotFound({ method, path: shown(path) })

const refusalOf = (cause: Cause.Cause<unknown>, requestId: string, method: string, path: string) => {
  const error = Cause.squash(cause)
  if (hasTag(error) && error._tag === "HttpApiDecodeError") return repeatedParameter(error)
  // The router's own error of that name would repeat the query.
  if (hasTag(error) && error._tag === "RouteNotFound") return notFound(method, path)
  return hasTag(error) && statusOf(error._tag) !== undefined ? error : new InternalError({ requestId })
}

/** The router stops reading a path at `;` and `#` and would ignore the rest. */
const isReadable = (path: string) => !/[;#]/.test(path) && Option.isSome(Option.liftThrowable(decodeURIComponent)(path))

/** Routing precedes authentication: a gone or missing path or a wrong method needs no token. */
const misrouted = (method: string, path: string) => {
  const successor = successorOf(path)
  if (successor !== null) return new EndpointGone({ successor })
  const methods = isReadable(path) ? allowed(path) : []
  if (methods.length === 0) return notFound(method, path)
  return methods.includes(method) ? null : new MethodNotAllowed({ method, allow: methods.join(", ") })
}

/** Maps the failure of a request to an error response in the common shape. */
export const refused = (
  cause: Cause.Cause<unknown>,
  exchange: Notes,
  method: string,
  path: string
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.gen(function* () {
    if (Cause.isInterruptedOnly(cause)) return yield* Effect.failCause(cause as Cause.Cause<never>)
    const { requestId } = exchange
    const refusal = refusalOf(cause, requestId, method, path)
    const status = statusOf(refusal._tag) ?? 500
    if (status === 500) yield* Effect.logError("request failed", cause).pipe(Effect.annotateLogs({ requestId }))
    if (refusal instanceof RateLimited) exchange.headers["retry-after"] = String(refusal.retryAfterSeconds)
    if (status === 503) exchange.headers["retry-after"] = "1"
    if (status === 401) exchange.headers["www-authenticate"] = "Bearer"
    return HttpServerResponse.unsafeJson(bodyOf(refusal), { status })
  })

/** Headers of every response. */
export const headersOf = ({ headers, requestId, window }: Notes): Record<string, string> => {
  const { remaining, resetAt } = window ?? untouched(DateTime.unsafeNow())
  return {
    "x-ratelimit-limit": String(requestsPerMinute),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(Math.ceil(DateTime.toEpochMillis(resetAt) / 1000)),
    "x-request-id": requestId,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers
  }
}

/** Logs a line for each request. */
export const noted = (method: string, path: string, status: number, { requestId }: Notes): Effect.Effect<void> =>
  Effect.logDebug(`${method} ${shown(path)} ${status}`).pipe(Effect.annotateLogs({ requestId }))

/** The outermost layer: every response passes it, errors get one shape, and common headers are added. */
export const edge = <E, R>(app: HttpApp.Default<E, R>): HttpApp.Default<never, R> =>
  Effect.gen(function* () {
    // A proxy may send the whole address instead of the path.
    const sent = yield* HttpServerRequest.HttpServerRequest
    const request = sent.modify({ url: sent.url.replace(/^https?:\/\/[^/?]*/i, "") || "/" })
    const exchange = begin(request.headers)
    const path = request.url.split("?", 1)[0] ?? "/"
    const wrong = misrouted(request.method, path)
    if (wrong instanceof MethodNotAllowed) exchange.headers["allow"] = wrong.allow

    const routed: HttpApp.Default<unknown, R> = wrong === null ? app : Effect.fail(wrong)
    const response = yield* routed.pipe(
      Effect.catchAllCause((cause) => refused(cause, exchange, request.method, path)),
      Effect.provideService(Exchange, exchange),
      Effect.provideService(HttpServerRequest.HttpServerRequest, request)
    )
    if (response.status === 413) exchange.headers["connection"] = "close"
    yield* noted(request.method, path, response.status, exchange)
    return HttpServerResponse.setHeaders(secured(response, path), headersOf(exchange))
  })
