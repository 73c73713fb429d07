import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Effect, Layer, Option, Redacted } from "effect"
import { LastUsed } from "../../application/LastUsed.ts"
import { TokenStore } from "../../application/ports/TokenStore.ts"
import * as Tokens from "../../application/Tokens.ts"
import { InsufficientPermission, type Permission, permits } from "../../domain/ApiToken.ts"
import { ReadAccess, WriteAccess } from "./api/Access.ts"
import { PayloadTooLarge } from "./api/Errors.ts"
import { largestBody } from "./Body.ts"
import { ClientAddress } from "./ClientAddress.ts"
import { Exchange } from "./Exchange.ts"
import { FloodGuard } from "./FloodGuard.ts"

const tokenOf = (request: HttpServerRequest.HttpServerRequest) => {
  const value = /^Bearer +(.*\S)/i.exec(request.headers["authorization"] ?? "")?.[1]
  return Option.map(Option.fromNullable(value), Redacted.make)
}

/** Token, then limit, then permission, then size: the order in which a request is refused. */
const access = Effect.gen(function* () {
  const store = yield* TokenStore
  const guard = yield* FloodGuard
  const lastUsed = yield* LastUsed
  const clientAddress = yield* ClientAddress

  return (needed: Permission) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const exchange = yield* Exchange
      const bearer = yield* Tokens.authenticate(tokenOf(request)).pipe(
        Effect.provideService(TokenStore, store),
        Effect.tapError(() =>
          Effect.tapError(guard.admit(clientAddress(request)), (limited) =>
            Effect.sync(() => {
              exchange.headers["retry-after"] = String(limited.retryAfterSeconds)
            })
          )
        )
      )
      exchange.window = bearer.window
      if (!bearer.withinLimit) {
        const limited = Tokens.limited(bearer.now, bearer.window)
        exchange.headers["retry-after"] = String(limited.retryAfterSeconds)
        return yield* limited
      }
      lastUsed.record({ workspace: bearer.workspace, token: bearer.token, at: bearer.now })
      if (!permits(bearer.permissions, needed))
        return yield* new InsufficientPermission({ needed, held: bearer.permissions })
      if (Number(request.headers["content-length"] ?? 0) > largestBody)
        return yield* new PayloadTooLarge({ limit: largestBody })
      return bearer
    })
})

export const layer = Layer.merge(
  Layer.effect(
    ReadAccess,
    Effect.map(access, (enter) => ReadAccess.of({ apiToken: () => enter("read") }))
  ),
  Layer.effect(
    WriteAccess,
    Effect.map(access, (enter) => WriteAccess.of({ apiToken: () => enter("write") }))
  )
)
