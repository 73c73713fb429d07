import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Duration, Effect, Either, Encoding, type Layer, Option, Redacted, TestClock } from "effect"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { IdentityStore } from "../../application/ports/identity/IdentityStore.ts"
import { Notifiers } from "../../application/ports/Notifier.ts"
import * as Invitations from "../../application/workspace/Invitations.ts"
import * as Members from "../../application/workspace/Members.ts"
import * as Passkeys from "../../application/workspace/Passkeys.ts"
import * as Sessions from "../../application/workspace/Sessions.ts"
import * as SignIn from "../../application/workspace/SignIn.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import * as ChangeIdentity from "../../domain/workspace/ChangeIdentity.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { Email } from "../../domain/workspace/Member.ts"
import type { PasskeyId } from "../../domain/workspace/Passkey.ts"
import type { SessionId, SignedIn } from "../../domain/workspace/Session.ts"
import { hashOf } from "../../domain/workspace/SignInLink.ts"
import { addressKey } from "../../domain/workspace/SignInReach.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"

let people = 0

const person = () => `Person${++people}.${crypto.randomUUID().slice(0, 8)}@Example.test` as Email

const join = (workspace: WorkspaceSlug, email: Email) =>
  Members.add(bySystem, { workspace, email, name: "Vera Victim", role: "member" })

/** A workspace with that person as a member. */
const workspaceWith = (email: Email) => Effect.tap(Seed.workspace, ({ slug }) => join(slug, email))

const client = (session: SignIn.Client["session"] = Option.none(), address = "192.0.2.7"): SignIn.Client => ({
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  address,
  requestId: "req-1",
  session
})

const tokenOf = (url: Redacted.Redacted) => Redacted.make(Redacted.value(url).split("/sign-in/")[1] ?? "")

const operatorLink = (workspace: WorkspaceSlug, email: Email) =>
  Effect.map(SignIn.makeLink({ workspace, email }), ({ url }) => tokenOf(url))

/** Texts of mails, as a person reads them. */
const mailbox = () => {
  const mails: Array<{ readonly to: string; readonly text: string; readonly subject: string }> = []
  const mail = {
    send: (to: Redacted.Redacted, { subject, text }: { readonly subject: string; readonly text: string }) =>
      Effect.sync(() => void mails.push({ to: Redacted.value(to), subject, text }))
  }
  return {
    mails,
    with: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.zipLeft(effect, Effect.yieldNow()).pipe(
        Effect.provideService(Notifiers, { mail, places: { webhook: mail } as never })
      )
  }
}

const linkIn = (text: string) => Redacted.make(/sign-in\/(\S+)/.exec(text)?.[1] ?? "")

const mailedLink = (email: Email) =>
  Effect.suspend(() => {
    const { mails, with: mailing } = mailbox()
    return Effect.map(mailing(SignIn.requestLink({ email, client: { address: email } })), () =>
      linkIn(mails[0]?.text ?? "")
    )
  })

const byMail = (email: Email) => Effect.flatMap(mailedLink(email), (link) => SignIn.useLink(link, client()))
const byOperator = (workspace: WorkspaceSlug, email: Email) =>
  Effect.flatMap(operatorLink(workspace, email), (link) => SignIn.useLink(link, client()))

const find = (token: Redacted.Redacted) => Sessions.find(Option.some(token))
const slugs = ({ memberships }: SignedIn) => memberships.map(({ workspaceSlug }) => workspaceSlug)
const reasonOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => ("reason" in error ? error.reason : error._tag))

interface Entry {
  readonly event: string
  readonly details: Readonly<Record<string, unknown>>
}

/** Oldest first. */
const events = (workspace: WorkspaceId) =>
  Effect.map(
    Effect.flatMap(AuditLog, (log) => log.page(workspace, Seed.anyEntry, { limit: 100, before: null })),
    ({ items }) => (JSON.parse(items) as ReadonlyArray<Entry>).toReversed()
  )

const names = (workspace: WorkspaceId) => Effect.map(events(workspace), (all) => all.map(({ event }) => event))

/** Moves the clock, or on Postgres the times of the rows of an address. */
const pass = (email: Email, duration: Duration.DurationInput) =>
  Effect.flatMap(Effect.serviceOption(SqlClient.SqlClient), (found) =>
    Option.match(found, {
      onNone: () => TestClock.adjust(duration),
      onSome: (sql) => {
        const seconds = Duration.toSeconds(duration)
        const key = email.toLowerCase()
        return Effect.all([
          sql`UPDATE sign_in_links SET created_at = created_at - ${seconds} * interval '1 second' WHERE email = ${key}`,
          sql`UPDATE sessions SET created_at = created_at - ${seconds} * interval '1 second',
            last_seen_at = last_seen_at - ${seconds} * interval '1 second' WHERE email = ${key}`,
          sql`UPDATE passkey_challenges SET created_at = created_at - ${seconds} * interval '1 second'`,
          sql`UPDATE sign_in_attempts SET started_at = started_at - ${seconds} * interval '1 second'`
        ])
      }
    })
  )

const passkeyOf = (text: string) => Encoding.encodeBase64Url(`${text} ${crypto.randomUUID()}`) as PasskeyId

const addPasskey = (signedIn: SignedIn, id: PasskeyId) =>
  Effect.gen(function* () {
    const verified = { id, publicKey: "AAAA", counter: 1, transports: ["usb"], label: "Key" }
    return yield* (yield* IdentityStore).change(
      { email: signedIn.session.email },
      ChangeIdentity.addPasskey(signedIn, null, verified)
    )
  })

const fresh = () => ({ id: crypto.randomUUID() as SessionId, hash: crypto.randomUUID().replaceAll("-", "").repeat(2) })
const browser = { userAgent: null, address: "::1", requestId: null, before: null }

const byPasskey = (id: PasskeyId, counter = 2) =>
  Effect.gen(function* () {
    const store = yield* IdentityStore
    const email = (yield* store.findPasskey(id))?.email
    if (email === undefined) return yield* Effect.dieMessage("no such passkey")
    return yield* store.change({ email }, ChangeIdentity.usePasskey(fresh(), browser, { id, counter }))
  })

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
