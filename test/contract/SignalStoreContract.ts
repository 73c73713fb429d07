import { assert, it } from "@effect/vitest"
import { Effect, Fiber, type Layer, Option, Stream } from "effect"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import * as Json from "../../application/ports/Json.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { DeliveryView, redacted } from "../../domain/oncall/Delivery.ts"
import { fires, recovers } from "../domain/oncall/TriageScene.ts"
import type { Stores } from "../support/World.ts"
import * as At from "./scenes/OnCallScene.ts"
import { replaying } from "../support/Replaying.ts"
import { range, rounds } from "../support/Range.ts"

const atOnce = { concurrency: "unbounded" } as const

const named = (place: At.Place, name: string) =>
  Effect.flatMap(SignalStore, (store) =>
    Effect.map(
      store.receive({
        workspace: place.id,
        source: place.source.id,
        id: At.newId(),
        name,
        signals: [fires("cpu")],
        known: [],
        body: "{}"
      }),
      ({ isDuplicate }) => isDuplicate
    )
  )

export const signalStoreContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`SignalStore (${adapter})`, (it) => {
    it.effect("knows the newest delivery of each source that sent any", () =>
      Effect.gen(function* () {
        const store = yield* SignalStore
        const place = yield* At.place
        const silent = yield* At.connect(place.id, "silent", [])
        assert.deepStrictEqual([...(yield* store.lastOfSources(place.id))], [])
        yield* At.send(place, [fires("cpu")])
        yield* At.send(place, [fires("disk")])
        const { items } = yield* store.ledger(place.id, place.source.id, { limit: 1, before: null })
        const [newest] = JSON.parse(items) as ReadonlyArray<typeof DeliveryView.Encoded>
        const lasts = yield* store.lastOfSources(place.id)
        assert.isFalse(lasts.has(silent.id))
        assert.strictEqual(
          Option.getOrNull(Option.fromNullable(lasts.get(place.source.id)))?.toJSON(),
          newest?.receivedAt
        )
      })
    )

    it.effect("counts the alerts of a source in an hour, whatever became of them", () =>
      Effect.gen(function* () {
        const store = yield* SignalStore
        const [first, second] = [yield* At.place, yield* At.place]
        assert.deepStrictEqual(yield* store.volume(first.id, first.source.id), [])
        yield* At.send(first, [fires("cpu"), fires("disk")])
        yield* At.send(first, [recovers("cpu")])
        yield* At.send(first, [])
        yield* At.send(second, [fires("cpu")])
        const counts = yield* store.volume(first.id, first.source.id)
        assert.strictEqual(
          counts.reduce((sum, { alerts }) => sum + alerts, 0),
          3
        )
        assert.isTrue(counts.every(({ alerts, hour }) => alerts > 0 && hour.epochMillis % 3_600_000 === 0))
        assert.deepStrictEqual(yield* store.volume(second.id, first.source.id), [])
      })
    )

    it.effect("finds a source at its address, unless it or its workspace was deleted", () =>
      Effect.gen(function* () {
        const store = yield* SignalStore
        const [first, second] = [yield* At.place, yield* At.place]
        const found = yield* store.find(first.source.token)
        assert.deepStrictEqual([found?.workspace, found?.source], [first.id, first.source])
        assert.isNull(yield* store.find("x".repeat(32)))
        const many = yield* Effect.forEach(range(20), () => store.find(second.source.token), atOnce)
        assert.deepStrictEqual(new Set(many.map((one) => one?.source.id)), new Set([second.source.id]))
        yield* Sources.remove(first.owner, "grafana", "grafana")
        assert.isNull(yield* store.find(first.source.token))
        yield* Workspaces.remove(bySystem, { slug: second.slug, confirm: second.slug })
        assert.isNull(yield* store.find(second.source.token))
      })
    )

    it.effect("lists what came newest first, as it was kept, and then with its verdicts", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const rejected = {
          verdict: "rejected",
          explanation: "Alert 1: no title",
          fingerprint: null,
          alert: null,
          incident: null
        } as const
        const body = JSON.stringify(redacted({ title: "\u0000 Ü", api_key: "hidden", inner: [{ Token: 7 }] }))
        const first = yield* At.send(place, [fires("cpu")], { body, known: [rejected] })
        const second = yield* At.send(place, [])
        const waiting = yield* At.ledger(place)
        assert.deepStrictEqual(
          waiting.map(({ id, source, status }) => [id, source, status]),
          [
            [second, "grafana", "waiting"],
            [first, "grafana", "waiting"]
          ]
        )
        assert.deepStrictEqual(waiting[1]?.body, {
          title: "\u0000 Ü",
          api_key: "<redacted>",
          inner: [{ Token: "<redacted>" }]
        })
        assert.deepStrictEqual(waiting[1]?.verdicts, [rejected])
        assert.strictEqual(yield* TriageWorker.drain(), 2)
        const [empty, judged] = yield* At.ledger(place)
        const [alert] = yield* At.alerts(place)
        assert.deepStrictEqual([empty?.status, empty?.verdicts], ["done", []])
        assert.deepStrictEqual(judged?.verdicts, [
          rejected,
          {
            verdict: "opened",
            explanation: `It opened ${alert?.incident}.`,
            fingerprint: "cpu",
            alert: alert?.id ?? null,
            incident: alert?.incident ?? null
          }
        ])
        assert.deepStrictEqual(yield* At.ledger(place, 1), [empty])
        const store = yield* SignalStore
        const page = yield* store.ledger(place.id, place.source.id, { limit: 1, before: null })
        const rest = yield* store.ledger(place.id, place.source.id, { limit: 1, before: page.next })
        assert.isNull(rest.next)
        const raw = [page, rest].flatMap(({ items }) => Json.each(items))
        assert.deepStrictEqual(
          raw.map((one) => JSON.parse(one)),
          raw.map((one) => JSON.parse(Json.encoder(DeliveryView)(Json.decoder(DeliveryView)(one))))
        )
      })
    )

    it.effect("a delivery whose name was seen within a day is only listed", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const other = { ...place, source: yield* At.connect(place.id, "datadog", ["checkout"]) }
        assert.deepStrictEqual(
          yield* Effect.all([named(place, "one"), named(place, "one"), named(place, "two"), named(other, "one")]),
          [false, true, false, false]
        )
        yield* TriageWorker.drain()
        assert.deepStrictEqual(
          (yield* At.ledger(place)).map(({ status }) => status),
          ["done", "duplicate", "done"]
        )
        assert.deepStrictEqual(At.words(yield* At.ledger(place)), ["repeat", "", "opened"])
        yield* At.age(23.9)
        assert.isTrue(yield* named(place, "one"))
        yield* At.age(0.2)
        assert.deepStrictEqual([yield* named(place, "one"), yield* named(place, "one")], [false, true])
        yield* At.age(24.1)
        yield* (yield* SignalStore).purge(30)
        assert.deepStrictEqual([yield* named(place, "one"), yield* named(place, "one")], [false, true])
      })
    )

    it.effect("of many with one name at once exactly one is new", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        for (const round of rounds(5)) {
          const many = yield* Effect.forEach(range(60), () => named(place, `round ${round}`), atOnce)
          assert.strictEqual(many.filter((isDuplicate) => !isDuplicate).length, 1)
        }
        assert.strictEqual(yield* TriageWorker.drain(), rounds(5).length)
      })
    )

    it.effect("keeps every one of many that come at once", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const sent = yield* Effect.forEach(range(200), (index) => At.send(place, [fires(`cpu ${index}`)]), atOnce)
        const kept = yield* At.ledger(place)
        assert.deepStrictEqual(kept.map(({ id }) => id).toSorted(), sent.toSorted())
        assert.strictEqual(yield* TriageWorker.drain(), 200)
      })
    )

    it.effect("forgets bodies and what they said after so many days, but never verdicts or what waits", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const store = yield* SignalStore
        yield* At.tell(place, fires("cpu"))
        yield* At.age(24 * 30 - 1)
        yield* store.purge(30)
        assert.deepStrictEqual((yield* At.ledger(place))[0]?.body, {})
        yield* At.age(2)
        yield* At.send(place, [fires("disk")])
        yield* At.age(24 * 31)
        yield* store.purge(30)
        const [waiting, done] = yield* At.ledger(place)
        assert.deepStrictEqual([waiting?.status, waiting?.body], ["waiting", {}])
        assert.deepStrictEqual([done?.body, done?.verdicts.length], [null, 1])
        yield* TriageWorker.drain()
        assert.deepStrictEqual(At.words(yield* At.ledger(place)), ["joined", "opened"])
      })
    )

    it.effect("says a word when something came, and when something is to be judged once more", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const store = yield* SignalStore
        const id = yield* At.tell(place, fires("cpu"))
        const again = Effect.zipRight(
          TriageWorker.drain(),
          Effect.catchTag(store.replay(place.id, id, replaying), "DeliveryNotFound", () => Effect.void)
        )
        for (const use of [At.send(place, []), again]) {
          const listening = yield* Effect.fork(Stream.runHead(store.arrivals))
          // Nothing signals when the listener starts.
          yield* Effect.repeat(use.pipe(Effect.zipRight(Effect.yieldNow()), Effect.zipRight(Fiber.poll(listening))), {
            until: Option.isSome
          })
          assert.isTrue(Option.isSome(yield* Fiber.join(listening)))
        }
      })
    )

    it.effect("shows nobody the deliveries of another workspace", () =>
      Effect.gen(function* () {
        const [place, other] = [yield* At.place, yield* At.place]
        yield* At.tell(place, fires("cpu"))
        assert.deepStrictEqual(yield* At.ledger({ id: other.id, source: place.source }), [])
        yield* At.tell(other, recovers("cpu"))
        assert.deepStrictEqual(At.words(yield* At.ledger(other)), ["nothing_to_recover"])
        assert.strictEqual((yield* At.alerts(place))[0]?.status, "firing")
      })
    )
  })
