import { inboxOf } from "../support/OnCall.ts"
import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import { keptRefusals, RefusedDelivery } from "../../domain/oncall/RefusedDelivery.ts"
import * as People from "../support/People.ts"
import type { Stores } from "../support/World.ts"
import * as At from "./scenes/OnCallScene.ts"
import { range } from "../support/Range.ts"

const atOnce = { concurrency: "unbounded" } as const

const notice = { subject: "A delivery was refused", text: "Look at it." }

const refuse = (place: At.Place, message: string, more: { readonly body?: string | null } = {}) =>
  Effect.flatMap(SignalStore, (store) =>
    store.refused(
      { workspace: place.id, source: place.source },
      { status: 400, code: "unreadable_alert", message, body: "{", ...more },
      notice
    )
  )

const decode = Json.decoder(RefusedDelivery)
const encode = Json.encoder(RefusedDelivery)

const page = (place: At.Place, limit: number, before: bigint | null = null) =>
  Effect.flatMap(SignalStore, (store) => store.refusedLedger(place.id, place.source.id, { limit, before }))

const ledger = (place: At.Place, most = 100) => Effect.map(page(place, most), ({ items }) => Json.each(items))

const messages = (place: At.Place) =>
  Effect.map(ledger(place), (items) => items.map((item) => (JSON.parse(item) as { message: string }).message))

export const refusedContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`refused deliveries (${adapter})`, (it) => {
    it.effect("are counted, with the last reason", () =>
      Effect.gen(function* () {
        const [place, other] = [yield* At.place, yield* At.place]
        yield* Effect.forEach(range(10), () => refuse(place, "a wrong signature"), atOnce)
        yield* refuse(place, "no signature")
        const refusals = yield* (yield* OnCallStore).refusals(place.id)
        assert.deepStrictEqual([...refusals.keys()], [place.source.id])
        const told = refusals.get(place.source.id)
        assert.deepStrictEqual([told?.count, told?.last], [11, "no signature"])
        assert.strictEqual((yield* (yield* OnCallStore).refusals(other.id)).size, 0)
      })
    )

    it.effect("are listed newest first, the last 50 of each source, as they were kept", () =>
      Effect.gen(function* () {
        const [place, other] = [yield* At.place, yield* At.place]
        for (const at of range(keptRefusals + 7)) yield* refuse(place, `refusal ${at}`)
        assert.deepStrictEqual(
          yield* messages(place),
          range(keptRefusals).map((back) => `refusal ${keptRefusals + 6 - back}`)
        )
        const first = yield* page(place, 3)
        const second = yield* page(place, keptRefusals, first.next)
        assert.deepStrictEqual([first.count, second.count, second.next], [3, keptRefusals - 3, null])
        assert.deepStrictEqual([...Json.each(first.items), ...Json.each(second.items)], yield* ledger(place))
        assert.deepStrictEqual(yield* ledger(other), [])
        yield* refuse(other, "another", { body: null })
        assert.deepStrictEqual(yield* messages(other), ["another"])
        assert.lengthOf(yield* ledger(place), keptRefusals)
        for (const item of yield* ledger(place, 2)) assert.strictEqual(encode(decode(item)), item)
      })
    )

    it.effect("that come at once are all counted, and no more than 50 are kept", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        yield* Effect.forEach(range(300), (at) => refuse(place, `refusal ${at}`), atOnce)
        yield* refuse(place, "the last")
        const kept = yield* messages(place)
        assert.strictEqual(kept[0], "the last")
        assert.isAtMost(kept.length, keptRefusals)
        assert.strictEqual(new Set(kept).size, kept.length)
        assert.strictEqual((yield* (yield* OnCallStore).refusals(place.id)).get(place.source.id)?.count, 301)
      })
    )

    it.effect("are told to owner and admins, once an hour for each source, and to nobody else", () =>
      Effect.gen(function* () {
        const [place, other] = [yield* At.place, yield* At.place]
        const [admin, member] = [yield* People.person(place.slug, "admin"), yield* People.person(place.slug, "member")]
        yield* Effect.forEach(range(20), () => refuse(place, "again"), atOnce)
        yield* refuse(place, "once more")
        const told = (person: typeof admin) =>
          Effect.map(inboxOf(person.workspace, person.member.id), (items) =>
            items.map((item) => JSON.parse(item) as { event: string; incident: null; subject: string })
          )
        for (const person of [place.owner, admin])
          assert.deepStrictEqual(
            (yield* told(person)).map(({ event, incident, subject }) => [event, incident, subject]),
            [["delivery_refused", null, notice.subject]]
          )
        for (const person of [member, other.owner]) assert.deepStrictEqual(yield* told(person), [])
        yield* At.ageing("source_refusals.noticed_at")(1)
        yield* refuse(place, "an hour later")
        yield* refuse(place, "and again")
        assert.lengthOf(yield* told(admin), 2)
      })
    )
  })
