import { Context, type Effect } from "effect"
import type { Passkey, PasskeyId, PasskeyRefused, RelyingParty } from "../../../domain/workspace/Passkey.ts"

/** Options of `navigator.credentials`, in their JSON form. */
export type CredentialOptions = Readonly<Record<string, unknown>>

/** The site, and the challenge that the browser must sign. */
interface Ceremony {
  readonly site: RelyingParty
  readonly challenge: string
}

interface Answered extends Ceremony {
  /** The browser's answer in its JSON form, unchecked. */
  readonly response: unknown
}

export interface Named {
  readonly id: PasskeyId
  /** The challenge it answers, to be checked. */
  readonly challenge: string
}

/** Builds and verifies the messages of WebAuthn. */
export class PasskeyVerifier extends Context.Tag("application/PasskeyVerifier")<
  PasskeyVerifier,
  {
    readonly registration: (
      input: Ceremony & {
        /** The same for the same reach of the same address, so that an authenticator replaces its passkey. */
        readonly userHandle: string
        readonly email: string
        readonly name: string
        readonly known: ReadonlyArray<Passkey>
      }
    ) => Effect.Effect<CredentialOptions>
    readonly verifyRegistration: (
      input: Answered
    ) => Effect.Effect<Pick<Passkey, "id" | "publicKey" | "counter" | "transports">, PasskeyRefused>
    readonly signIn: (input: Ceremony) => Effect.Effect<CredentialOptions>
    /** Reads the credential and challenge that an unverified answer names. */
    readonly named: (response: unknown) => Effect.Effect<Named, PasskeyRefused>
    /** Returns the new counter. */
    readonly verifySignIn: (input: Answered & { readonly passkey: Passkey }) => Effect.Effect<number, PasskeyRefused>
  }
>() {}
