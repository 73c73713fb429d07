import { Option, Schema } from "effect"
import { parseUrl } from "../../../domain/value/Text.ts"
import type { Headers } from "../server/RequestNotes.ts"

export class ForeignForm extends Schema.TaggedError<ForeignForm>()("ForeignForm", { expected: Schema.String }) {
  override get message() {
    return `This form was not sent from ${this.expected}, so nothing was changed. Open the page there and send it again.`
  }
}

/** Address of the service as browsers see it: the public one, or else the one the request names. */
export const originOf = (headers: Headers, publicUrl: Option.Option<string>): string =>
  Option.match(publicUrl, {
    onNone: () => `http://${String(headers["host"] ?? "")}`,
    onSome: (url) => new URL(url).origin
  })

const hostOf = (origin: string) => origin.replace(/^https?:\/\//, "").toLowerCase()

/** Refuses a form of another site. A browser says where a form comes from; a client that does not is refused, too. */
export const foreign = (headers: Headers, publicUrl: Option.Option<string>): ForeignForm | null => {
  const expected = originOf(headers, publicUrl)
  const { origin, "sec-fetch-site": site } = headers
  const isOwn =
    // A proxy may end TLS, so that without a public address only the host is known.
    origin === undefined ||
    (Option.isSome(publicUrl) ? origin === expected : hostOf(String(origin)) === hostOf(expected))
  const isSaid = origin !== undefined || site !== undefined
  return isOwn && isSaid && (site === undefined || site === "same-origin") ? null : new ForeignForm({ expected })
}

/** True when a person follows a link of this service or types its address; browsers that do not say name the page. */
export const isOwnLink = (headers: Headers, publicUrl: Option.Option<string>): boolean => {
  const { referer = "", "sec-fetch-site": site } = headers
  if (site !== undefined) return site === "same-origin" || site === "none"
  const from = parseUrl(String(referer))
  return from !== null && foreign({ host: headers["host"], origin: from.origin }, publicUrl) === null
}

const loopback = /^(localhost|[a-z0-9-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i

/** True when a password or key may be sent: over TLS, or on this machine. */
export const isPrivate = (origin: string): boolean => origin.startsWith("https://") || loopback.test(hostOf(origin))
