import { Array, Either } from "effect"
import { type Browser, type IdentityContext, type IdentityDecided, type NewSession, signIn } from "../ChangeIdentity.ts"
import type { SignedIn } from "../Session.ts"
import { type AddressKey, addressKey } from "../SignInReach.ts"
import { OpenIdRefused, type ProvenAccount, ProviderIdentity } from "./ProviderIdentity.ts"

type Refusal = OpenIdRefused["reason"]

/** The tie by which an account signs in as a person, kept or new; it needs a verified address the first time only. */
const tied = (
  { identities, memberships, now }: IdentityContext,
  account: ProvenAccount,
  email: AddressKey
): Either.Either<ProviderIdentity, Refusal> => {
  const { isVerified, issuer, subject } = account
  const ofIssuer = identities.filter((one) => one.issuer === issuer)
  const own = ofIssuer.find((one) => one.subject === subject)
  if (own !== undefined) return Either.right(new ProviderIdentity({ ...own, lastUsedAt: now }))
  if (account.email === null) return Either.left("no_address")
  // The tie that led to this address is gone.
  if (addressKey(account.email) !== email) return Either.left("not_a_member")
  if (!isVerified) return Either.left("unverified")
  if (memberships.length === 0) return Either.left("unknown")
  if (ofIssuer.length > 0) return Either.left("other_account")
  return Either.right(new ProviderIdentity({ issuer, subject, email, createdAt: now, lastUsedAt: now }))
}

/** Opens a session for an account that the provider proved; it opens every workspace of the address, as a mailed link. */
export const signInByProvider =
  (
    fresh: NewSession,
    browser: Browser,
    by: { readonly account: ProvenAccount; readonly email: AddressKey; readonly host: string }
  ) =>
  (at: IdentityContext): Either.Either<IdentityDecided<SignedIn>, OpenIdRefused> =>
    Either.gen(function* () {
      const { account, email, host } = by
      const refused = (reason: Refusal) => new OpenIdRefused({ host, reason, named: account.email ?? "" })
      const identity = yield* Either.mapLeft(tied(at, account, email), refused)
      const { memberships, now } = at
      if (!Array.isNonEmptyReadonlyArray(memberships)) return yield* Either.left(refused("not_a_member"))
      const opened = signIn(fresh, browser, { email, reach: { type: "address" }, method: "openid", memberships, now })
      return {
        change: { ...opened, identity },
        answer: { session: opened.session, memberships, now }
      }
    })
