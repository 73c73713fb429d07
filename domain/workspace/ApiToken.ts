import { DateTime, Effect, Redacted, Schema } from "effect"
import { sha256 } from "../value/Hashing.ts"
import { MemberId } from "./Member.ts"
import { Line } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"

export const TokenId = Schema.UUID.pipe(Schema.brand("TokenId"))
export type TokenId = typeof TokenId.Type

export const Permission = Schema.Literal("read", "write", "delete", "admin")
export type Permission = typeof Permission.Type

/** `admin` includes the other three. */
export const permits = (held: ReadonlyArray<Permission>, needed: Permission): boolean =>
  held.includes(needed) || held.includes("admin")

export const Lifetime = Schema.Literal("30d", "90d", "1y")
export type Lifetime = typeof Lifetime.Type
const days: Record<Lifetime, number> = { "30d": 30, "90d": 90, "1y": 365 }

export const expiry = (createdAt: DateTime.Utc, lifetime: Lifetime): DateTime.Utc =>
  DateTime.add(createdAt, { days: days[lifetime] })

/** The token itself is never stored: only its hash, and the prefix people recognise it by. */
export class ApiToken extends Schema.Class<ApiToken>("ApiToken")({
  id: TokenId,
  memberId: MemberId,
  name: Line(200),
  prefix: Schema.String.pipe(Schema.length(11)),
  hash: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/)),
  permissions: Schema.NonEmptyArray(Permission),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  revokedAt: Schema.NullOr(Timestamp),
  lastUsedAt: Schema.NullOr(Timestamp)
}) {}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
const unbiased = 256 - (256 % alphabet.length)

export const draw: Effect.Effect<Redacted.Redacted> = Effect.sync(() => {
  let text = ""
  while (text.length < 32)
    for (const byte of crypto.getRandomValues(new Uint8Array(48)))
      if (byte < unbiased && text.length < 32) text += alphabet[byte % alphabet.length]
  return Redacted.make(`tk_${text}`)
})

/** True for text with the form of a run's credential. */
export const isRunCredential = (token: Redacted.Redacted): boolean => /^rk_[A-Za-z0-9]{32}$/.test(Redacted.value(token))

export const isWellFormed = (token: Redacted.Redacted): boolean => /^tk_[A-Za-z0-9]{32}$/.test(Redacted.value(token))

export const prefixOf = (token: Redacted.Redacted): string => Redacted.value(token).slice(0, 11)

export const hashOf = (token: Redacted.Redacted): Effect.Effect<string> => sha256(Redacted.value(token))

export class MissingToken extends Schema.TaggedError<MissingToken>()("MissingToken", {}) {
  override get message() {
    return "This request needs an API token: send the header 'Authorization: Bearer tk_…'."
  }
}

/** Refusals of a credential by its kind. */
const ofKind = {
  lease_over:
    "The credential of a run, rk_…, is not valid: its lease is over, or the text is not whole. End the work; the agent of the next lease gets its own.",
  token_for_run:
    "This needs the credential of a run, rk_…, which a runner gives to its agent; got an API token, tk_…. Send the credential of the run.",
  run_for_token:
    "This needs an API token, tk_…; got the credential of a run, rk_…, which opens its own run alone, at /runner/v1/run and /mcp. Send an API token."
}

export class InvalidToken extends Schema.TaggedError<InvalidToken>()("InvalidToken", {
  kind: Schema.optionalWith(Schema.Literal("lease_over", "token_for_run", "run_for_token"), { exact: true })
}) {
  override get message() {
    if (this.kind !== undefined) return ofKind[this.kind]
    return "The API token is not known. A token is 'tk_' and 32 letters or digits, shown once when it is created."
  }
}

export class TokenExpired extends Schema.TaggedError<TokenExpired>()("TokenExpired", { at: Schema.DateTimeUtc }) {
  override get message() {
    return `The API token expired at ${DateTime.formatIso(this.at)}. Create a new one.`
  }
}

export class TokenRevoked extends Schema.TaggedError<TokenRevoked>()("TokenRevoked", {}) {
  override get message() {
    return "The API token was revoked, its creator left the workspace, or the workspace was deleted. Create a new one."
  }
}

export class InsufficientPermission extends Schema.TaggedError<InsufficientPermission>()("InsufficientPermission", {
  needed: Permission,
  held: Schema.Array(Permission)
}) {
  override get message() {
    return `This needs a token with the permission '${this.needed}'; this one has: ${this.held.join(", ")}.`
  }
}

export class TokenIsPersonal extends Schema.TaggedError<TokenIsPersonal>()("TokenIsPersonal", {
  member: Schema.String
}) {
  override get message() {
    return `A token belongs to whoever creates it. '${this.member}' must create it themselves.`
  }
}

export class TokenNotFound extends Schema.TaggedError<TokenNotFound>()("TokenNotFound", { prefix: Schema.String }) {
  override get message() {
    return `The workspace has no active token with the prefix '${this.prefix}'; 'token list' shows what there is.`
  }
}
