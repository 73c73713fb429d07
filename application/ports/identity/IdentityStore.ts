import { Context, type Effect, type Either } from "effect"
import type { IdentityContext, IdentityDecided } from "../../../domain/workspace/ChangeIdentity.ts"
import type { Challenge, Passkey, PasskeyId } from "../../../domain/workspace/Passkey.ts"
import type { ProviderIdentity } from "../../../domain/workspace/openid/ProviderIdentity.ts"
import type { FoundSession, SessionId } from "../../../domain/workspace/Session.ts"
import type { FoundLink, SignInLink } from "../../../domain/workspace/SignInLink.ts"
import type { AddressKey } from "../../../domain/workspace/SignInReach.ts"
import type { DateTime } from "effect"

/** Names the address to lock: by a link, or directly. */
export type Identified = { readonly link: string } | { readonly email: AddressKey }

/** A link before the store adds the time. */
export type NewLink = Pick<SignInLink, "hash" | "email" | "origin" | "target">

/** A counter of attempts under a key, such as a client's address. */
export interface Attempt {
  readonly key: string
  readonly most: number
}

/** How people sign in: links, sessions, passkeys and accounts at providers of an address, in all workspaces where it is a member. */
export class IdentityStore extends Context.Tag("application/IdentityStore")<
  IdentityStore,
  {
    /** Stores a link if the address is a member, of the target when it has one; returns its time, or null. */
    readonly addLink: (link: NewLink) => Effect.Effect<DateTime.Utc | null>
    readonly findLink: (hash: string) => Effect.Effect<FoundLink>
    /** One statement; notes the use of a session that was noted over a minute ago. */
    readonly findSession: (hash: string) => Effect.Effect<FoundSession | null>
    /** Names the sessions that ended or are over, in one statement; notes no use. */
    readonly endedOf: (sessions: ReadonlyArray<SessionId>) => Effect.Effect<ReadonlyArray<SessionId>>
    /** The sessions, passkeys and accounts of an address. */
    readonly look: (email: AddressKey) => Effect.Effect<IdentityContext>
    /** Locks the address, calls `decide`, and commits its change with the audit entries of each workspace. */
    readonly change: <A, E>(
      of: Identified,
      decide: (context: IdentityContext) => Either.Either<IdentityDecided<A>, E>
    ) => Effect.Effect<A, E>
    readonly findPasskey: (id: PasskeyId) => Effect.Effect<Passkey | null>
    readonly findIdentity: (
      account: Pick<ProviderIdentity, "issuer" | "subject">
    ) => Effect.Effect<ProviderIdentity | null>
    readonly addChallenge: (challenge: Omit<Challenge, "createdAt">) => Effect.Effect<void>
    /** Takes a challenge away, so that it is answered once. */
    readonly takeChallenge: (
      hash: string
    ) => Effect.Effect<{ readonly challenge: Challenge; readonly now: DateTime.Utc } | null>
    /** Counts an attempt under each key for all instances; returns the keys that had too many in this window. */
    readonly attempt: (attempts: ReadonlyArray<Attempt>) => Effect.Effect<ReadonlyArray<string>>
    /** Deletes everything that is over. */
    readonly purge: Effect.Effect<void>
  }
>() {}
