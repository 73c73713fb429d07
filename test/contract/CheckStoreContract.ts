import * as SqlClient from "@effect/sql/SqlClient"
import { assert, it } from "@effect/vitest"
import { type DateTime, Duration, Effect, Fiber, type Layer, Option, Stream, TestClock } from "effect"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import { CheckStore } from "../../application/ports/CheckStore.ts"
import { type Received, SignalStore } from "../../application/ports/SignalStore.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { SignalSource } from "../../domain/oncall/SignalSource.ts"
import * as UptimeCheck from "../../domain/oncall/UptimeCheck.ts"
import { fires } from "../domain/oncall/TriageScene.ts"
import type { Stores } from "../support/World.ts"
import * as At from "./scenes/OnCallScene.ts"
import { range, rounds } from "../support/Range.ts"

const atOnce = { concurrency: "unbounded" } as const

const url = "https://shop.example.com/health?key=hidden"

/** A source of the workspace that checks an address. */
const watch = (place: Pick<At.Place, "id">, name: string, given: Partial<UptimeCheck.Check> = {}) =>
  Effect.flatMap(UptimeCheck.make({ url, ...given }), (check) =>
    At.connect(place.id, name, ["checkout"], { kind: "uptime", check })
  ).pipe(Effect.orDie)

const claimAll = Effect.flatMap(CheckStore, (store) => store.claim(10_000))

/** The names of the workspace's checks that it claims. */
const claimed = ({ id }: Pick<At.Place, "id">) =>
  Effect.map(claimAll, (due) => due.flatMap(({ name, workspace }) => (workspace === id ? [name] : [])).toSorted())

/** Lets seconds pass since the checks began. */
const pass = (seconds: number) =>
  Effect.flatMap(
    Effect.serviceOption(SqlClient.SqlClient),
    Option.match({
      onNone: () => TestClock.adjust(Duration.seconds(seconds)),
      onSome: (sql) =>
        Effect.orDie(sql.unsafe(`UPDATE uptime_states SET begun_at = begun_at - interval '${seconds} seconds'`))
    })
  )

const of = (place: Pick<At.Place, "id">, { id }: SignalSource) => ({ workspace: place.id, source: id })

const firing = (place: Pick<At.Place, "id">, source: SignalSource): Received => ({
  ...of(place, source),
  id: At.newId(),
  name: null,
  signals: [fires("uptime", { severity: "critical" })],
  known: [],
  body: "{}"
})

/** One more failure, with this delivery or none. */
const failed =
  (delivery: Received | null = null) =>
  (before: UptimeCheck.Health, now: DateTime.Utc) => ({
    health: {
      failures: before.failures + 1,
      failingSince: before.failingSince ?? now,
      toldAt: delivery && now,
      lastAt: now,
      lastProblem: `failure ${before.failures + 1}`
    },
    delivery
  })

const healthOf = (place: Pick<At.Place, "id">, { id }: SignalSource) =>
  Effect.map(
    Effect.flatMap(CheckStore, (store) => store.healths(place.id)),
    (healths) => healths.get(id)
  )

export const checkStoreContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`CheckStore (${adapter})`, (it) => {
    it.effect("a check is due at once, and again when its interval has passed", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        yield* watch(place, "often")
        const rare = yield* watch(place, "rare", { intervalSeconds: 90, expectedStatus: 204 })
        const due = (yield* claimAll).filter(({ workspace }) => workspace === place.id)
        assert.sameMembers(
          due.map(({ name }) => name),
          ["often", "rare"]
        )
        assert.deepStrictEqual(
          due.find(({ name }) => name === "rare"),
          { ...of(place, rare), name: "rare", check: rare.check ?? assert.fail("nothing is checked") }
        )
        assert.deepStrictEqual(yield* claimed(place), [])
        yield* pass(59)
        assert.deepStrictEqual(yield* claimed(place), [])
        yield* pass(1)
        assert.deepStrictEqual(yield* claimed(place), ["often"])
        yield* pass(60)
        assert.deepStrictEqual(yield* claimed(place), ["often", "rare"])
        assert.deepStrictEqual(yield* claimed(place), [])
      })
    )

    it.effect("one that is changed or resumed is due at once; one that is paused or deleted never is", () =>
      Effect.gen(function* () {
        const [place, other] = [yield* At.place, yield* At.place]
        yield* watch(place, "shop", { intervalSeconds: 86_400 })
        yield* watch(other, "shop")
        assert.deepStrictEqual([yield* claimed(place), yield* claimed(other)], [["shop"], []])
        yield* pass(1)
        yield* Sources.set(place.owner, "shop", {
          services: null,
          isTimestampRequired: null,
          check: { intervalSeconds: 60 }
        })
        assert.deepStrictEqual(yield* claimed(place), ["shop"])
        assert.deepStrictEqual(yield* claimed(place), [])
        yield* Sources.pause(place.owner, "shop")
        yield* pass(600)
        assert.deepStrictEqual(yield* claimed(place), [])
        yield* Sources.resume(place.owner, "shop")
        assert.deepStrictEqual(yield* claimed(place), ["shop"])
        yield* pass(600)
        yield* Sources.remove(place.owner, "shop", "shop")
        yield* Workspaces.remove(bySystem, { slug: other.slug, confirm: other.slug })
        assert.deepStrictEqual([yield* claimed(place), yield* claimed(other)], [[], []])
      })
    )

    it.effect("takes no more than it is asked to, those that wait longest first", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const { claim } = yield* CheckStore
        yield* watch(place, "second", { intervalSeconds: 30 })
        yield* watch(place, "first", { intervalSeconds: 30 })
        yield* claimAll
        yield* pass(5)
        yield* Sources.set(place.owner, "second", { services: [], isTimestampRequired: null })
        yield* claimAll
        yield* pass(30)
        yield* watch(place, "new")
        const next = Effect.map(claim(1), (due) => due.map(({ name }) => name))
        assert.deepStrictEqual(yield* Effect.all([next, next, next, next]), [["new"], ["first"], ["second"], []])
      })
    )

    it.effect("of many that ask at once exactly one gets each check", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const many = range(8).map((index) => `check ${index}`)
        const turn = Effect.map(
          Effect.forEach(range(10), () => claimed(place), atOnce),
          (taken) => taken.flat().toSorted()
        )
        yield* Effect.forEach(many, (name) => watch(place, name))
        assert.deepStrictEqual(yield* turn, many)
        for (const _ of range(8)) {
          yield* pass(60)
          assert.deepStrictEqual(yield* turn, many)
        }
        for (const round of range(3)) {
          const fresh = many.map((name) => `${name} of round ${round}`)
          yield* Effect.forEach(fresh, (name) => watch(place, name))
          assert.deepStrictEqual(yield* turn, fresh)
        }
      })
    )

    it.effect("keeps how a check went", () =>
      Effect.gen(function* () {
        const [place, other] = [yield* At.place, yield* At.place]
        const source = yield* watch(place, "shop")
        const { healths, record } = yield* CheckStore
        assert.deepStrictEqual([...(yield* healths(place.id))], [])
        yield* claimAll
        assert.deepStrictEqual([...(yield* healths(place.id))], [[source.id, UptimeCheck.unknown]])
        const seen: Array<DateTime.Utc> = []
        const judge = (before: UptimeCheck.Health, now: DateTime.Utc) => {
          seen.push(now)
          return failed()(before, now)
        }
        yield* record(of(place, source), judge)
        yield* record(of(place, source), judge)
        assert.deepStrictEqual(yield* healthOf(place, source), {
          failures: 2,
          failingSince: seen[0] ?? null,
          toldAt: null,
          lastAt: seen[1] ?? null,
          lastProblem: "failure 2"
        })
        assert.deepStrictEqual(yield* At.ledger({ id: place.id, source }), [])
        yield* record(of(place, source), () => ({ health: UptimeCheck.unknown, delivery: null }))
        assert.deepStrictEqual(yield* healthOf(place, source), UptimeCheck.unknown)
        assert.strictEqual((yield* healths(other.id)).size, 0)
      })
    )

    it.effect("what is to be told waits to be judged, and wakes whoever judges", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const source = yield* watch(place, "shop")
        yield* claimAll
        const { record } = yield* CheckStore
        const { arrivals } = yield* SignalStore
        const delivery = firing(place, source)
        yield* record(of(place, source), failed(delivery))
        const [waiting] = yield* At.ledger({ id: place.id, source })
        assert.deepStrictEqual([waiting?.id, waiting?.status, waiting?.source], [delivery.id, "waiting", "shop"])
        assert.strictEqual(yield* TriageWorker.drain(), 1)
        assert.deepStrictEqual(At.words(yield* At.ledger({ id: place.id, source })), ["opened"])

        const listening = yield* Effect.fork(Stream.runHead(arrivals))
        const tell = Effect.suspend(() => record(of(place, source), failed(firing(place, source))))
        // Nothing signals when the listener starts.
        yield* Effect.repeat(tell.pipe(Effect.zipRight(Effect.yieldNow()), Effect.zipRight(Fiber.poll(listening))), {
          until: Option.isSome
        })
        assert.isTrue(Option.isSome(yield* Fiber.join(listening)))
      })
    )

    it.effect("of many that go wrong at once every one counts", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const source = yield* watch(place, "shop")
        yield* claimAll
        const { record } = yield* CheckStore
        for (const round of rounds(5)) {
          yield* Effect.forEach(range(8), () => record(of(place, source), failed()), atOnce)
          assert.strictEqual((yield* healthOf(place, source))?.failures, (round + 1) * 8)
        }
      })
    )

    it.effect("nothing is kept of one whose source was paused or deleted meanwhile", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const source = yield* watch(place, "shop")
        yield* claimAll
        const { record } = yield* CheckStore
        const late = Effect.suspend(() => record(of(place, source), failed(firing(place, source))))
        yield* Sources.pause(place.owner, "shop")
        yield* late
        yield* Sources.resume(place.owner, "shop")
        yield* Sources.remove(place.owner, "shop", "shop")
        yield* late
        assert.deepStrictEqual(yield* healthOf(place, source), UptimeCheck.unknown)
        assert.deepStrictEqual(yield* At.ledger({ id: place.id, source }), [])
      })
    )
  })
