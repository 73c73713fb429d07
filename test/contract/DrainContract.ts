import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { DeliveryId } from "../../domain/oncall/Delivery.ts"
import { triage } from "../../domain/oncall/Triage.ts"
import type { TriageSnapshot } from "../../domain/oncall/TriageBoard.ts"
import { fires, recovers } from "../domain/oncall/TriageScene.ts"
import type { Stores } from "../support/World.ts"
import * as At from "./scenes/OnCallScene.ts"
import { replaying } from "../support/Replaying.ts"
import { isLong } from "../support/Long.ts"
import { range, rounds } from "../support/Range.ts"

const atOnce = { concurrency: "unbounded" } as const

export const drainContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`judging (${adapter})`, (it) => {
    it.effect("however many drain at once, each delivery is judged once and on record once", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const store = yield* SignalStore
        // Later rounds find the connections already open, so the drains truly overlap.
        for (const round of rounds(6)) {
          yield* Effect.forEach(range(20), (index) => At.send(place, [fires(`cpu ${round} ${index}`)]))
          assert.strictEqual(yield* store.waiting, 20)
          const judged = yield* Effect.forEach(range(8), () => store.drain(5, triage), atOnce)
          const rest = yield* TriageWorker.drain()
          assert.strictEqual(
            judged.reduce((sum, one) => sum + one, rest),
            20
          )
          assert.strictEqual(yield* store.waiting, 0)
        }
        const count = 20 * rounds(6).length
        const all = yield* At.ledger(place)
        assert.strictEqual(
          all.filter(({ status, verdicts }) => status === "done" && verdicts.length === 1).length,
          count
        )
        assert.deepStrictEqual(new Set((yield* At.alerts(place)).map(({ count }) => count)), new Set([1]))
        assert.deepStrictEqual(
          (yield* At.incidents(place)).map((incident) => incident.alerts),
          [count]
        )
        const told = (yield* At.events(place)).filter((event) => /signal|incident/.test(event))
        assert.strictEqual(told.filter((event) => event === "signal_received").length, count)
        assert.strictEqual(told.filter((event) => event === "incident_opened").length, 1)
      })
    )

    it.effect("deliveries of two workspaces under one id are judged each by itself", () =>
      Effect.gen(function* () {
        const places = [yield* At.place, yield* At.place]
        const store = yield* SignalStore
        const id = crypto.randomUUID() as string as DeliveryId
        for (const { id: workspace, source } of places) {
          const delivery = { workspace, source: source.id, id, name: null, known: [], body: "{}" }
          yield* store.receive({ ...delivery, signals: [fires("cpu")] })
        }
        yield* store.drain(50, triage)
        const statuses = yield* Effect.forEach(places, (place) => Effect.map(At.ledger(place), (all) => all[0]?.status))
        assert.deepStrictEqual(statuses.toSorted(), ["done", "waiting"])
        yield* TriageWorker.drain()
        for (const place of places) assert.strictEqual((yield* At.incidents(place)).length, 1)
      })
    )

    it.effect("judges what waits, and leaves what comes meanwhile for the next time", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const store = yield* SignalStore
        for (const index of range(3)) yield* At.send(place, [fires(`cpu ${index}`)])
        const flooded = SignalStore.of({
          ...store,
          drain: (most, judge) =>
            Effect.zipRight(
              Effect.provideService(At.send(place, [fires("more")]), SignalStore, store),
              store.drain(Math.min(most, 2), judge)
            )
        })
        const judged = yield* Effect.provideService(TriageWorker.drain(), SignalStore, flooded)
        assert.deepStrictEqual([judged, yield* store.waiting], [4, 1])
        yield* TriageWorker.drain()
      })
    )

    it.effect("lets workspaces take turns, however much waits in one of them", () =>
      Effect.gen(function* () {
        const store = yield* SignalStore
        const [loud, quiet] = [yield* At.place, yield* At.place]
        for (const index of range(12)) yield* At.send(loud, [fires(`cpu ${index}`)])
        yield* At.send(quiet, [fires("cpu")])
        yield* store.drain(5, triage)
        yield* store.drain(5, triage)
        assert.deepStrictEqual(At.words(yield* At.ledger(quiet)), ["opened"])
        assert.strictEqual(At.words(yield* At.ledger(loud)).filter((word) => word === "").length, 7)
        yield* TriageWorker.drain()
      })
    )

    it.effect("judges in the order in which deliveries came, however many drain", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const store = yield* SignalStore
        for (const index of range(30)) yield* At.send(place, [index % 2 === 0 ? fires("cpu") : recovers("cpu")])
        yield* Effect.forEach(range(8), () => Effect.replicateEffect(store.drain(1, triage), 4), atOnce)
        yield* TriageWorker.drain()
        const [first, ...rest] = At.words(yield* At.ledger(place)).toReversed()
        assert.strictEqual(first, "opened")
        assert.deepStrictEqual(
          rest,
          range(29).map((index) => (index % 2 === 0 ? "recovered" : "joined"))
        )
        assert.strictEqual((yield* At.incidents(place)).length, 1)
      })
    )

    it.effect("judges one workspace at a time, each by what it has itself", () =>
      Effect.gen(function* () {
        const places = [yield* At.place, yield* At.place]
        for (const place of places) yield* At.send(place, [fires("cpu")])
        const store = yield* SignalStore
        const wards: Array<TriageSnapshot> = []
        const judge = (ward: TriageSnapshot) => {
          wards.push(ward)
          return triage(ward)
        }
        assert.deepStrictEqual([yield* store.drain(10, judge), yield* store.drain(10, judge)], [1, 1])
        assert.strictEqual(yield* store.drain(10, judge), 0)
        const seen = wards.map((ward) => ward.sources.map(({ id }) => id).join())
        assert.deepStrictEqual(
          [...new Set(seen)].toSorted(),
          places.map(({ source }) => source.id as string).toSorted()
        )
        for (const place of places) assert.deepStrictEqual(At.words(yield* At.ledger(place)), ["opened"])
      })
    )

    it.effect("a delivery in which an incident ends and the next begins is judged whole", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        yield* At.tell(place, fires("cpu"))
        yield* At.tell(place, recovers("cpu"), fires("disk"))
        yield* At.tell(place, recovers("disk"), fires("cpu"))
        assert.deepStrictEqual(At.words(yield* At.ledger(place)), ["recovered,joined", "recovered,opened", "opened"])
        assert.deepStrictEqual(
          (yield* At.incidents(place)).map(({ status }) => status),
          ["resolved", "open"]
        )
      })
    )

    it.effect("an incident that opens takes what still fires there, and nothing else", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const search = { ...place, source: yield* At.connect(place.id, "datadog", ["search"]) }
        const low = { severity: "low" } as const
        yield* At.tell(place, fires("disk", low), fires("net", low), fires("prod", { ...low, environment: "prod" }))
        yield* At.tell(place, recovers("net"), fires("try", { isTest: true }))
        yield* At.tell(search, fires("slow", low))
        yield* At.tell(place, fires("disk", low), fires("cpu"))
        const [incident] = yield* At.incidents(place)
        assert.deepStrictEqual(
          (yield* At.alerts(place)).map((alert) => [alert.fingerprint, alert.incident === incident?.key]),
          [
            ["cpu", true],
            ["slow", false],
            ["try", false],
            ["prod", false],
            ["net", false],
            ["disk", true]
          ]
        )
        assert.strictEqual(incident?.alerts, 2)
      })
    )

    const many = isLong ? 2500 : 1100
    it.effect("a storm in one delivery is judged whole, and what comes after it too", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        yield* At.send(
          place,
          range(many).map((index) => fires(`cpu ${index}`))
        )
        yield* At.tell(place, recovers("cpu 7"))
        const [last, storm] = At.words(yield* At.ledger(place))
        assert.deepStrictEqual([last, storm?.split(",").length], ["recovered", many])
        assert.strictEqual((yield* At.incidents(place))[0]?.alerts, many)
      })
    )

    it.effect("what still waits when its source or workspace is deleted comes to nothing", () =>
      Effect.gen(function* () {
        const [first, second] = [yield* At.place, yield* At.place]
        yield* At.send(first, [fires("cpu")])
        yield* At.send(second, [fires("cpu")])
        yield* Sources.remove(first.owner, "grafana", "grafana")
        yield* Workspaces.remove(bySystem, { slug: second.slug, confirm: second.slug })
        assert.strictEqual(yield* TriageWorker.drain(), 2)
        for (const place of [first, second]) {
          assert.deepStrictEqual(At.words(yield* At.ledger(place)), ["ignored"])
          assert.deepStrictEqual([yield* At.alerts(place), yield* At.incidents(place)], [[], []])
        }
      })
    )

    it.effect("a replay is judged once more, and keeps what was known when it came", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const other = yield* At.place
        const store = yield* SignalStore
        const known = [
          { verdict: "rejected", explanation: "Alert 1", fingerprint: null, alert: null, incident: null }
        ] as const
        const id = yield* At.send(place, [fires("cpu")], { known })
        const isGone = (workspace = place.id, delivery = id) =>
          Effect.map(Effect.either(store.replay(workspace, delivery, replaying)), ({ _tag }) => _tag === "Left")
        assert.isTrue(yield* isGone(), "it waits")
        yield* TriageWorker.drain()
        assert.isTrue(yield* isGone(other.id), "it is another workspace's")
        assert.isTrue(yield* isGone(place.id, At.newId()), "nobody knows it")
        yield* store.replay(place.id, id, replaying)
        const [waiting] = yield* At.ledger(place)
        assert.deepStrictEqual([waiting?.status, waiting?.verdicts], ["waiting", known])
        const told = (yield* At.entries(place)).at(-1)
        assert.deepStrictEqual([told?.event, told?.entity.name], ["signal_source_changed", "grafana"])
        yield* TriageWorker.drain()
        assert.deepStrictEqual(At.words(yield* At.ledger(place)), ["rejected,repeat"])
        assert.deepStrictEqual(
          (yield* At.alerts(place)).map(({ count }) => count),
          [1]
        )
        yield* store.purge(-1)
        assert.isTrue(yield* isGone(), "it was forgotten")
      })
    )
  })
