import { DateTime, Either, Schema } from "effect"
import { Line, parseUrl } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"
import { SessionId } from "./Session.ts"
import { AddressKey, SignInReach } from "./SignInReach.ts"

/** The credential id, in base64url. */
export const PasskeyId = Schema.String.pipe(Schema.maxLength(1400), Schema.brand("PasskeyId"))
export type PasskeyId = typeof PasskeyId.Type

export const PasskeyLabel = Line(60)

/** A passkey opens what the session opened in which it was registered. */
export class Passkey extends Schema.Class<Passkey>("Passkey")({
  id: PasskeyId,
  email: AddressKey,
  reach: SignInReach,
  /** COSE key in base64url. */
  publicKey: Schema.String,
  counter: Schema.NonNegativeInt,
  transports: Schema.Array(Schema.String),
  label: PasskeyLabel,
  createdAt: Timestamp,
  lastUsedAt: Schema.NullOr(Timestamp)
}) {}

export const mostPasskeys = 20

/** A random text that a browser signs once: for a sign-in, or to register a passkey in a session. */
export const Challenge = Schema.Struct({
  hash: Schema.String,
  session: Schema.NullOr(SessionId),
  createdAt: Timestamp
})
export type Challenge = typeof Challenge.Type

const challengeMinutes = 5

/** True for a challenge that was made in this session, or for signing in, within the last minutes. */
export const isFresh = (challenge: Challenge, session: SessionId | null, now: DateTime.Utc): boolean =>
  challenge.session === session &&
  DateTime.lessThan(now, DateTime.add(challenge.createdAt, { minutes: challengeMinutes }))

export class PasskeyRefused extends Schema.TaggedError<PasskeyRefused>()("PasskeyRefused", {
  reason: Schema.Literal("challenge", "unknown", "proof", "not_a_member", "too_many", "known")
}) {
  override get message() {
    switch (this.reason) {
      case "challenge":
        return `The request to use a passkey is older than ${challengeMinutes} minutes or was answered already. Try again.`
      case "unknown":
        return "This passkey is not known here; it may have been removed. Sign in with a link and add it again."
      case "proof":
        return "The passkey could not be verified. Try again, or sign in with a link."
      case "not_a_member":
        return "The person of this passkey is not a member any more. Ask an admin of the workspace."
      case "too_many":
        return `You have ${mostPasskeys} passkeys already. Remove one first.`
      case "known":
        return "This device already has a passkey here."
    }
  }
}

export class PasskeyNotFound extends Schema.TaggedError<PasskeyNotFound>()("PasskeyNotFound", { id: Schema.String }) {
  override get message() {
    return "You have no such passkey; it may have been removed already."
  }
}

export class PasskeysUnavailable extends Schema.TaggedError<PasskeysUnavailable>()("PasskeysUnavailable", {
  origin: Schema.String
}) {
  override get message() {
    return `Browsers offer passkeys at https addresses and at http://localhost; this page is at '${this.origin}'. Open it there, or have the operator set PUBLIC_URL to an https address.`
  }
}

/** The site that passkeys belong to. */
export interface RelyingParty {
  readonly id: string
  readonly origin: string
}

const isIpAddress = (host: string) => /^[\d.]+$|^\[/.test(host)

/** Browsers bind passkeys to a host name, and to no IP address. */
export const relyingParty = (address: string): Either.Either<RelyingParty, PasskeysUnavailable> => {
  const url = parseUrl(address)
  const isLocal = url?.hostname === "localhost" || url?.hostname.endsWith(".localhost") === true
  return url === null || isIpAddress(url.hostname) || !(url.protocol === "https:" || isLocal)
    ? Either.left(new PasskeysUnavailable({ origin: address }))
    : Either.right({ id: url.hostname, origin: url.origin })
}
