import { Array, type DateTime, Either } from "effect"
import type { By } from "./Actor.ts"
import * as Audit from "./Audit.ts"
import { mostPasskeys, Passkey, type PasskeyId, PasskeyNotFound, PasskeyRefused } from "./Passkey.ts"
import { describeAgent, Session, type SessionId, SessionNotFound, type SignedIn, type SignInMethod } from "./Session.ts"
import { SignInLink, type SignInLinkUnusable, usable } from "./SignInLink.ts"
import { type AddressKey, governs, type Membership, type Memberships, type SignInReach, within } from "./SignInReach.ts"
import type { ProviderIdentity } from "./openid/ProviderIdentity.ts"
import type { WorkspaceId } from "./Workspace.ts"

/** Everything about one address, as a command reads it under lock. */
export interface IdentityContext {
  readonly now: DateTime.Utc
  /** The link that the command names. */
  readonly link: SignInLink | null
  readonly memberships: ReadonlyArray<Membership>
  /** Oldest first. */
  readonly sessions: ReadonlyArray<Session>
  readonly passkeys: ReadonlyArray<Passkey>
  /** Accounts at providers that are tied to the address. */
  readonly identities: ReadonlyArray<ProviderIdentity>
}

/** Rows of one address, and the audit facts of each workspace it concerns. */
export interface IdentityChange {
  readonly link?: SignInLink
  readonly session?: Session
  /** Hash of the session that the new one replaces in the same browser, whoever's it was. */
  readonly replaced?: string | null
  readonly ended?: ReadonlyArray<SessionId>
  readonly passkey?: Passkey
  readonly removedPasskey?: PasskeyId
  readonly identity?: ProviderIdentity
  readonly audit: ReadonlyArray<{ readonly workspace: WorkspaceId; readonly fact: Audit.Fact }>
}

export interface IdentityDecided<A> {
  readonly change: IdentityChange
  readonly answer: A
}

/** The browser that signs in. */
export interface Browser {
  readonly userAgent: string | null
  readonly address: string
  readonly requestId: string | null
  /** Hash of the session it had before. */
  readonly before: string | null
}

export type NewSession = Pick<Session, "id" | "hash">

const byMember = ({ member }: Membership, requestId: string | null): By => ({
  actor: { type: "human", name: member.name, userId: member.id },
  requestId,
  channel: "app"
})

/** One fact for each workspace; details hold nothing that another workspace's admins should not see. */
const facts = (
  memberships: ReadonlyArray<Membership>,
  requestId: string | null,
  event: Audit.Event,
  of: (membership: Membership) => Pick<Audit.Fact, "entity" | "details">
): IdentityChange["audit"] =>
  memberships.map((membership) => {
    const { details, entity } = of(membership)
    const fact = Audit.fact(byMember(membership, requestId), event, entity, { details })
    return { workspace: membership.workspace, fact }
  })

const sessionEntity = (id: SessionId, { member }: Membership): Audit.Fact["entity"] => ({
  type: "session",
  id,
  name: member.name
})

/** Opens a session in the place of the one that the browser had. */
export const signIn = (
  { hash, id }: NewSession,
  browser: Browser,
  input: {
    readonly email: AddressKey
    readonly reach: SignInReach
    readonly method: SignInMethod
    readonly memberships: Memberships
    readonly now: DateTime.Utc
  }
): Pick<IdentityChange, "replaced" | "audit"> & { readonly session: Session } => {
  const { email, memberships, method, now, reach } = input
  const { address, before, requestId, userAgent } = browser
  const times = { createdAt: now, lastSeenAt: now }
  return {
    session: new Session({ id, hash, email, reach, method, ...times, userAgent: describeAgent(userAgent), address }),
    replaced: before,
    audit: facts(memberships, requestId, "signed_in", (membership) => ({
      entity: sessionEntity(id, membership),
      details: { method, reach: reach.type }
    }))
  }
}

/** Uses a link up and opens a session; of two uses, the second finds it used. */
export const useLink =
  (fresh: NewSession, browser: Browser) =>
  (at: IdentityContext): Either.Either<IdentityDecided<SignedIn & { readonly link: SignInLink }>, SignInLinkUnusable> =>
    Either.map(usable(at), ({ link, memberships, reach }) => {
      const { now } = at
      const opened = signIn(fresh, browser, { email: link.email, reach, method: "link", memberships, now })
      return {
        change: { ...opened, link: new SignInLink({ ...link, usedAt: now }) },
        answer: { session: opened.session, memberships, now, link }
      }
    })

/** Opens a session for a verified answer of a passkey; its counter must have risen, if it counts. */
export const usePasskey =
  (fresh: NewSession, browser: Browser, { counter, id }: { readonly id: PasskeyId; readonly counter: number }) =>
  ({ memberships, now, passkeys }: IdentityContext): Either.Either<IdentityDecided<SignedIn>, PasskeyRefused> => {
    const refused = (reason: PasskeyRefused["reason"]) => Either.left(new PasskeyRefused({ reason }))
    const passkey = passkeys.find((one) => one.id === id)
    if (passkey === undefined) return refused("unknown")
    if ((counter > 0 || passkey.counter > 0) && counter <= passkey.counter) return refused("proof")
    const { email, reach } = passkey
    const inReach = within(reach, memberships)
    if (!Array.isNonEmptyReadonlyArray(inReach)) return refused("not_a_member")
    const opened = signIn(fresh, browser, { email, reach, method: "passkey", memberships: inReach, now })
    return Either.right({
      change: { ...opened, passkey: new Passkey({ ...passkey, counter, lastUsedAt: now }) },
      answer: { session: opened.session, memberships: inReach, now }
    })
  }

/** The sessions to end: one, the own one, all others, or all. */
export type Ending = { readonly id: SessionId } | "own" | "others" | "all"

/** Ends sessions that the own one governs. */
export const signOut =
  ({ memberships, session: own }: SignedIn, requestId: string | null, which: Ending) =>
  ({ sessions }: IdentityContext): Either.Either<IdentityDecided<number>, SessionNotFound> => {
    const isMeant = ({ id }: Session) => {
      if (which === "all") return true
      if (which === "own" || which === "others") return (id === own.id) === (which === "own")
      return id === which.id
    }
    const ended = sessions.filter((one) => governs(own.reach, one.reach) && isMeant(one))
    if (ended.length === 0 && typeof which === "object") return Either.left(new SessionNotFound({ id: which.id }))
    return Either.right({
      change: {
        ended: ended.map(({ id }) => id),
        audit: ended.flatMap((one) =>
          facts(within(one.reach, memberships), requestId, "signed_out", (membership) => ({
            entity: sessionEntity(one.id, membership),
            details: {}
          }))
        )
      },
      answer: ended.length
    })
  }

const passkeyFacts = (
  { memberships }: Pick<SignedIn, "memberships">,
  { reach }: Passkey,
  requestId: string | null,
  change: "added" | "renamed" | "removed"
) =>
  facts(within(reach, memberships), requestId, "passkey_changed", ({ member }) => ({
    entity: Audit.entityOf("member", member),
    details: { change }
  }))

/** Registers a passkey with the reach of the session. */
export const addPasskey =
  (
    { memberships, session }: SignedIn,
    requestId: string | null,
    verified: Pick<Passkey, "id" | "publicKey" | "counter" | "transports" | "label">
  ) =>
  ({ now, passkeys }: IdentityContext): Either.Either<IdentityDecided<Passkey>, PasskeyRefused> => {
    if (passkeys.length >= mostPasskeys) return Either.left(new PasskeyRefused({ reason: "too_many" }))
    const { email, reach } = session
    const passkey = new Passkey({ ...verified, email, reach, createdAt: now, lastUsedAt: null })
    const audit = passkeyFacts({ memberships }, passkey, requestId, "added")
    return Either.right({ change: { passkey, audit }, answer: passkey })
  }

const ownPasskey = ({ session }: SignedIn, { passkeys }: IdentityContext, id: PasskeyId) =>
  Either.fromNullable(
    passkeys.find((one) => one.id === id && governs(session.reach, one.reach)),
    () => new PasskeyNotFound({ id })
  )

export const renamePasskey =
  (own: SignedIn, requestId: string | null, id: PasskeyId, label: string) =>
  (at: IdentityContext): Either.Either<IdentityDecided<Passkey>, PasskeyNotFound> =>
    Either.map(ownPasskey(own, at, id), (found) => {
      const passkey = new Passkey({ ...found, label })
      return { change: { passkey, audit: passkeyFacts(own, passkey, requestId, "renamed") }, answer: passkey }
    })

export const removePasskey =
  (own: SignedIn, requestId: string | null, id: PasskeyId) =>
  (at: IdentityContext): Either.Either<IdentityDecided<Passkey>, PasskeyNotFound> =>
    Either.map(ownPasskey(own, at, id), (found) => ({
      change: { removedPasskey: id, audit: passkeyFacts(own, found, requestId, "removed") },
      answer: found
    }))
