import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as HttpApiSecurity from "@effect/platform/HttpApiSecurity"
import * as OpenApi from "@effect/platform/OpenApi"
import { Context, Schema } from "effect"
import type { Bearer } from "../../application/ports/TokenStore.ts"
import * as Refusal from "./OperationErrors.ts"

/** The member the request's token acts for. */
export class Caller extends Context.Tag("adapters/http/Caller")<Caller, Bearer>() {}

export const failure = Schema.Union(
  Refusal.MissingToken,
  Refusal.InvalidToken,
  Refusal.TokenExpired,
  Refusal.TokenRevoked,
  Refusal.InsufficientPermission,
  Refusal.PayloadTooLarge,
  Refusal.RateLimited,
  Refusal.InternalError,
  Refusal.Unavailable
)

export const security = {
  apiToken: HttpApiSecurity.bearer.pipe(
    HttpApiSecurity.annotate(OpenApi.Description, "A personal API token: `tk_` and 32 letters or digits."),
    HttpApiSecurity.annotate(OpenApi.Format, "tk_…")
  )
}

/** Requires a valid token with the permission `read`, counted against its limit. */
export class ReadAccess extends HttpApiMiddleware.Tag<ReadAccess>()("adapters/http/ReadAccess", {
  provides: Caller,
  failure,
  security
}) {}

/** Same as `ReadAccess`, with the permission `write`. */
export class WriteAccess extends HttpApiMiddleware.Tag<WriteAccess>()("adapters/http/WriteAccess", {
  provides: Caller,
  failure,
  security
}) {}
