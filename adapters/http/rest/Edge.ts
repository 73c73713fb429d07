import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type * as HttpApp from "@effect/platform/HttpApp"
import { Cause, Effect, Option } from "effect"
import { RateLimited } from "../../../domain/workspace/RateLimit.ts"
import { EndpointGone, InternalError, InvalidParameter, MethodNotAllowed, RouteNotFound } from "../../api/HttpErrors.ts"
import { bodyOf, statusOf } from "../../api/OperationErrors.ts"
import { pathOf, shown } from "../server/Host.ts"
import { Exchange, type Notes } from "../server/RequestNotes.ts"
import { allowed, successorOf } from "./Routes.ts"

const hasTag = (error: unknown): error is { readonly _tag: string; readonly message: string } =>
  typeof error === "object" && error !== null && "_tag" in error && "message" in error

/** Names the query parameter that the API's schema refused: only a repeated one gets that far. */
const repeatedParameter = (error: { readonly message: string }) => {
  const name = /\["([A-Za-z]+)"\]/.exec(error.message)?.[1] ?? "A query parameter"
  return new InvalidParameter({ name, received: "several values", allowed: "given once" })
}

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

/** Refuses a path without methods, and a method that the path does not take. */
export const misrouted = (methods: ReadonlyArray<string>, method: string, path: string) => {
  if (methods.length === 0 || !isReadable(path)) return notFound(method, path)
  return methods.includes(method) ? null : new MethodNotAllowed({ method, allow: methods.join(", ") })
}

/** Routing precedes authentication: a gone or missing path or a wrong method needs no token. */
const refusalOfRoute = (method: string, path: string) => {
  const successor = successorOf(path)
  return successor === null ? misrouted(allowed(path), method, path) : new EndpointGone({ successor })
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
    if (refusal instanceof MethodNotAllowed) exchange.headers["allow"] = refusal.allow
    if (refusal instanceof RateLimited) exchange.headers["retry-after"] = String(refusal.retryAfterSeconds)
    if (status === 503) exchange.headers["retry-after"] = "1"
    if (status === 401) exchange.headers["www-authenticate"] = "Bearer"
    return HttpServerResponse.unsafeJson(bodyOf(refusal), { status })
  })

/** Routes the requests of the API, and answers every failure in its form. */
export const edge = <E, R>(app: HttpApp.Default<E, R>): HttpApp.Default<never, R> =>
  Effect.gen(function* () {
    const { method, url } = yield* HttpServerRequest.HttpServerRequest
    const exchange = yield* Exchange
    const path = pathOf(url)
    const wrong = refusalOfRoute(method, path)
    const routed: HttpApp.Default<unknown, R> = wrong === null ? app : Effect.fail(wrong)
    return yield* Effect.catchAllCause(routed, (cause) => refused(cause, exchange, method, path))
  })
