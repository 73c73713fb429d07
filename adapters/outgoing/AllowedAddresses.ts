import { Either, Option } from "effect"
import ipaddr from "ipaddr.js"
import { isIP } from "node:net"
import { parseUrl } from "../../domain/value/Text.ts"

/** Addresses of one network, such as 10.0.0.0/8. */
export type Range = readonly [network: ReturnType<typeof ipaddr.parse>, bits: number]

/** Parses one plain address; `ipaddr.js` would misread `::127.0.0.1`, so it is converted to hex digits first. */
const parse = (text: string): Option.Option<Range[0]> => {
  const family = text.includes("%") ? 0 : isIP(text)
  if (family === 0) return Option.none()
  return Option.some(ipaddr.parse(family === 4 ? text : new URL(`http://[${text}]`).hostname.slice(1, -1)))
}

export const parseRange = (text: string): Option.Option<Range> => {
  const [address = "", bits = "", more] = text.split("/")
  if (!/^\d{1,3}$/.test(bits) || more !== undefined) return Option.none()
  return Option.filterMap(parse(address), (network) =>
    Number(bits) <= (network.kind() === "ipv4" ? 32 : 128) ? Option.some<Range>([network, Number(bits)]) : Option.none()
  )
}

const contains =
  (address: Range[0]) =>
  ([network, bits]: Range): boolean =>
    address.kind() === network.kind() && address.match(network, bits)

/** All allocated IPv6 addresses; below it are IPv4 addresses in disguise. */
const global = ipaddr.parseCIDR("2000::/3")

/** Azure's own host, which answers only to machines running there. */
const azure = ipaddr.parseCIDR("168.63.129.16/32")

const isPublic = (address: Range[0]): boolean =>
  address.range() === "unicast" && (address.kind() === "ipv6" ? contains(address)(global) : !contains(address)(azure))

const isPrivateName = (host: string): boolean => /(^|\.)(localhost|internal)\.*$/i.test(host)

/** The host, without the brackets of IPv6. */
export const bare = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "")

/** True when this host must not be requested, regardless of the addresses it resolves to. */
export const isClosed = (host: string, allowed: ReadonlyArray<Range>): boolean =>
  isPrivateName(host) && allowed.length === 0

/** True when one address of a host may be connected to. */
export const isOpen = (host: string, address: string, allowed: ReadonlyArray<Range>): boolean =>
  Option.exists(
    parse(address),
    (parsed) => allowed.some(contains(parsed)) || (isPublic(parsed) && !isPrivateName(host))
  )

const longest = 4096

/** Parses a typed address, or names its problem. */
export const read = (text: string, isHttpAllowed: boolean): Either.Either<URL, string> => {
  if (text.length > longest) return Either.left(`it is over ${longest.toLocaleString("en")} characters long`)
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\u007f\\]/.test(text)) return Either.left("it holds a space, a line break or a backslash")
  const url = parseUrl(text)
  if (url === null) return Either.left("it is no web address")
  if (url.protocol !== "https:" && !(isHttpAllowed && url.protocol === "http:"))
    return Either.left(`it must begin with ${isHttpAllowed ? "http:// or " : ""}https://`)
  if (url.username !== "" || url.password !== "") return Either.left("it must not hold a user name or a password")
  if (url.hostname.length > 254) return Either.left("its host name is too long")
  return Either.right(url)
}
