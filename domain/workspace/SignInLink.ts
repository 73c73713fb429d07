import { Array, DateTime, Effect, Either, Encoding, Redacted, Schema } from "effect"
import { sha256 } from "../value/Hashing.ts"
import { Timestamp } from "../value/Timestamp.ts"
import { MemberId } from "./Member.ts"
import { AddressKey, type Membership, type Memberships, type SignInReach, within } from "./SignInReach.ts"
import { WorkspaceId } from "./Workspace.ts"

const Hash = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/))

/** Handed over by an operator, or mailed to the address, which proves it. */
export const LinkOrigin = Schema.Literal("operator", "mail")
export type LinkOrigin = typeof LinkOrigin.Type

/** A one-time link; only the hash of its token is stored. */
export class SignInLink extends Schema.Class<SignInLink>("SignInLink")({
  hash: Hash,
  email: AddressKey,
  origin: LinkOrigin,
  /** The membership it was made for; null for a link that a person asked for. */
  target: Schema.NullOr(Schema.Struct({ workspace: WorkspaceId, member: MemberId })),
  createdAt: Timestamp,
  usedAt: Schema.NullOr(Timestamp)
}) {}

const minutes = 15

export const expiryOf = ({ createdAt }: Pick<SignInLink, "createdAt">): DateTime.Utc =>
  DateTime.add(createdAt, { minutes })

/** Secrets of links, of sessions, and of sign-ins that are under way at a provider. */
type SecretPrefix = "gtl_" | "gts_" | "gto_"

/** Draws 256 random bits as text for addresses and cookies. */
export const drawSecret = (prefix: SecretPrefix): Effect.Effect<Redacted.Redacted> =>
  Effect.sync(() =>
    Redacted.make(
      `${prefix}${Encoding.encodeBase64Url(crypto.getRandomValues(new Uint8Array(32))).replaceAll("=", "")}`
    )
  )

/** The hash that a secret is looked up by; null for text that cannot be one. */
export const hashOf = (prefix: SecretPrefix, token: Redacted.Redacted): Effect.Effect<string | null> => {
  const text = Redacted.value(token)
  return text.length === 47 && text.startsWith(prefix) && /^[\w-]+$/.test(text) ? sha256(text) : Effect.succeed(null)
}

export class SignInLinkUnusable extends Schema.TaggedError<SignInLinkUnusable>()("SignInLinkUnusable", {
  reason: Schema.Literal("unknown", "used", "expired", "not_a_member")
}) {
  override get message() {
    const wayOut = "Ask for a new one on the sign-in page, or an operator for 'gatehouse member sign-in-link'."
    switch (this.reason) {
      case "unknown":
        return `This sign-in link is not known; it may have been copied in part. ${wayOut}`
      case "used":
        return `This sign-in link was used already; each works once. ${wayOut}`
      case "expired":
        return `This sign-in link has expired; each works for ${minutes} minutes. ${wayOut}`
      case "not_a_member":
        return "The person this sign-in link was made for is not a member any more. Ask an admin of the workspace."
    }
  }
}

/** A mailed link proves the address; any other opens only its workspace. */
export const reachOf = ({ origin, target }: SignInLink): SignInReach | null => {
  if (origin === "mail") return { type: "address" }
  return target && { type: "workspace", ...target }
}

/** A link with the memberships of its address. */
export interface FoundLink {
  readonly link: SignInLink | null
  readonly memberships: ReadonlyArray<Membership>
  readonly now: DateTime.Utc
}

/** Returns what a link opens while it is unused, young enough and its person a member. */
export const usable = ({
  link,
  memberships,
  now
}: FoundLink): Either.Either<
  { readonly link: SignInLink; readonly reach: SignInReach; readonly memberships: Memberships },
  SignInLinkUnusable
> => {
  const unusable = (reason: SignInLinkUnusable["reason"]) => Either.left(new SignInLinkUnusable({ reason }))
  const reach = link && reachOf(link)
  if (link === null || reach === null) return unusable("unknown")
  if (link.usedAt !== null) return unusable("used")
  if (DateTime.greaterThanOrEqualTo(now, expiryOf(link))) return unusable("expired")
  const opened = within(reach, memberships)
  return Array.isNonEmptyReadonlyArray(opened)
    ? Either.right({ link, reach, memberships: opened })
    : unusable("not_a_member")
}
