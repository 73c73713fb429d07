import { inboxOf } from "../support/OnCall.ts"
import * as SqlClient from "@effect/sql/SqlClient"
import { assert, it } from "@effect/vitest"
import { Duration, Effect, type Layer, Option, TestClock } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { Inbox } from "../../application/ports/Inbox.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import type { MemberId } from "../../domain/workspace/Member.ts"
import { Notification, NotificationId } from "../../domain/oncall/InboxEntry.ts"
import { fires } from "../domain/oncall/TriageScene.ts"
import * as Queue from "../jobs/Queue.ts"
import * as People from "../support/People.ts"
import type { Stores } from "../support/World.ts"
import * as At from "./scenes/OnCallScene.ts"

/** A workspace with an incident, and two members to notify. */
const place = Effect.gen(function* () {
  const at = yield* At.place
  const member = yield* People.person(at.slug, "member")
  yield* At.tell(at, fires("cpu"))
  const [job] = yield* Queue.all(at.id)
  const [incident] = yield* At.incidents(at)
  return job === undefined || incident === undefined
    ? assert.fail("nothing follows the incident")
    : { ...at, job: job.id, incident: incident.key, ann: at.owner.member.id, bob: member.member.id }
})
type Place = Effect.Effect.Success<typeof place>

/** Notifies members of the incident, once for each subject; returns the ids. */
const keep = ({ id, incident, job }: Place, member: MemberId, ...subjects: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const ids = subjects.map(() => NotificationId.make(crypto.randomUUID()))
    yield* (yield* OnCallStore).follow(id, job, ({ now: createdAt }) => ({
      added: {
        notifications: subjects.map(
          (subject, index) =>
            new Notification({
              id: ids[index] as NotificationId,
              member,
              incident,
              event: "opened",
              subject,
              text: `${subject}\n…`,
              createdAt,
              readAt: null
            })
        )
      },
      changed: {}
    }))
    return ids
  })

const decode = Json.decoder(Notification)

const list = ({ id }: Pick<Place, "id">, member: MemberId) =>
  Effect.map(inboxOf(id, member), (items) => items.map(decode))
const shown = (at: Pick<Place, "id">, member: MemberId) =>
  Effect.map(list(at, member), (all) =>
    all.map(({ readAt, subject }) => `${subject}${readAt === null ? "" : ", read"}`)
  )
const read = ({ id }: Pick<Place, "id">, member: MemberId, one: NotificationId | null = null) =>
  Effect.flatMap(Inbox, (inbox) => inbox.read(id, member, one))

/** Ages the stored notifications by days. */
const age = (days: number) =>
  Effect.flatMap(
    Effect.serviceOption(SqlClient.SqlClient),
    Option.match({
      onNone: () => TestClock.adjust(Duration.days(days)),
      onSome: (sql) =>
        Effect.orDie(
          sql.unsafe(`
            UPDATE notifications SET created_at = created_at - interval '${days} days',
              read_at = read_at - interval '${days} days'`)
        )
    })
  )

/** Asserts some fields of an object. */
const has = (actual: object | null | undefined, expected: object) =>
  assert.deepInclude(actual ?? {}, expected as Partial<object>)

export const inboxContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`Inbox (${adapter})`, (it) => {
    it.effect("lists a member's own, newest first, as their schema has them", () =>
      Effect.gen(function* () {
        const at = yield* place
        assert.deepStrictEqual(yield* list(at, at.ann), [])
        const [first, second] = yield* keep(at, at.ann, "one", "two")
        yield* keep(at, at.bob, "his")
        const [third] = yield* keep(at, at.ann, "three")
        const all = yield* list(at, at.ann)
        assert.deepStrictEqual(
          all.map(({ id }) => id),
          [third, second, first]
        )
        has(all[0], {
          member: at.ann,
          incident: at.incident,
          event: "opened",
          subject: "three",
          text: "three\n…",
          readAt: null
        })
        const inbox = yield* Inbox
        const page = yield* inbox.page(at.id, at.ann, { limit: 2, before: null })
        const rest = yield* inbox.page(at.id, at.ann, { limit: 2, before: page.next })
        assert.deepStrictEqual([page.count, rest.count, rest.next], [2, 1, null])
        assert.deepStrictEqual(
          [...Json.each(page.items), ...Json.each(rest.items)],
          all.map(Json.encoder(Notification))
        )
        assert.deepStrictEqual(yield* shown(at, at.bob), ["his"])
      })
    )

    it.effect("another workspace sees and reads nothing of this one", () =>
      Effect.gen(function* () {
        const [at, other] = [yield* place, yield* place]
        const [one] = yield* keep(at, at.ann, "one")
        assert.isDefined(one)
        assert.deepStrictEqual(yield* list(other, at.ann), [])
        assert.deepStrictEqual([yield* read(other, at.ann), yield* read(other, at.ann, one)], [0, 0])
        assert.deepStrictEqual(yield* list(other, other.ann), [])
        assert.deepStrictEqual(yield* shown(at, at.ann), ["one"])
      })
    )

    it.effect("one is read once, and only by whom it was told", () =>
      Effect.gen(function* () {
        const at = yield* place
        const [one] = yield* keep(at, at.ann, "one", "two")
        assert.isDefined(one)
        assert.strictEqual(yield* read(at, at.bob, one), 0)
        assert.strictEqual(yield* read(at, at.ann, NotificationId.make(crypto.randomUUID())), 0)
        assert.deepStrictEqual(yield* shown(at, at.ann), ["two", "one"])
        assert.strictEqual(yield* read(at, at.ann, one), 1)
        assert.deepStrictEqual(yield* shown(at, at.ann), ["two", "one, read"])
        const before = yield* list(at, at.ann)
        assert.strictEqual(yield* read(at, at.ann, one), 0)
        assert.deepStrictEqual(yield* list(at, at.ann), before)
      })
    )

    it.effect("all are read at once, of one member", () =>
      Effect.gen(function* () {
        const at = yield* place
        yield* keep(at, at.ann, "one", "two", "three")
        yield* keep(at, at.bob, "his")
        const [, two] = yield* list(at, at.ann)
        yield* read(at, at.ann, two?.id ?? null)
        assert.deepStrictEqual([yield* read(at, at.ann), yield* read(at, at.ann)], [2, 0])
        assert.deepStrictEqual(yield* shown(at, at.ann), ["three, read", "two, read", "one, read"])
        assert.deepStrictEqual(yield* shown(at, at.bob), ["his"])
      })
    )

    it.effect("of many that read all at once, each is counted once", () =>
      Effect.gen(function* () {
        const at = yield* place
        yield* keep(at, at.ann, ...Array.from({ length: 20 }, (_, index) => `word ${index}`))
        const counts = yield* Effect.replicateEffect(read(at, at.ann), 8, { concurrency: "unbounded" })
        assert.strictEqual(
          counts.reduce((sum, count) => sum + count, 0),
          20
        )
      })
    )

    it.effect("forgets what was read long ago, and never what was not read", () =>
      Effect.gen(function* () {
        const at = yield* place
        const inbox = yield* Inbox
        const [old] = yield* keep(at, at.ann, "read long ago", "unread")
        assert.isDefined(old)
        yield* read(at, at.ann, old)
        yield* age(5)
        const [young] = yield* keep(at, at.ann, "read lately")
        assert.isDefined(young)
        yield* read(at, at.ann, young)
        yield* age(24)
        yield* inbox.purge(30)
        assert.deepStrictEqual(yield* shown(at, at.ann), ["read lately, read", "unread", "read long ago, read"])
        yield* age(2)
        yield* inbox.purge(30)
        assert.deepStrictEqual(yield* shown(at, at.ann), ["read lately, read", "unread"])
        yield* age(400)
        yield* inbox.purge(30)
        assert.deepStrictEqual(yield* shown(at, at.ann), ["unread"])
      })
    )
  })
