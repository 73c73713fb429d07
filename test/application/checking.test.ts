import { assert, describe, it } from "@effect/vitest"
import * as SqlClient from "@effect/sql/SqlClient"
import { Cause, Context, Duration, Effect, Exit, FiberSet, Layer, type Scope, TestClock } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as UptimeChecks from "../../application/oncall/UptimeChecks.ts"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import * as Intake from "../../application/oncall/Intake.ts"
import { CheckStore } from "../../application/ports/CheckStore.ts"
import { Outgoing, type Request, type Response, Unreachable } from "../../application/ports/Outgoing.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import * as UptimeCheck from "../../domain/oncall/UptimeCheck.ts"
import * as At from "../contract/scenes/OnCallScene.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import type { Stores } from "../support/World.ts"

const watch = (place: Pick<At.Place, "id">, name: string, given: Partial<UptimeCheck.Check> = {}) =>
  Effect.flatMap(UptimeCheck.make({ url: `https://${name}.example.com/health`, ...given }), (check) =>
    At.connect(place.id, name, ["checkout"], { kind: "uptime", check })
  ).pipe(Effect.orDie)

type Answering = (request: Request) => Effect.Effect<Response, Unreachable>

const answers =
  (status: number): Answering =>
  () =>
    Effect.succeed({ status, headers: {}, body: "" })

const unreachable =
  (problem: string, isForbidden = false): Answering =>
  ({ url }) =>
    new Unreachable({ host: new URL(url).host, problem, isForbidden })

/** Runs one round with these answers; returns the requests once all results are recorded. */
const round = (send: Answering) =>
  Effect.gen(function* () {
    const asked: Array<Request> = []
    const running = yield* FiberSet.make<void>()
    const world = { send: (request: Request) => Effect.suspend(() => (asked.push(request), send(request))) }
    yield* Effect.provideService(UptimeChecks.round(running), Outgoing, world)
    yield* FiberSet.awaitEmpty(running)
    return asked
  }).pipe(Effect.scoped)

/** A round, the triage of its signals, and a minute more. */
const minute = (send: Answering) =>
  round(send).pipe(Effect.zipLeft(TriageWorker.drain()), Effect.zipLeft(TestClock.adjust(Duration.minutes(1))))

const states = (at: At.Place) =>
  Effect.map(At.incidents(at), (all) => all.map(({ severity, status, title }) => [title, status, severity]))

/** With stores of its own, so that no other check is due. */
const alone = <E>(name: string, test: Effect.Effect<void, E, Stores | Scope.Scope>) =>
  it.scoped(name, () => Effect.provide(test, Memory.layer))

describe("uptime checks", () => {
  alone(
    "open an incident with the third failure in a row, and end it with the first answer",
    Effect.gen(function* () {
      const at = yield* At.place
      const source = yield* watch(at, "shop")
      yield* minute(answers(200))
      yield* minute(answers(503))
      yield* minute(unreachable("it refused the connection"))
      assert.deepStrictEqual(yield* states(at), [])
      yield* minute(answers(500))
      assert.deepStrictEqual(yield* states(at), [["shop is down", "open", "critical"]])
      const [alert] = yield* At.alerts(at)
      assert.deepStrictEqual(
        [alert?.description, alert?.links[0]?.url, alert?.source, alert?.service],
        ["answered 500, expected 200", "https://shop.example.com/health", "shop", "checkout"]
      )
      for (let failing = 0; failing < 6; failing++) yield* minute(answers(500))
      assert.strictEqual((yield* At.alerts(at))[0]?.count, 2)
      yield* minute(answers(200))
      yield* minute(answers(200))
      assert.deepStrictEqual(yield* states(at), [["shop is down", "resolved", "critical"]])
      assert.deepStrictEqual(At.words(yield* At.ledger({ ...at, source })), ["recovered", "repeat", "opened"])
    })
  )

  alone(
    "ask for the address as it was given, and no longer than they may",
    Effect.gen(function* () {
      const at = yield* At.place
      const url = "https://shop.example.com/health?key=S3CRET"
      yield* watch(at, "shop", { url, timeoutSeconds: 7 })
      const [request, ...more] = yield* round(answers(200))
      assert.deepStrictEqual(more, [])
      const headers = { "user-agent": "Gatehouse" }
      assert.deepStrictEqual(request, { method: "GET", url, headers, within: Duration.seconds(7) })
    })
  )

  alone(
    "take a redirect for an answer, and an address that is refused for a failure",
    Effect.gen(function* () {
      const at = yield* At.place
      const moved = yield* watch(at, "moved", { expectedStatus: 302, failuresBeforeFiring: 1 })
      const inside = yield* watch(at, "inside", { failuresBeforeFiring: 1 })
      const refuse = unreachable("it is not a public address", true)
      yield* round((request) => (request.url.includes("moved") ? answers(302)(request) : refuse(request)))
      const healths = yield* (yield* CheckStore).healths(at.id)
      assert.deepStrictEqual(
        [healths.get(moved.id)?.failures, healths.get(inside.id)?.lastProblem],
        [0, "cannot be reached: it is not a public address"]
      )
      yield* TriageWorker.drain()
      assert.deepStrictEqual(yield* states(at), [["inside is down", "open", "critical"]])
    })
  )

  alone(
    "of a paused source do not run, and run at once when it is resumed",
    Effect.gen(function* () {
      const at = yield* At.place
      yield* watch(at, "shop")
      assert.strictEqual((yield* minute(answers(200))).length, 1)
      yield* Sources.pause(at.owner, "shop")
      assert.deepStrictEqual(yield* minute(answers(200)), [])
      yield* Sources.resume(at.owner, "shop")
      assert.strictEqual((yield* minute(answers(200))).length, 1)
    })
  )

  alone(
    "do not hold each other up, and are twenty at once",
    Effect.gen(function* () {
      const at = yield* At.place
      const { healths } = yield* CheckStore
      const fast = yield* watch(at, "fast")
      yield* Effect.forEach(Array.from({ length: 24 }), (_, index) => watch(at, `slow-${index}`))
      let slow = 0
      const send: Answering = (request) => {
        if (request.url.includes("fast")) return answers(200)(request)
        slow++
        return Effect.never
      }
      const running = yield* FiberSet.make<void>()
      const turn = Effect.provideService(UptimeChecks.round(running), Outgoing, { send })
      yield* turn
      yield* Effect.repeat(Effect.zipRight(Effect.yieldNow(), healths(at.id)), {
        until: (all) => (all.get(fast.id)?.lastAt ?? null) !== null
      })
      assert.deepStrictEqual([slow, yield* FiberSet.size(running)], [19, 19])
      yield* turn
      yield* turn
      yield* Effect.repeat(Effect.yieldNow(), { until: () => slow === 20 })
      assert.strictEqual(yield* FiberSet.size(running), 20)
    })
  )

  alone(
    "go on when one of them breaks",
    Effect.gen(function* () {
      const at = yield* At.place
      const sound = yield* watch(at, "sound")
      yield* watch(at, "odd")
      yield* round((request) => (request.url.includes("odd") ? Effect.dieMessage("odd") : answers(200)(request)))
      assert.isNotNull((yield* (yield* CheckStore).healths(at.id)).get(sound.id)?.lastAt)
    })
  )

  alone(
    "take no posts",
    Effect.gen(function* () {
      const at = yield* At.place
      const { token } = yield* watch(at, "shop")
      assert.strictEqual((yield* Effect.flip(Intake.find(token)))._tag, "SourceNotFound")
      assert.strictEqual((yield* Intake.find(at.source.token)).kind, "generic")
    })
  )
})

it.scopedLive("two instances make each check once", () =>
  Effect.gen(function* () {
    const [one, two] = yield* Effect.flatMap(TestPostgres.instances(2), (layers) =>
      Effect.forEach(layers, (layer) => Layer.build(layer))
    )
    if (one === undefined || two === undefined) return assert.fail("there are two")
    const at = yield* Effect.provide(At.place, one)
    const names = Array.from({ length: 10 }, (_, index) => `shop-${index}`)
    yield* Effect.provide(
      Effect.forEach(names, (name) => watch(at, name)),
      one
    )
    const sql = Context.get(one, SqlClient.SqlClient)
    for (let turn = 0; turn < 4; turn++) {
      const asked: Array<string> = []
      const send: Answering = (request) => {
        asked.push(new URL(request.url).host.split(".")[0] ?? "")
        return answers(200)(request)
      }
      const both = Effect.forEach([one, two], (instance) => Effect.provide(round(send), instance), {
        concurrency: "unbounded"
      })
      while ((yield* both).flat().length > 0);
      assert.deepStrictEqual(asked.toSorted(), names)
      yield* sql`UPDATE uptime_states SET begun_at = begun_at - interval '60 seconds'`
    }
  })
)

it.scopedLive("a check that cannot be told is not recorded either", () =>
  Effect.gen(function* () {
    const at = yield* At.place
    const source = yield* watch(at, "shop")
    const { claim, healths, record } = yield* CheckStore
    yield* claim(1)
    const nowhere = { workspace: at.id, source: crypto.randomUUID() as string as typeof source.id }
    const delivery = { ...nowhere, id: At.newId(), name: null, signals: [], known: [], body: "{}" }
    const exit = yield* Effect.exit(
      record({ workspace: at.id, source: source.id }, (before, now) => ({
        health: { ...before, failures: 9, lastAt: now },
        delivery
      }))
    )
    assert.isTrue(Exit.isFailure(exit) && Cause.isDie(exit.cause))
    assert.deepStrictEqual((yield* healths(at.id)).get(source.id), UptimeCheck.unknown)
  }).pipe(Effect.provide(TestPostgres.layer))
)
