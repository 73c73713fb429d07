import { DateTime, Schema } from "effect"
import { Timestamp } from "../../value/Timestamp.ts"
import { AddressKey } from "../SignInReach.ts"

/**
 * An account at an OpenID Connect provider, tied to the member's address by the first sign-in. From then on the subject
 * alone counts: the provider may give the account another address, and the address to another account.
 */
export class ProviderIdentity extends Schema.Class<ProviderIdentity>("ProviderIdentity")({
  issuer: Schema.String,
  subject: Schema.String,
  email: AddressKey,
  createdAt: Timestamp,
  lastUsedAt: Timestamp
}) {}

/** An account as the provider's verified answer names it. */
export interface ProvenAccount {
  readonly issuer: string
  readonly subject: string
  /** Null if the provider named none that can be an address. */
  readonly email: string | null
  readonly isVerified: boolean
}

const minutes = 15

/** True while a sign-in that began then may be finished. */
export const isInTime = (begunAt: DateTime.Utc, now: DateTime.Utc): boolean =>
  DateTime.lessThan(now, DateTime.add(begunAt, { minutes }))

export class OpenIdRefused extends Schema.TaggedError<OpenIdRefused>()("OpenIdRefused", {
  /** Host of the provider. */
  host: Schema.String,
  reason: Schema.Literal(
    "state",
    "ended",
    "proof",
    "no_address",
    "unverified",
    "unknown",
    "other_account",
    "not_a_member"
  ),
  /** The address that the provider named, or its reason. */
  named: Schema.String
}) {
  override get message() {
    const { host, named } = this
    switch (this.reason) {
      case "state":
        return `This sign-in was not begun in this browser, began more than ${minutes} minutes ago, or was finished already. Begin again.`
      case "ended":
        return `${host} ended the sign-in (${named}). Begin again, or sign in another way.`
      case "proof":
        return `The answer of ${host} could not be verified, so nobody was signed in. Begin again; if this repeats, the operator finds the reason in the log.`
      case "no_address":
        return `${host} named no e-mail address of your account. Have it share the address, or sign in another way.`
      case "unverified":
        return `${host} has not verified the address '${named}'. Verify it there and begin again, or sign in another way.`
      case "unknown":
        return `'${named}' is not the address of a member. Ask an admin of the workspace to add it, or use the account of your own address.`
      case "other_account":
        return `The member '${named}' signs in with another account of ${host}. Use that account, or sign in another way. If the account was replaced, an admin removes the member and adds them again.`
      case "not_a_member":
        return "The person of this account is not a member any more. Ask an admin of the workspace."
    }
  }
}

export class OpenIdUnavailable extends Schema.TaggedError<OpenIdUnavailable>()("OpenIdUnavailable", {
  host: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.host} cannot be reached for a sign-in: ${this.problem}. Try again in a minute, or sign in another way.`
  }
}
