import { assert, it } from "@effect/vitest"
import { Effect, Either, type Layer, Option, Redacted } from "effect"
import { IdentityStore } from "../../application/ports/identity/IdentityStore.ts"
import * as Passkeys from "../../application/workspace/Passkeys.ts"
import * as Sessions from "../../application/workspace/Sessions.ts"
import * as SignIn from "../../application/workspace/SignIn.ts"
import * as ChangeIdentity from "../../domain/workspace/ChangeIdentity.ts"
import type { Email } from "../../domain/workspace/Member.ts"
import { hashOf } from "../../domain/workspace/SignInLink.ts"
import { addressKey } from "../../domain/workspace/SignInReach.ts"
import type { Stores } from "../support/World.ts"
import {
  addPasskey,
  browser,
  byMail,
  byOperator,
  byPasskey,
  client,
  events,
  find,
  fresh,
  names,
  operatorLink,
  pass,
  passkeyOf,
  person,
  reasonOf,
  slugs,
  workspaceWith
} from "./scenes/SignInScene.ts"

export const identityStoreContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`IdentityStore (${adapter})`, (it) => {
    it.effect("a link is shown as often as it is opened, and used once", () =>
      Effect.gen(function* () {
        const email = person()
        const { id, slug } = yield* workspaceWith(email)
        const link = yield* operatorLink(slug, email)
        for (const _ of [1, 2])
          assert.deepInclude(yield* SignIn.openLink(link), { email: addressKey(email), workspace: slug })
        const { signedIn, token, workspace } = yield* SignIn.useLink(link, client())
        assert.strictEqual(workspace, slug)
        assert.deepStrictEqual(slugs(yield* find(token)), [slug])
        assert.strictEqual(signedIn.session.userAgent, "Firefox on Linux")
        assert.strictEqual(yield* reasonOf(SignIn.useLink(link, client())), "used")
        assert.strictEqual(yield* reasonOf(SignIn.openLink(link)), "used")
        const entry = (yield* events(id)).at(-1)
        assert.deepInclude(entry, { event: "signed_in" })
        assert.deepInclude(entry?.details, { method: "link", channel: "app", requestId: "req-1" })
      })
    )

    it.effect("of simultaneous uses of one link, one opens a session", () =>
      Effect.gen(function* () {
        const email = person()
        const { id, slug } = yield* workspaceWith(email)
        const link = (yield* hashOf("gtl_", yield* operatorLink(slug, email))) ?? ""
        const store = yield* IdentityStore
        const use = Effect.suspend(() =>
          Effect.either(store.change({ link }, ChangeIdentity.useLink(fresh(), browser)))
        )
        const uses = yield* Effect.replicateEffect(use, 6, { concurrency: "unbounded" })
        assert.lengthOf(uses.filter(Either.isRight), 1)
        assert.lengthOf((yield* store.look(addressKey(email))).sessions, 1)
        assert.lengthOf(
          (yield* names(id)).filter((event) => event === "signed_in"),
          1
        )
      })
    )

    it.effect("a link works for 15 minutes, an unknown one never", () =>
      Effect.gen(function* () {
        const email = person()
        const { slug } = yield* workspaceWith(email)
        const link = yield* operatorLink(slug, email)
        yield* pass(email, "14 minutes")
        yield* SignIn.openLink(link)
        yield* pass(email, "1 minute")
        assert.strictEqual(yield* reasonOf(SignIn.openLink(link)), "expired")
        for (const unknown of ["", "gtl_short", `gtl_${"x".repeat(43)}`, `gts_${"x".repeat(43)}`])
          assert.strictEqual(yield* reasonOf(SignIn.openLink(Redacted.make(unknown))), "unknown")
      })
    )

    it.effect("a link handed over by an operator opens its workspace only, a mailed one every workspace", () =>
      Effect.gen(function* () {
        const email = person()
        const home = yield* workspaceWith(email)
        const hostile = yield* workspaceWith(email.toUpperCase() as Email)
        const handed = yield* byOperator(hostile.slug, email)
        assert.deepStrictEqual(slugs(yield* find(handed.token)), [hostile.slug])
        assert.strictEqual(
          Either.getOrNull(Either.flip(Sessions.personIn(handed.signedIn, home.slug, null)))?._tag,
          "WorkspaceNotFound"
        )
        const mailed = yield* byMail(email)
        assert.deepStrictEqual(slugs(yield* find(mailed.token)).toSorted(), [home.slug, hostile.slug].toSorted())
        assert.include(yield* names(home.id), "signed_in")
        assert.lengthOf(
          (yield* names(hostile.id)).filter((event) => event === "signed_in"),
          2
        )
      })
    )

    it.effect("a session sees, ends and passes on no more than it opens", () =>
      Effect.gen(function* () {
        const email = person()
        const home = yield* workspaceWith(email)
        const hostile = yield* workspaceWith(email)
        const mailed = yield* byMail(email)
        const handed = yield* byOperator(hostile.slug, email)
        assert.lengthOf(yield* Sessions.list(handed.signedIn), 1)
        assert.lengthOf(yield* Sessions.list(mailed.signedIn), 2)
        const foreign = Sessions.signOut(handed.signedIn, { id: mailed.signedIn.session.id }, null)
        assert.strictEqual((yield* Effect.flip(foreign))._tag, "SessionNotFound")
        const [planted, own] = [passkeyOf("planted"), passkeyOf("own")]
        yield* addPasskey(handed.signedIn, planted)
        yield* addPasskey(mailed.signedIn, own)
        assert.deepStrictEqual(slugs(yield* byPasskey(planted)), [hostile.slug])
        assert.deepStrictEqual(slugs(yield* byPasskey(own)).toSorted(), [home.slug, hostile.slug].toSorted())
        assert.lengthOf(yield* Passkeys.list(handed.signedIn), 1)
        const theirs = Passkeys.remove(handed.signedIn, { id: own, requestId: null })
        assert.strictEqual((yield* Effect.flip(theirs))._tag, "PasskeyNotFound")
        assert.strictEqual(yield* Sessions.signOut(handed.signedIn, "all", null), 2)
        yield* find(mailed.token)
        assert.notInclude(yield* names(home.id), "signed_out")
      })
    )

    it.effect("addresses that only look alike are different people", () =>
      Effect.gen(function* () {
        const suffix = crypto.randomUUID().slice(0, 8)
        const victim = yield* workspaceWith(`kim.${suffix}@example.test` as Email)
        const attacker = yield* workspaceWith(`\u212Aim.${suffix}@example.test` as Email)
        const { signedIn } = yield* byMail(`\u212Aim.${suffix}@example.test` as Email)
        assert.deepStrictEqual(slugs(signedIn), [attacker.slug])
        assert.notInclude(yield* names(victim.id), "signed_in")
      })
    )

    it.effect("a session rests at most 12 hours and lives at most 30 days; its use is noted once a minute", () =>
      Effect.gen(function* () {
        const email = person()
        const { slug } = yield* workspaceWith(email)
        const { signedIn, token } = yield* byOperator(slug, email)
        const seen = Effect.map(find(token), ({ session }) => Number(session.lastSeenAt.epochMillis))
        yield* pass(email, "50 seconds")
        const first = yield* seen
        assert.strictEqual(yield* seen, first)
        yield* pass(email, "11 hours")
        const before = yield* seen
        assert.isAbove(yield* seen, before)
        yield* pass(email, "12 hours")
        assert.strictEqual(yield* reasonOf(find(token)), "expired")
        assert.lengthOf(yield* Sessions.list(signedIn), 0)
      })
    )

    it.effect("a new sign-in replaces the session of the same browser", () =>
      Effect.gen(function* () {
        const email = person()
        const { slug } = yield* workspaceWith(email)
        const { token: fixed } = yield* byOperator(slug, email)
        const link = yield* operatorLink(slug, email)
        const { token } = yield* SignIn.useLink(link, client(Option.some(fixed)))
        assert.notStrictEqual(Redacted.value(token), Redacted.value(fixed))
        assert.strictEqual(yield* reasonOf(find(fixed)), "unknown")
        yield* find(token)
      })
    )
  })
