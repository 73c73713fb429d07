import { Effect, Option, Redacted } from "effect"
import { sha256 } from "../../domain/value/Hashing.ts"
import { isInTime, OpenIdRefused } from "../../domain/workspace/openid/ProviderIdentity.ts"
import { signInByProvider } from "../../domain/workspace/openid/SignInByProvider.ts"
import * as SignInAttempts from "../../domain/workspace/SignInAttempts.ts"
import { drawSecret, hashOf } from "../../domain/workspace/SignInLink.ts"
import { addressKey } from "../../domain/workspace/SignInReach.ts"
import { IdentityStore } from "../ports/identity/IdentityStore.ts"
import type { Begun, OpenIdProvider } from "../ports/identity/OpenIdProvider.ts"
import { begin, type Client } from "./SignIn.ts"

type Provider = NonNullable<typeof OpenIdProvider.Service>

/** Everything that the provider or its answer is compared with follows from one secret in a cookie of the browser. */
const begunBy = Effect.fnUntraced(function* (secret: Redacted.Redacted, redirect: string) {
  const textOf = (use: string) => sha256(`${use} ${Redacted.value(secret)}`)
  const begun: Begun = {
    redirect,
    state: yield* textOf("state"),
    nonce: yield* textOf("nonce"),
    verifier: yield* textOf("verifier")
  }
  return begun
})

/** Begins a sign-in at the provider: the address to go to, and the secret that the browser keeps until it is back. */
export const start = Effect.fn("OpenId.start")(function* (
  provider: Provider,
  input: { readonly redirect: string; readonly client: Pick<Client, "address"> }
) {
  const store = yield* IdentityStore
  const exceeded = yield* store.attempt([{ key: `openid ${input.client.address}`, most: SignInAttempts.most.signIns }])
  if (exceeded.length > 0) return yield* new SignInAttempts.TooManyAttempts()
  const secret = yield* drawSecret("gto_")
  const to = yield* provider.authorize(yield* begunBy(secret, input.redirect))
  yield* store.addChallenge({ hash: yield* sha256(Redacted.value(secret)), session: null })
  return { to, secret }
})

/** Takes the sign-in that this browser began away, so that it is finished once. */
const taken = Effect.fnUntraced(function* (
  { host }: Provider,
  secret: Option.Option<Redacted.Redacted>,
  redirect: string,
  state: string | null
) {
  const refused = new OpenIdRefused({ host, reason: "state", named: "" })
  if (Option.isNone(secret)) return yield* refused
  const hash = yield* hashOf("gto_", secret.value)
  const begun = yield* begunBy(secret.value, redirect)
  if (hash === null || state !== begun.state) return yield* refused
  const found = yield* (yield* IdentityStore).takeChallenge(hash)
  if (found === null || !isInTime(found.challenge.createdAt, found.now)) return yield* refused
  return begun
})

/** Signs the person in whose account the provider's answer proves. */
export const finish = Effect.fn("OpenId.finish")(function* (
  provider: Provider,
  input: {
    readonly redirect: string
    /** The secret of the browser's cookie. */
    readonly secret: Option.Option<Redacted.Redacted>
    readonly answer: URLSearchParams
    readonly client: Client
  }
) {
  const { answer, client, redirect, secret } = input
  const begun = yield* taken(provider, secret, redirect, answer.get("state"))
  const { browser, fresh, token } = yield* begin(client)
  const account = yield* provider.verify(begun, answer)
  const store = yield* IdentityStore
  const known = yield* store.findIdentity(account)
  const email = known?.email ?? addressKey(account.email ?? "")
  const by = { account, email, host: provider.host }
  const signedIn = yield* store.change({ email }, signInByProvider(fresh, browser, by))
  return { token, signedIn }
})
