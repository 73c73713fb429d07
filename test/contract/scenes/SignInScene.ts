import { SqlClient } from "@effect/sql"
import { Duration, Effect, Encoding, Option, Redacted, TestClock } from "effect"
import { AuditLog } from "../../../application/ports/AuditLog.ts"
import { IdentityStore } from "../../../application/ports/identity/IdentityStore.ts"
import { Notifiers } from "../../../application/ports/Notifier.ts"
import * as Members from "../../../application/workspace/Members.ts"
import * as Sessions from "../../../application/workspace/Sessions.ts"
import * as SignIn from "../../../application/workspace/SignIn.ts"
import * as ChangeIdentity from "../../../domain/workspace/ChangeIdentity.ts"
import { bySystem } from "../../../domain/workspace/Actor.ts"
import type { Email } from "../../../domain/workspace/Member.ts"
import type { PasskeyId } from "../../../domain/workspace/Passkey.ts"
import type { SessionId, SignedIn } from "../../../domain/workspace/Session.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import * as Seed from "../../support/Seed.ts"

let people = 0

export const person = () => `Person${++people}.${crypto.randomUUID().slice(0, 8)}@Example.test` as Email

export const join = (workspace: WorkspaceSlug, email: Email) =>
  Members.add(bySystem, { workspace, email, name: "Vera Victim", role: "member" })

/** A workspace with that person as a member. */
export const workspaceWith = (email: Email) => Effect.tap(Seed.workspace, ({ slug }) => join(slug, email))

export const client = (session: SignIn.Client["session"] = Option.none(), address = "192.0.2.7"): SignIn.Client => ({
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  address,
  requestId: "req-1",
  session
})

const tokenOf = (url: Redacted.Redacted) => Redacted.make(Redacted.value(url).split("/sign-in/")[1] ?? "")

export const operatorLink = (workspace: WorkspaceSlug, email: Email) =>
  Effect.map(SignIn.makeLink({ workspace, email }), ({ url }) => tokenOf(url))

/** Texts of mails, as a person reads them. */
export const mailbox = () => {
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

export const linkIn = (text: string) => Redacted.make(/sign-in\/(\S+)/.exec(text)?.[1] ?? "")

const mailedLink = (email: Email) =>
  Effect.suspend(() => {
    const { mails, with: mailing } = mailbox()
    return Effect.map(mailing(SignIn.requestLink({ email, client: { address: email } })), () =>
      linkIn(mails[0]?.text ?? "")
    )
  })

export const byMail = (email: Email) => Effect.flatMap(mailedLink(email), (link) => SignIn.useLink(link, client()))
export const byOperator = (workspace: WorkspaceSlug, email: Email) =>
  Effect.flatMap(operatorLink(workspace, email), (link) => SignIn.useLink(link, client()))

export const find = (token: Redacted.Redacted) => Sessions.find(Option.some(token))
export const slugs = ({ memberships }: SignedIn) => memberships.map(({ workspaceSlug }) => workspaceSlug)
export const reasonOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => ("reason" in error ? error.reason : error._tag))

interface Entry {
  readonly event: string
  readonly details: Readonly<Record<string, unknown>>
}

/** Oldest first. */
export const events = (workspace: WorkspaceId) =>
  Effect.map(
    Effect.flatMap(AuditLog, (log) => log.page(workspace, Seed.anyEntry, { limit: 100, before: null })),
    ({ items }) => (JSON.parse(items) as ReadonlyArray<Entry>).toReversed()
  )

export const names = (workspace: WorkspaceId) => Effect.map(events(workspace), (all) => all.map(({ event }) => event))

/** Moves the clock, or on Postgres the times of the rows of an address. */
export const pass = (email: Email, duration: Duration.DurationInput) =>
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

export const passkeyOf = (text: string) => Encoding.encodeBase64Url(`${text} ${crypto.randomUUID()}`) as PasskeyId

export const addPasskey = (signedIn: SignedIn, id: PasskeyId) =>
  Effect.gen(function* () {
    const verified = { id, publicKey: "AAAA", counter: 1, transports: ["usb"], label: "Key" }
    return yield* (yield* IdentityStore).change(
      { email: signedIn.session.email },
      ChangeIdentity.addPasskey(signedIn, null, verified)
    )
  })

export const fresh = () => ({
  id: crypto.randomUUID() as SessionId,
  hash: crypto.randomUUID().replaceAll("-", "").repeat(2)
})
export const browser = { userAgent: null, address: "::1", requestId: null, before: null }

export const byPasskey = (id: PasskeyId, counter = 2) =>
  Effect.gen(function* () {
    const store = yield* IdentityStore
    const email = (yield* store.findPasskey(id))?.email
    if (email === undefined) return yield* Effect.dieMessage("no such passkey")
    return yield* store.change({ email }, ChangeIdentity.usePasskey(fresh(), browser, { id, counter }))
  })
