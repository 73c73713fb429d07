import { assert, it } from "@effect/vitest"
import { Effect, Either, type Layer, Option, Redacted } from "effect"
import { IdentityStore } from "../../application/ports/identity/IdentityStore.ts"
import type { Begun } from "../../application/ports/identity/OpenIdProvider.ts"
import * as Members from "../../application/workspace/Members.ts"
import * as OpenId from "../../application/workspace/OpenId.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { ProvenAccount } from "../../domain/workspace/openid/ProviderIdentity.ts"
import { addressKey } from "../../domain/workspace/SignInReach.ts"
import type { Stores } from "../support/World.ts"
import {
  byMail,
  client,
  events,
  find,
  join,
  pass,
  person,
  reasonOf,
  slugs,
  workspaceWith
} from "./scenes/SignInScene.ts"

const issuer = "https://login.acme.test"
const redirect = "https://gatehouse.acme.test/sign-in/openid/back"

/** A provider that proves every account; the state stands for its address. */
const providerOf = (account: Omit<ProvenAccount, "issuer"> & { readonly issuer?: string }) => ({
  host: "login.acme.test",
  authorize: ({ state }: Begun) => Effect.succeed(state),
  verify: () => Effect.succeed({ issuer, ...account })
})

const signIn = (account: Parameters<typeof providerOf>[0]) =>
  Effect.gen(function* () {
    const provider = providerOf(account)
    const { secret, to } = yield* OpenId.start(provider, { redirect, client: { address: crypto.randomUUID() } })
    const answer = new URLSearchParams({ state: to })
    return yield* OpenId.finish(provider, { redirect, secret: Option.some(secret), answer, client: client() })
  })

const proven = (email: string, subject: string = crypto.randomUUID()) => ({ subject, email, isVerified: true })

export const openIdContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`IdentityStore, accounts at providers (${adapter})`, (it) => {
    it.effect("the first sign-in ties an account to the address, and opens all its workspaces", () =>
      Effect.gen(function* () {
        const email = person()
        const [one, two] = [yield* workspaceWith(email), yield* workspaceWith(email)]
        const account = proven(email)
        const { token } = yield* signIn(account)
        const found = yield* find(token)
        assert.deepStrictEqual(slugs(found).toSorted(), [one.slug, two.slug].toSorted())
        assert.strictEqual(found.session.method, "openid")
        const store = yield* IdentityStore
        const tied = yield* store.findIdentity({ issuer, subject: account.subject })
        assert.deepInclude({ ...tied }, { issuer, subject: account.subject, email: addressKey(email) })
        assert.deepStrictEqual((yield* store.look(addressKey(email))).identities, tied === null ? [] : [tied])
        assert.isNull(yield* store.findIdentity({ issuer: "https://else.test", subject: account.subject }))
        const entry = (yield* events(two.id)).at(-1)
        assert.deepInclude(entry, { event: "signed_in" })
        assert.deepInclude(entry?.details, { method: "openid", reach: "address" })
      })
    )

    it.effect("a tied account signs in with any address; its tie keeps its beginning", () =>
      Effect.gen(function* () {
        const email = person()
        const { slug } = yield* workspaceWith(email)
        const account = proven(email)
        yield* signIn(account)
        const store = yield* IdentityStore
        const before = yield* store.findIdentity({ issuer, ...account })
        const { signedIn } = yield* signIn({ ...account, email: person(), isVerified: false })
        assert.deepStrictEqual(slugs(signedIn), [slug])
        const after = yield* store.findIdentity({ issuer, ...account })
        assert.deepStrictEqual(after?.createdAt, before?.createdAt)
        assert.strictEqual(after?.email, addressKey(email))
      })
    )

    it.effect("of two accounts with one address, one is tied", () =>
      Effect.gen(function* () {
        const email = person()
        yield* workspaceWith(email)
        const both = yield* Effect.all([Effect.either(signIn(proven(email))), Effect.either(signIn(proven(email)))], {
          concurrency: 2
        })
        assert.lengthOf(both.filter(Either.isRight), 1)
        assert.strictEqual(yield* reasonOf(signIn(proven(email))), "other_account")
        assert.lengthOf((yield* (yield* IdentityStore).look(addressKey(email))).identities, 1)
      })
    )

    it.effect("unverified and unknown addresses leave no trace", () =>
      Effect.gen(function* () {
        const email = person()
        const { id } = yield* workspaceWith(email)
        const before = (yield* events(id)).length
        const account = proven(email)
        assert.strictEqual(yield* reasonOf(signIn({ ...account, isVerified: false })), "unverified")
        assert.strictEqual(yield* reasonOf(signIn(proven(person()))), "unknown")
        assert.isNull(yield* (yield* IdentityStore).findIdentity({ issuer, ...account }))
        assert.lengthOf(yield* events(id), before)
      })
    )

    it.effect("who leaves the last workspace loses the tie, who leaves another keeps it", () =>
      Effect.gen(function* () {
        const email = person()
        const [one, two] = [yield* workspaceWith(email), yield* workspaceWith(email)]
        const account = proven(email)
        yield* signIn(account)
        yield* Members.remove(bySystem, { workspace: one.slug, email })
        assert.deepStrictEqual(slugs((yield* signIn(account)).signedIn), [two.slug])
        yield* Workspaces.remove(bySystem, { slug: two.slug, confirm: two.slug })
        const store = yield* IdentityStore
        assert.isNull(yield* store.findIdentity({ issuer, ...account }))
        assert.strictEqual(yield* reasonOf(signIn(account)), "unknown")
        yield* join(one.slug, email)
        assert.deepStrictEqual(slugs((yield* signIn(proven(email))).signedIn), [one.slug])
      })
    )

    it.effect("a sign-in is finished once, within 15 minutes, by the browser that began it", () =>
      Effect.gen(function* () {
        const email = person()
        yield* workspaceWith(email)
        const provider = providerOf(proven(email))
        const begin = OpenId.start(provider, { redirect, client: { address: crypto.randomUUID() } })
        const finish = (secret: Redacted.Redacted | null, state: string) =>
          OpenId.finish(provider, {
            redirect,
            secret: Option.fromNullable(secret),
            answer: new URLSearchParams({ state }),
            client: client()
          })
        const [first, second] = [yield* begin, yield* begin]
        assert.strictEqual(yield* reasonOf(finish(null, first.to)), "state")
        assert.strictEqual(yield* reasonOf(finish(second.secret, first.to)), "state")
        assert.strictEqual(yield* reasonOf(finish(Redacted.make("gto_short"), first.to)), "state")
        const uses = yield* Effect.all(
          [Effect.either(finish(first.secret, first.to)), Effect.either(finish(first.secret, first.to))],
          { concurrency: 2 }
        )
        assert.lengthOf(uses.filter(Either.isRight), 1)
        yield* pass(email, "15 minutes")
        assert.strictEqual(yield* reasonOf(finish(second.secret, second.to)), "state")
        yield* byMail(email)
      })
    )
  })
