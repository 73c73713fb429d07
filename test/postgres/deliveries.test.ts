import { SqlClient, SqlError } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { lock } from "../../adapters/postgres/context/OnCallLock.ts"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import { triage } from "../../domain/oncall/Triage.ts"
import type { TriageSnapshot } from "../../domain/oncall/TriageBoard.ts"
import * as At from "../contract/scenes/OnCallScene.ts"
import { fires, recovers } from "../domain/oncall/TriageScene.ts"
import { explaining, plansOf, rowsRead } from "../support/Plan.ts"
import { crowdOnCall } from "../support/CrowdOnCall.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { replaying } from "../support/Replaying.ts"
import { range } from "../support/Range.ts"
import { long } from "../support/Long.ts"

const statuses = (place: At.Place) =>
  Effect.map(At.ledger(place), (all) => all.map(({ status }) => status).toReversed())

/** Fails for every delivery about `bad`. */
const failing =
  (defect: unknown) =>
  (ward: TriageSnapshot): ReturnType<typeof triage> => {
    if (ward.arrivals.some(({ signals }) => signals.some(({ fingerprint }) => fingerprint === "bad"))) throw defect
    return triage(ward)
  }

it.layer(Layer.provide(TestPostgres.layer, explaining), { timeout: "60 seconds" })("deliveries on Postgres", (it) => {
  it.effect("one that cannot be judged is set aside, the others go on, and it can be judged later", () =>
    Effect.gen(function* () {
      const place = yield* At.place
      const store = yield* SignalStore
      yield* At.send(place, [fires("cpu")])
      const bad = yield* At.send(place, [fires("disk"), fires("bad")])
      yield* At.send(place, [recovers("cpu")])
      let judged = 0
      for (let last = -1; last !== 0; judged += last) last = yield* store.drain(10, failing(new TypeError("a bug")))
      assert.deepStrictEqual([judged, yield* statuses(place)], [3, ["done", "failed", "done"]])
      assert.deepStrictEqual(
        (yield* At.alerts(place)).map(({ fingerprint, status }) => [fingerprint, status]),
        [["cpu", "resolved"]]
      )
      yield* store.replay(place.id, bad, replaying)
      yield* TriageWorker.drain()
      assert.deepStrictEqual(yield* statuses(place), ["done", "done", "done"])
      assert.deepStrictEqual(
        (yield* At.incidents(place)).map(({ alerts, status }) => [alerts, status]),
        [
          [2, "open"],
          [1, "resolved"]
        ]
      )
    })
  )

  it.effect("trouble of the database is no fault of a delivery, which waits", () =>
    Effect.gen(function* () {
      const place = yield* At.place
      const store = yield* SignalStore
      yield* At.send(place, [fires("bad")])
      for (const code of ["57014", "42P01", "XX000"]) {
        const trouble = new SqlError.SqlError({ cause: { code }, message: "trouble" })
        for (const most of [1, 10])
          assert.isTrue(Exit.isFailure(yield* Effect.exit(store.drain(most, failing(trouble)))), code)
      }
      assert.deepStrictEqual(yield* statuses(place), ["waiting"])
      const unwritable = new SqlError.SqlError({ cause: { code: "22P05" }, message: "no such character" })
      assert.strictEqual(yield* store.drain(10, failing(unwritable)), 1)
      assert.deepStrictEqual(yield* statuses(place), ["failed"])
    })
  )

  it.effect("what is stored in a form that nobody can read any more is told so, and holds up nothing", () =>
    Effect.gen(function* () {
      const place = yield* At.place
      const sql = yield* SqlClient.SqlClient
      const id = yield* At.send(place, [fires("cpu")])
      yield* At.send(place, [fires("disk")])
      yield* sql`UPDATE deliveries SET signals = '[{"of": "old"}]' WHERE id = ${id}`
      yield* TriageWorker.drain()
      yield* (yield* SignalStore).replay(place.id, id, replaying)
      yield* TriageWorker.drain()
      assert.deepStrictEqual(
        (yield* At.ledger(place)).map(({ verdicts }) => verdicts.map(({ verdict }) => verdict)),
        [["opened"], ["rejected"]]
      )
    })
  )

  it.effect("one that cannot be stored does not keep those that come with it from being stored", () =>
    Effect.gen(function* () {
      const place = yield* At.place
      const exits = yield* Effect.forEach(
        range(20),
        (index) => Effect.exit(At.send(place, [fires(index === 7 ? "\0" : "cpu")])),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        exits.map(Exit.isSuccess),
        range(20).map((index) => index !== 7)
      )
      assert.strictEqual(yield* TriageWorker.drain(), 19)
    })
  )

  it.effect("while a workspace is changed its deliveries wait, and those of others do not", () =>
    Effect.gen(function* () {
      const [held, other] = [yield* At.place, yield* At.place]
      const sql = yield* SqlClient.SqlClient
      const store = yield* SignalStore
      for (const place of [held, other]) yield* At.send(place, [fires("cpu")])
      const [isHeld, isOver] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holding = yield* Effect.gen(function* () {
        yield* sql.unsafe(`SELECT ${lock("$1::text")}`, [held.id])
        yield* Deferred.succeed(isHeld, undefined)
        yield* Deferred.await(isOver)
      }).pipe(sql.withTransaction, Effect.fork)
      yield* Deferred.await(isHeld)
      assert.deepStrictEqual([yield* store.drain(10, triage), yield* store.drain(10, triage)], [1, 0])
      assert.deepStrictEqual([yield* statuses(held), yield* statuses(other)], [["waiting"], ["done"]])
      yield* Deferred.succeed(isOver, undefined)
      yield* Fiber.join(holding)
      assert.strictEqual(yield* store.drain(10, triage), 1)
    })
  )

  long(() => {
    it.effect("judging one delivery reads what it needs, however much there is", () =>
      Effect.gen(function* () {
        const place = yield* At.place
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe(crowdOnCall(place.id, place.source.id)).pipe(sql.withTransaction)
        yield* At.send(place, [fires("alert 7"), recovers("alert 8"), fires("new")])
        const store = yield* SignalStore
        const seen = new SqlError.SqlError({ cause: { code: "57014" }, message: "seen" })
        const look = Effect.exit(
          store.drain(1, () => {
            throw seen
          })
        )
        const plans = yield* plansOf(look)
        const few: ReadonlySet<string> = new Set(["services", "signal_sources", "teams", "workspaces"])
        assert.strictEqual(plans.length, 3)
        for (const plan of plans) {
          const many = plan.filter((node) => !few.has(node["Relation Name"] ?? ""))
          assert.notInclude(
            many.map((node) => node["Node Type"]),
            "Seq Scan"
          )
          assert.isAtMost(rowsRead(many), 60)
        }
        yield* TriageWorker.drain()
        assert.deepStrictEqual(
          (yield* At.ledger(place, 1))[0]?.verdicts.map(({ verdict }) => verdict),
          ["joined", "nothing_to_recover", "joined"]
        )
      })
    )
  })
})
