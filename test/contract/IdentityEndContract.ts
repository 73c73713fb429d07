import { assert, it } from "@effect/vitest"
import { Effect, Either, type Layer, Option } from "effect"
import { IdentityStore } from "../../application/ports/identity/IdentityStore.ts"
import { Notifiers } from "../../application/ports/Notifier.ts"
import * as Invitations from "../../application/workspace/Invitations.ts"
import * as Members from "../../application/workspace/Members.ts"
import * as Passkeys from "../../application/workspace/Passkeys.ts"
import * as Sessions from "../../application/workspace/Sessions.ts"
import * as SignIn from "../../application/workspace/SignIn.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { most } from "../../domain/workspace/SignInAttempts.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"
import {
  addPasskey,
  byMail,
  byOperator,
  byPasskey,
  client,
  find,
  join,
  linkIn,
  mailbox,
  names,
  operatorLink,
  pass,
  passkeyOf,
  person,
  reasonOf,
  slugs,
  workspaceWith
} from "./scenes/SignInScene.ts"

export const identityEndContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`IdentityStore, ends and limits (${adapter})`, (it) => {
    it.effect("signing out ends one session, the others, or all, at once", () =>
      Effect.gen(function* () {
        const email = person()
        const { id, slug } = yield* workspaceWith(email)
        const [a, b, c] = yield* Effect.all([byOperator(slug, email), byOperator(slug, email), byOperator(slug, email)])
        assert.strictEqual(yield* Sessions.signOut(a.signedIn, { id: b.signedIn.session.id }, null), 1)
        assert.strictEqual(yield* reasonOf(find(b.token)), "unknown")
        assert.strictEqual(yield* Sessions.signOut(a.signedIn, "others", null), 1)
        assert.strictEqual(yield* reasonOf(find(c.token)), "unknown")
        yield* find(a.token)
        assert.strictEqual(yield* Sessions.signOut(a.signedIn, "own", null), 1)
        assert.strictEqual(yield* reasonOf(find(a.token)), "unknown")
        assert.lengthOf(
          (yield* names(id)).filter((event) => event === "signed_out"),
          3
        )
      })
    )

    it.effect("removing a member ends their sessions, links and passkeys there, and they do not rise again", () =>
      Effect.gen(function* () {
        const email = person()
        const left = yield* workspaceWith(email)
        const other = yield* workspaceWith(email)
        const handed = yield* byOperator(left.slug, email)
        const mailed = yield* byMail(email)
        const [planted, own] = [passkeyOf("planted"), passkeyOf("own")]
        yield* addPasskey(handed.signedIn, planted)
        yield* addPasskey(mailed.signedIn, own)
        const link = yield* operatorLink(left.slug, email)
        yield* Members.remove(bySystem, { workspace: left.slug, email })
        assert.strictEqual(yield* reasonOf(find(handed.token)), "unknown")
        assert.deepStrictEqual(slugs(yield* find(mailed.token)), [other.slug])
        yield* join(left.slug, email)
        assert.strictEqual(yield* reasonOf(find(handed.token)), "unknown")
        assert.strictEqual(yield* reasonOf(SignIn.openLink(link)), "unknown")
        const store = yield* IdentityStore
        assert.isNull(yield* store.findPasskey(planted))
        assert.isNotNull(yield* store.findPasskey(own))
      })
    )

    it.effect("who leaves the last workspace, or whose workspace is deleted, is signed out for good", () =>
      Effect.gen(function* () {
        const email = person()
        const { slug } = yield* workspaceWith(email)
        const first = yield* byMail(email)
        const own = passkeyOf("own")
        yield* addPasskey(first.signedIn, own)
        yield* Members.remove(bySystem, { workspace: slug, email })
        yield* join(slug, email)
        assert.strictEqual(yield* reasonOf(find(first.token)), "unknown")
        assert.isNull(yield* (yield* IdentityStore).findPasskey(own))
        const second = yield* byMail(email)
        const handed = yield* byOperator(slug, email)
        yield* Workspaces.remove(bySystem, { slug, confirm: slug })
        for (const { token } of [second, handed]) assert.strictEqual(yield* reasonOf(find(token)), "unknown")
      })
    )

    it.effect("a mail goes to members only, at most five times in 15 minutes", () =>
      Effect.gen(function* () {
        const email = person()
        yield* workspaceWith(email)
        const { mails, with: mailing } = mailbox()
        const ask = (to: string, address: string) => mailing(SignIn.requestLink({ email: to, client: { address } }))
        yield* ask("nobody@example.test", "192.0.2.1")
        assert.lengthOf(mails, 0)
        for (let times = 0; times < 7; times++) yield* ask(` ${email}`, `192.0.2.${times}`)
        assert.lengthOf(mails, 5)
        assert.deepStrictEqual([...new Set(mails.map(({ to }) => to))], [email.toLowerCase()])
        yield* pass(email, "15 minutes")
        yield* ask(email, "192.0.2.1")
        assert.lengthOf(mails, 6)
        const asked = yield* Effect.all(
          Array.from({ length: 31 }, (_, n) => Effect.either(ask(`n${n}@example.test`, "198.51.100.1")))
        )
        assert.deepStrictEqual(
          asked.map(Either.isRight),
          Array.from({ length: 31 }, (_, n) => n < 30)
        )
      })
    )

    it.effect("an admin invites by mail, which proves the address; without mail a link is handed over", () =>
      Effect.gen(function* () {
        const email = person()
        const { slug } = yield* Seed.workspace
        const [owner, member] = [yield* People.person(slug, "owner"), yield* People.person(slug, "member")]
        const input = { email, name: "Vera", role: "member" } as const
        const { mails, with: mailing } = mailbox()
        const denied = yield* Effect.flip(mailing(Invitations.invite(member, input)))
        assert.strictEqual(denied._tag, "AdminRequired")
        assert.isTrue((yield* mailing(Invitations.invite(owner, input))).isMailed)
        assert.strictEqual(mails[0]?.subject, "Olga Owner added you to Acme on Gatehouse")
        const { signedIn, workspace } = yield* SignIn.useLink(linkIn(mails[0]?.text ?? ""), client())
        assert.deepStrictEqual([signedIn.session.reach.type, workspace], ["address", slug])
        assert.isTrue((yield* mailing(Invitations.again(owner, email))).isMailed)
        assert.strictEqual((yield* Effect.flip(mailing(Invitations.again(member, email))))._tag, "AdminRequired")
        assert.lengthOf(mails, 2)
        yield* Effect.replicateEffect(mailing(Invitations.again(owner, email)), most.mails - 2)
        assert.strictEqual((yield* Effect.flip(mailing(Invitations.again(owner, email))))._tag, "TooManyAttempts")
        assert.lengthOf(mails, most.mails)
        const silent = Effect.provideService(Notifiers, { mail: null, places: {} as never })
        assert.isFalse((yield* silent(Invitations.invite(owner, { ...input, email: person() }))).isMailed)
      })
    )

    it.effect("a challenge is taken once, and a passkey's counter must rise", () =>
      Effect.gen(function* () {
        const email = person()
        const { slug } = yield* workspaceWith(email)
        const { signedIn } = yield* byOperator(slug, email)
        const store = yield* IdentityStore
        const hash = crypto.randomUUID()
        yield* store.addChallenge({ hash, session: signedIn.session.id })
        const taken = yield* Effect.all([store.takeChallenge(hash), store.takeChallenge(hash)], { concurrency: 2 })
        assert.deepStrictEqual(
          taken.flatMap((one) => (one === null ? [] : [one.challenge.session])),
          [signedIn.session.id]
        )
        const id = passkeyOf("counting")
        yield* addPasskey(signedIn, id)
        const uses = yield* Effect.all([Effect.either(byPasskey(id, 5)), Effect.either(byPasskey(id, 5))], {
          concurrency: 2
        })
        assert.lengthOf(uses.filter(Either.isRight), 1)
        assert.strictEqual((yield* store.findPasskey(id))?.counter, 5)
        yield* Passkeys.rename(signedIn, { id, label: "Blue key", requestId: null })
        assert.strictEqual((yield* Passkeys.list(signedIn))[0]?.label, "Blue key")
      })
    )

    it.effect("a passkey of another person cannot be taken over", () =>
      Effect.gen(function* () {
        const [victim, thief] = [person(), person()]
        const { slug } = yield* workspaceWith(victim)
        yield* join(slug, thief)
        const id = passkeyOf("victim")
        yield* addPasskey((yield* byOperator(slug, victim)).signedIn, id)
        yield* addPasskey((yield* byOperator(slug, thief)).signedIn, id)
        assert.strictEqual((yield* (yield* IdentityStore).findPasskey(id))?.email, victim.toLowerCase())
      })
    )

    it.effect("of many sessions, those that ended, were replaced or are over are named", () =>
      Effect.gen(function* () {
        const email = person()
        const { slug } = yield* workspaceWith(email)
        const [out, old] = yield* Effect.all([byOperator(slug, email), byOperator(slug, email)])
        const store = yield* IdentityStore
        const ids = [out, old].map(({ signedIn }) => signedIn.session.id)
        assert.deepStrictEqual(yield* store.endedOf(ids), [])
        assert.deepStrictEqual(yield* store.endedOf([]), [])
        yield* SignIn.useLink(yield* operatorLink(slug, email), { ...client(), session: Option.some(out.token) })
        assert.deepStrictEqual(yield* store.endedOf(ids), ids.slice(0, 1))
        yield* pass(email, "12 hours")
        assert.deepStrictEqual(yield* store.endedOf(ids), ids)
      })
    )

    it.effect("what is over is deleted", () =>
      Effect.gen(function* () {
        const email = person()
        const { slug } = yield* workspaceWith(email)
        const { token } = yield* byOperator(slug, email)
        const link = yield* operatorLink(slug, email)
        const store = yield* IdentityStore
        yield* store.purge
        yield* find(token)
        yield* pass(email, "2 days")
        yield* store.purge
        assert.strictEqual(yield* reasonOf(find(token)), "unknown")
        assert.strictEqual(yield* reasonOf(SignIn.openLink(link)), "unknown")
      })
    )
  })
