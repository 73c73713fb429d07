import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { Inbox } from "../../application/ports/Inbox.ts"
import { Notifiers } from "../../application/ports/Notifier.ts"
import * as Members from "../../application/workspace/Members.ts"
import * as NoticeExpiry from "../../application/oncall/NoticeExpiry.ts"
import * as Preferences from "../../application/oncall/Preferences.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import { Notification } from "../../domain/oncall/InboxEntry.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"

const decode = Json.decoder(Notification)

/** Notifies, and returns the subjects of mails that were sent to owners. */
const notified = Effect.suspend(() => {
  const mails: Array<string> = []
  const mail = {
    send: (_: unknown, { subject }: { readonly subject: string }) => Effect.sync(() => void mails.push(subject))
  }
  return Effect.as(
    Effect.provideService(NoticeExpiry.tokens(), Notifiers, { mail, places: { webhook: mail } as never }),
    mails
  )
})

const inboxOf = (slug: WorkspaceSlug) =>
  Effect.gen(function* () {
    const owner = yield* People.person(slug, "owner")
    const all = yield* (yield* Inbox).list(owner.workspace, owner.member.id)
    return all.map(decode).map(({ event, incident, subject }) => [event, incident, subject])
  })

const of14 = "Your API token 'old' expires in 14 days"
const of3 = "Your API token 'old' expires in 3 days"

export const noticeContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`notices of tokens and mail preferences (${adapter})`, (it) => {
    it.effect("a member is notified of a token's end once for each notice", () =>
      Effect.gen(function* () {
        const { slug } = yield* Seed.workspace
        yield* Seed.token(slug)
        yield* Seed.agedToken(slug, 15)
        yield* notified
        assert.deepStrictEqual(yield* inboxOf(slug), [])
        yield* Seed.agedToken(slug, 17)
        yield* Seed.agedToken(slug, 28)
        yield* Seed.agedToken(slug, 30)
        assert.deepStrictEqual((yield* notified).toSorted(), [of14, of3])
        assert.deepStrictEqual((yield* inboxOf(slug)).toSorted(), [
          ["token_expires", null, of14],
          ["token_expires", null, of3]
        ])
        assert.deepStrictEqual(yield* notified, [])
        assert.lengthOf(yield* inboxOf(slug), 2)
      })
    )

    it.effect("of many instances one notifies; nobody is notified of a token that is of no use", () =>
      Effect.gen(function* () {
        const { slug } = yield* Seed.workspace
        yield* Seed.agedToken(slug, 20)
        const mails = yield* Effect.replicateEffect(notified, 4, { concurrency: "unbounded" })
        assert.deepStrictEqual(mails.flat(), [of14])
        const other = yield* Seed.workspace
        yield* Seed.agedToken(other.slug, 20)
        const owner = yield* People.person(other.slug, "owner")
        const [token] = yield* Tokens.list({ workspace: other.slug, member: Seed.ownerEmail })
        yield* Tokens.revoke(bySystem, { workspace: other.slug, prefix: token?.prefix ?? "" })
        const third = yield* Seed.workspace
        yield* Seed.agedToken(third.slug, 20)
        yield* Members.add(bySystem, { workspace: third.slug, email: "b@acme.test" as never, name: "B", role: "owner" })
        yield* Members.remove(bySystem, { workspace: third.slug, email: Seed.ownerEmail })
        assert.deepStrictEqual(yield* notified, [])
        assert.lengthOf(yield* (yield* Inbox).list(owner.workspace, owner.member.id), 0)
      })
    )

    it.effect("mails of a kind are off for the member who turned them off, in that workspace", () =>
      Effect.gen(function* () {
        const [here, there] = [yield* Seed.workspace, yield* Seed.workspace]
        const [owner, elsewhere] = [yield* People.person(here.slug, "owner"), yield* People.person(there.slug, "owner")]
        const member = yield* People.person(here.slug, "member")
        const all = { incident_opened: true, incident_resolved: true, token_expires: true }
        assert.deepStrictEqual(yield* Preferences.get(owner), all)
        yield* Preferences.set(owner, "token_expires", false)
        yield* Preferences.set(owner, "token_expires", false)
        yield* Preferences.set(owner, "incident_resolved", false)
        yield* Preferences.set(owner, "incident_resolved", true)
        assert.deepStrictEqual(yield* Preferences.get(owner), { ...all, token_expires: false })
        assert.deepStrictEqual(yield* Preferences.get(member), all)
        assert.deepStrictEqual(yield* Preferences.get(elsewhere), all)
        yield* Seed.agedToken(here.slug, 20)
        assert.deepStrictEqual(yield* notified, [])
        assert.lengthOf(yield* inboxOf(here.slug), 1)
        yield* Members.set(bySystem, { workspace: here.slug, email: People.emailOf("member"), role: "admin" })
        assert.deepStrictEqual(yield* Preferences.get(owner), { ...all, token_expires: false })
      })
    )
  })
