import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { TokenUsage } from "../../../application/workspace/TokenUsage.ts"
import { type Bearer, TokenStore } from "../../../application/ports/TokenStore.ts"
import * as Tokens from "../../../application/workspace/Tokens.ts"
import * as Token from "../../../domain/workspace/ApiToken.ts"
import type { RateLimited } from "../../../domain/workspace/RateLimit.ts"
import { ReadAccess, WriteAccess } from "../../api/AccessApi.ts"
import { PayloadTooLarge } from "../../api/HttpErrors.ts"
import { largestBody } from "../server/RequestBody.ts"
import { ClientAddress } from "../server/ClientAddress.ts"
import { Exchange, type Headers, type Notes } from "../server/RequestNotes.ts"
import { FloodGuard } from "../server/FloodGuard.ts"

type Refusal =
  | Token.MissingToken
  | Token.InvalidToken
  | Token.TokenExpired
  | Token.TokenRevoked
  | Token.InsufficientPermission
  | RateLimited
  | PayloadTooLarge

type TokenRefusal = Token.InvalidToken | Token.TokenExpired | Token.TokenRevoked

/** A request before authentication. */
export interface Visit {
  readonly headers: Headers
  readonly peer: string | undefined
  readonly exchange: Notes
}

/** Authenticates a request; refuses by token, then limit, then permission, then size. */
export class Entrance extends Context.Tag("adapters/http/Entrance")<
  Entrance,
  {
    readonly enter: (needed: Token.Permission, visit: Visit) => Effect.Effect<Bearer, Refusal>
    /** Any valid token, whatever its permissions; the caller counts the request. */
    readonly identify: (
      visit: Omit<Visit, "exchange">
    ) => Effect.Effect<Bearer, TokenRefusal | Token.MissingToken | RateLimited>
    /** Uses the caller's lookup of a token's hash in a lane, which may return more than its bearer; then continues. */
    readonly enterBy: <A extends { readonly bearer: Bearer }, B, E, R>(
      needed: Token.Permission,
      visit: Visit,
      look: (hash: string, lane: string) => Effect.Effect<A, TokenRefusal>,
      goOn: (found: A) => Effect.Effect<B, E, R>
    ) => Effect.Effect<B, E | Refusal, R>
  }
>() {}

/** The bearer token of a request. */
export const tokenOf = (headers: Headers) => {
  // A token begins with no blank, otherwise matching a header of blanks would backtrack from each of them.
  const value = /^Bearer +(\S.*)/i.exec(String(headers["authorization"] ?? ""))?.[1]
  return Option.map(Option.fromNullable(value), Redacted.make)
}

const entrance = Layer.effect(
  Entrance,
  Effect.gen(function* () {
    const store = yield* TokenStore
    const guard = yield* FloodGuard
    const lastUsed = yield* TokenUsage
    const clientAddress = yield* ClientAddress

    const refusalOf = (bearer: Bearer, needed: Token.Permission, { exchange, headers }: Visit): Refusal | null => {
      exchange.window = bearer.window
      if (!bearer.withinLimit) return Tokens.limited(bearer.now, bearer.window)
      lastUsed.record({ workspace: bearer.workspace, token: bearer.token, at: bearer.now })
      if (!Token.permits(bearer.permissions, needed))
        return new Token.InsufficientPermission({ needed, held: bearer.permissions })
      return Number(headers["content-length"] ?? 0) > largestBody ? new PayloadTooLarge({ limit: largestBody }) : null
    }

    const enterBy = <A extends { readonly bearer: Bearer }, B, E, R>(
      needed: Token.Permission,
      visit: Visit,
      look: (hash: string, lane: string) => Effect.Effect<A, TokenRefusal>,
      goOn: (found: A) => Effect.Effect<B, E, R>
    ) => {
      const address = () => clientAddress(visit.headers, visit.peer)
      const hash = Effect.catchAll(Tokens.hashOf(tokenOf(visit.headers)), (refusal) =>
        Effect.zipRight(guard.admit(address()), Effect.fail(refusal))
      )
      const entered = Effect.flatMap(hash, (hash) => guard.lookUp(hash, address, (lane) => look(hash, lane)))
      return Effect.flatMap(entered, (found): Effect.Effect<B, E | Refusal, R> => {
        const refusal = refusalOf(found.bearer, needed, visit)
        return refusal === null ? goOn(found) : Effect.fail(refusal)
      })
    }
    const identify = ({ headers, peer }: Omit<Visit, "exchange">) => {
      const address = () => clientAddress(headers, peer)
      const hash = Effect.catchAll(Tokens.hashOf(tokenOf(headers)), (refusal) =>
        Effect.zipRight(guard.admit(address()), Effect.fail(refusal))
      )
      return Effect.tap(
        Effect.flatMap(hash, (hash) => guard.lookUp(hash, address, () => store.identify(hash))),
        ({ now, token, workspace }) => Effect.sync(() => lastUsed.record({ workspace, token, at: now }))
      )
    }
    const look = (hash: string, lane: string) => Effect.map(store.authenticate(hash, lane), (bearer) => ({ bearer }))
    const enter = (needed: Token.Permission, visit: Visit) =>
      enterBy(needed, visit, look, ({ bearer }) => Effect.succeed(bearer))
    return { enter, enterBy, identify }
  })
)

const through = (needed: Token.Permission) =>
  Effect.map(Entrance, ({ enter }) => ({
    apiToken: () =>
      Effect.gen(function* () {
        const { headers, remoteAddress } = yield* HttpServerRequest.HttpServerRequest
        return yield* enter(needed, { headers, peer: Option.getOrUndefined(remoteAddress), exchange: yield* Exchange })
      })
  }))

export const layer = Layer.merge(
  Layer.effect(ReadAccess, Effect.map(through("read"), ReadAccess.of)),
  Layer.effect(WriteAccess, Effect.map(through("write"), WriteAccess.of))
).pipe(Layer.provideMerge(entrance))
