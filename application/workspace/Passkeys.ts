import { Effect, Encoding } from "effect"
import { sha256 } from "../../domain/value/Hashing.ts"
import * as ChangeIdentity from "../../domain/workspace/ChangeIdentity.ts"
import { isFresh, type PasskeyId, PasskeyRefused, relyingParty } from "../../domain/workspace/Passkey.ts"
import type { SessionId, SignedIn } from "../../domain/workspace/Session.ts"
import { governs } from "../../domain/workspace/SignInReach.ts"
import * as SignInAttempts from "../../domain/workspace/SignInAttempts.ts"
import { IdentityStore } from "../ports/identity/IdentityStore.ts"
import { PasskeyVerifier } from "../ports/identity/PasskeyVerifier.ts"
import { begin, type Client } from "./SignIn.ts"

/** The page's own origin, such as https://gatehouse.example.com: that of PUBLIC_URL if it is set. */
interface Page {
  readonly origin: string
}

const drawChallenge = Effect.fnUntraced(function* (session: SessionId | null) {
  const challenge = Encoding.encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)))
  yield* (yield* IdentityStore).addChallenge({ hash: yield* sha256(challenge), session })
  return challenge
})

/** The credential and challenge of an answer, if the challenge was made here for the same purpose and not answered yet. */
const answered = Effect.fnUntraced(function* (response: unknown, session: SessionId | null) {
  const named = yield* (yield* PasskeyVerifier).named(response)
  const taken = yield* (yield* IdentityStore).takeChallenge(yield* sha256(named.challenge))
  if (taken === null || !isFresh(taken.challenge, session, taken.now))
    return yield* new PasskeyRefused({ reason: "challenge" })
  return named
})

const own = Effect.fnUntraced(function* ({ session }: SignedIn) {
  const { passkeys } = yield* (yield* IdentityStore).look(session.email)
  return passkeys.filter(({ reach }) => governs(session.reach, reach))
})

/** The person's own passkeys, oldest first. */
export const list = Effect.fn("Passkeys.list")(own)

/** Options for `navigator.credentials.create`. */
export const startRegistration = Effect.fn("Passkeys.startRegistration")(function* (signedIn: SignedIn, page: Page) {
  const site = yield* relyingParty(page.origin)
  const { email, id, reach } = signedIn.session
  const known = yield* own(signedIn)
  const challenge = yield* drawChallenge(id)
  return yield* (yield* PasskeyVerifier).registration({
    site,
    challenge,
    userHandle: yield* sha256(`${reach.type === "address" ? "" : reach.member} ${email}`),
    email,
    name: signedIn.memberships[0].member.name,
    known
  })
})

/** Registers the passkey of a browser's answer, with the reach of the session. */
export const finishRegistration = Effect.fn("Passkeys.finishRegistration")(function* (
  signedIn: SignedIn,
  input: Page & { readonly response: unknown; readonly label: string; readonly requestId: string | null }
) {
  const { label, origin, requestId, response } = input
  const site = yield* relyingParty(origin)
  const { challenge, id } = yield* answered(response, signedIn.session.id)
  const verified = yield* (yield* PasskeyVerifier).verifyRegistration({ site, challenge, response })
  const store = yield* IdentityStore
  if (verified.id !== id) return yield* new PasskeyRefused({ reason: "proof" })
  if ((yield* store.findPasskey(id)) !== null) return yield* new PasskeyRefused({ reason: "known" })
  return yield* store.change(
    { email: signedIn.session.email },
    ChangeIdentity.addPasskey(signedIn, requestId, { ...verified, label })
  )
})

/** Options for `navigator.credentials.get`, for any passkey of this site. */
export const startSignIn = Effect.fn("Passkeys.startSignIn")(function* (
  input: Page & { readonly client: Pick<Client, "address"> }
) {
  const site = yield* relyingParty(input.origin)
  const exceeded = yield* (yield* IdentityStore).attempt([
    { key: `passkey ${input.client.address}`, most: SignInAttempts.most.signIns }
  ])
  if (exceeded.length > 0) return yield* new SignInAttempts.TooManyAttempts()
  return yield* (yield* PasskeyVerifier).signIn({ site, challenge: yield* drawChallenge(null) })
})

/** Signs the person in whose passkey the browser's answer proves. */
export const finishSignIn = Effect.fn("Passkeys.finishSignIn")(function* (
  input: Page & { readonly response: unknown; readonly client: Client }
) {
  const { client, origin, response } = input
  const site = yield* relyingParty(origin)
  const { browser, fresh, token } = yield* begin(client)
  const { challenge, id } = yield* answered(response, null)
  const store = yield* IdentityStore
  const passkey = yield* store.findPasskey(id)
  if (passkey === null) return yield* new PasskeyRefused({ reason: "unknown" })
  const counter = yield* (yield* PasskeyVerifier).verifySignIn({ site, challenge, response, passkey })
  const signedIn = yield* store.change(
    { email: passkey.email },
    ChangeIdentity.usePasskey(fresh, browser, { id, counter })
  )
  return { token, signedIn, workspace: signedIn.memberships[0].workspaceSlug }
})

export const rename = Effect.fn("Passkeys.rename")(function* (
  signedIn: SignedIn,
  input: { readonly id: PasskeyId; readonly label: string; readonly requestId: string | null }
) {
  const store = yield* IdentityStore
  const { id, label, requestId } = input
  return yield* store.change(
    { email: signedIn.session.email },
    ChangeIdentity.renamePasskey(signedIn, requestId, id, label)
  )
})

/** Removes a passkey; sessions that it opened go on until they end. */
export const remove = Effect.fn("Passkeys.remove")(function* (
  signedIn: SignedIn,
  input: { readonly id: PasskeyId; readonly requestId: string | null }
) {
  const store = yield* IdentityStore
  const { id, requestId } = input
  return yield* store.change({ email: signedIn.session.email }, ChangeIdentity.removePasskey(signedIn, requestId, id))
})
