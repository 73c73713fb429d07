import { Context, type Effect } from "effect"
import type {
  OpenIdRefused,
  OpenIdUnavailable,
  ProvenAccount
} from "../../../domain/workspace/openid/ProviderIdentity.ts"

/** A sign-in under way; its texts are known to the browser that began it alone. */
export interface Begun {
  /** Address that the provider leads the browser back to. */
  readonly redirect: string
  readonly state: string
  readonly nonce: string
  /** Proves the code to be that of this sign-in (PKCE). */
  readonly verifier: string
}

/** The OpenID Connect provider of the operator; null if none is set. */
export class OpenIdProvider extends Context.Tag("application/OpenIdProvider")<
  OpenIdProvider,
  {
    /** Host of the issuer, by which people know it. */
    readonly host: string
    /** Address at the provider to begin with. */
    readonly authorize: (begun: Begun) => Effect.Effect<string, OpenIdUnavailable>
    /** Redeems the code of the provider's answer, and verifies the signed account. */
    readonly verify: (
      begun: Begun,
      answer: URLSearchParams
    ) => Effect.Effect<ProvenAccount, OpenIdRefused | OpenIdUnavailable>
  } | null
>() {}
