import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Cause, Effect, Option } from "effect"
import { RateLimited } from "../../../domain/workspace/RateLimit.ts"
import { InternalError, InvalidParameter, MethodNotAllowed, RouteNotFound } from "../../api/HttpErrors.ts"
import { bodyOf, statusOf } from "../../api/OperationErrors.ts"
import { shown } from "./Host.ts"
import type { Notes } from "./RequestNotes.ts"

const hasTag = (error: unknown): error is { readonly _tag: string; readonly message: string } =>
  typeof error === "object" && error !== null && "_tag" in error && "message" in error

/** Names the query parameter that the API's schema refused: only a repeated one gets that far. */
const repeatedParameter = (error: { readonly message: string }) => {
  const name = /\["([A-Za-z]+)"\]/.exec(error.message)?.[1] ?? "A query parameter"
  return new InvalidParameter({ name, received: "several values", allowed: "given once" })
}

export const notFound = (method: string, path: string) => new RouteNotFound({ method, path: shown(path) })

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

/** Maps the failure of a request to its error and status; logs a defect, and sets the headers of the error. */
export const refusal = (cause: Cause.Cause<unknown>, exchange: Notes, method: string, path: string) =>
  Effect.gen(function* () {
    if (Cause.isInterruptedOnly(cause)) return yield* Effect.failCause(cause as Cause.Cause<never>)
    const { requestId } = exchange
    const error = refusalOf(cause, requestId, method, path)
    const status = statusOf(error._tag) ?? 500
    if (status === 500) yield* Effect.logError("request failed", cause).pipe(Effect.annotateLogs({ requestId }))
    if (error instanceof MethodNotAllowed) exchange.headers["allow"] = error.allow
    if (error instanceof RateLimited) exchange.headers["retry-after"] = String(error.retryAfterSeconds)
    if (status === 503) exchange.headers["retry-after"] = "1"
    return { error, status }
  })

/** Maps the failure of a request to an error response in the common shape. */
export const refused = (
  cause: Cause.Cause<unknown>,
  exchange: Notes,
  method: string,
  path: string
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(refusal(cause, exchange, method, path), ({ error, status }) => {
    if (status === 401) exchange.headers["www-authenticate"] = "Bearer"
    return HttpServerResponse.unsafeJson(bodyOf(error), { status })
  })
