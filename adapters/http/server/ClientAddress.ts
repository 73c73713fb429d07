import { Context, Effect, Layer } from "effect"
import ipaddr from "ipaddr.js"
import * as Settings from "../../Settings.ts"
import type { Headers } from "./RequestNotes.ts"

/** The client's address: the peer's, or behind a trusted proxy the one that proxy saw. */
export class ClientAddress extends Context.Tag("adapters/http/ClientAddress")<
  ClientAddress,
  (headers: Headers, peer: string | undefined) => string
>() {}

const longest = 64

/** Addresses of one client: for IPv6 a whole /64, which is the least a network gets. */
export const networkOf = (address: string): string => {
  if (!address.includes(":")) return address.slice(0, longest)
  if (!ipaddr.IPv6.isValid(address)) return address.slice(0, longest)
  const parsed = ipaddr.IPv6.parse(address)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  const [a = 0, b = 0, c = 0, d = 0] = parsed.parts
  return `${[a, b, c, d].map((part) => part.toString(16)).join(":")}::/64`
}

export const layer = Layer.effect(
  ClientAddress,
  Effect.map(Settings.trustProxy, (trusted) => (headers: Headers, peer: string | undefined) => {
    const forwarded = String(headers["x-forwarded-for"] ?? "")
      .split(",")
      .at(-1)
      ?.trim()
    return networkOf(trusted && forwarded ? forwarded : (peer ?? "unknown"))
  })
)
