import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Context, Effect, Layer, Option } from "effect"
import * as Settings from "../Settings.ts"

/** The address a request comes from: the peer's, or behind a trusted proxy the one that proxy saw. */
export class ClientAddress extends Context.Tag("adapters/http/ClientAddress")<
  ClientAddress,
  (request: HttpServerRequest.HttpServerRequest) => string
>() {}

export const layer = Layer.effect(
  ClientAddress,
  Effect.map(Settings.trustProxy, (trusted) => (request: HttpServerRequest.HttpServerRequest) => {
    const forwarded = request.headers["x-forwarded-for"]?.split(",").at(-1)?.trim()
    return trusted && forwarded ? forwarded : Option.getOrElse(request.remoteAddress, () => "unknown")
  })
)
