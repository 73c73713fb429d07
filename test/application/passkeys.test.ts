import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, TestClock } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as WebAuthnVerifier from "../../adapters/webauthn/WebAuthnVerifier.ts"
import * as Passkeys from "../../application/workspace/Passkeys.ts"
import * as Sessions from "../../application/workspace/Sessions.ts"
import * as SignIn from "../../application/workspace/SignIn.ts"
import { authenticator } from "../support/Authenticator.ts"
import * as Seed from "../support/Seed.ts"

const origin = "https://gate.example.com"
const rpId = "gate.example.com"
const client: SignIn.Client = { userAgent: null, address: "192.0.2.1", requestId: null, session: Option.none() }

const signedIn = Effect.gen(function* () {
  const { slug } = yield* Seed.workspace
  const { url } = yield* SignIn.makeLink({ workspace: slug, email: Seed.ownerEmail })
  const link = Redacted.make(Redacted.value(url).split("/").at(-1) ?? "")
  return { slug, link, ...(yield* SignIn.useLink(link, client)) }
})

const challengeOf = (options: Readonly<Record<string, unknown>>) => ({
  challenge: String(options["challenge"]),
  origin,
  rpId
})

const registered = Effect.gen(function* () {
  const person = yield* signedIn
  const key = authenticator()
  const options = yield* Passkeys.startRegistration(person.signedIn, { origin })
  const response = key.create(challengeOf(options))
  const input = { origin, response, label: "Laptop", requestId: null }
  return { ...person, key, options, input, passkey: yield* Passkeys.finishRegistration(person.signedIn, input) }
})

const asked = Effect.map(Passkeys.startSignIn({ origin, client }), challengeOf)
const finish = (response: unknown) => Passkeys.finishSignIn({ origin, response, client })
const refusal = (response: unknown) =>
  Effect.map(Effect.flip(finish(response)), (error) => ("reason" in error ? error.reason : error._tag))

it.layer(Layer.merge(Memory.layer, WebAuthnVerifier.layer))("passkeys", (it) => {
  it.effect("a registered passkey signs its person in, as far as the session reached", () =>
    Effect.gen(function* () {
      const { key, options, passkey, slug } = yield* registered
      assert.deepInclude(options["rp"], { id: rpId })
      assert.deepInclude(options["authenticatorSelection"], { residentKey: "required", userVerification: "required" })
      assert.deepInclude(passkey, { label: "Laptop", counter: 0, transports: ["internal"], lastUsedAt: null })
      const done = yield* finish(key.get(yield* asked))
      assert.strictEqual(done.workspace, slug)
      const found = yield* Sessions.find(Option.some(done.token))
      assert.deepStrictEqual([found.session.method, found.memberships.length], ["passkey", 1])
      assert.isNotNull((yield* Passkeys.list(found))[0]?.lastUsedAt)
    })
  )

  it.effect("an answer is good once, for its own challenge, within five minutes", () =>
    Effect.gen(function* () {
      const { input, key, signedIn: own } = yield* registered
      const again = yield* Effect.flip(Passkeys.finishRegistration(own, input))
      assert.deepInclude(again, { reason: "challenge" })
      const answer = key.get(yield* asked)
      yield* finish(answer)
      assert.strictEqual(yield* refusal(answer), "challenge")
      assert.strictEqual(yield* refusal(key.get({ challenge: "AAAA", origin, rpId })), "challenge")
      const late = yield* asked
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(yield* refusal(key.get(late)), "challenge")
    })
  )

  it.effect("an answer for another site, without the user, by another key or not even an answer is refused", () =>
    Effect.gen(function* () {
      const { key } = yield* registered
      assert.strictEqual(yield* refusal(key.get({ ...(yield* asked), origin: "https://evil.example.com" })), "proof")
      assert.strictEqual(yield* refusal(key.get({ ...(yield* asked), rpId: "evil.example.com" })), "proof")
      assert.strictEqual(yield* refusal(key.get(yield* asked, { flags: 0x01 })), "proof")
      const forged = { ...authenticator().get(yield* asked), id: key.get(yield* asked).id }
      assert.strictEqual(yield* refusal(forged), "proof")
      assert.strictEqual(yield* refusal(authenticator().get(yield* asked)), "unknown")
      for (const nothing of [null, {}, { id: "x", response: { clientDataJSON: "%" } }, "x", [1]])
        assert.strictEqual(yield* refusal(nothing), "proof")
    })
  )

  it.effect("a challenge belongs to its session and purpose", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* signedIn, yield* signedIn]
      const key = authenticator()
      const register = (person: typeof one, response: unknown) =>
        Passkeys.finishRegistration(person.signedIn, { origin, response, label: "Key", requestId: null })
      const options = challengeOf(yield* Passkeys.startRegistration(one.signedIn, { origin }))
      assert.deepInclude(yield* Effect.flip(register(other, key.create(options))), { reason: "challenge" })
      assert.deepInclude(yield* Effect.flip(register(one, key.create(yield* asked))), { reason: "challenge" })
      assert.deepStrictEqual(yield* Passkeys.list(one.signedIn), [])
    })
  )

  it.effect("another person cannot register the same passkey, and an address without https has none", () =>
    Effect.gen(function* () {
      const { key } = yield* registered
      const thief = yield* signedIn
      const options = challengeOf(yield* Passkeys.startRegistration(thief.signedIn, { origin }))
      const input = { origin, response: key.create(options), label: "Key", requestId: null }
      assert.deepInclude(yield* Effect.flip(Passkeys.finishRegistration(thief.signedIn, input)), { reason: "known" })
      const http = yield* Effect.flip(Passkeys.startSignIn({ origin: "http://gate.example.com", client }))
      assert.strictEqual(http._tag, "PasskeysUnavailable")
    })
  )
})
