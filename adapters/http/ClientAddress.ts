import { Context, Effect, Layer } from "effect"
import * as Settings from "../Settings.ts"
import type { Headers } from "./Exchange.ts"

/** The address a request comes from: the peer's, or behind a trusted proxy the one that proxy saw. */
export class ClientAddress extends Context.Tag("adapters/http/ClientAddress")<
  ClientAddress,
  (headers: Headers, peer: string | undefined) => string
>() {}

export const layer = Layer.effect(
  ClientAddress,
  Effect.map(Settings.trustProxy, (trusted) => (headers: Headers, peer: string | undefined) => {
    const forwarded = String(headers["x-forwarded-for"] ?? "")
      .split(",")
      .at(-1)
      ?.trim()
    return trusted && forwarded ? forwarded : (peer ?? "unknown")
  })
)
