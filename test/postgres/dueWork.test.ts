import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { looked } from "../../adapters/postgres/stores/PgDueWork.ts"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import { CheckStore } from "../../application/ports/CheckStore.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Scheduler from "../../application/work/Scheduler.ts"
import * as UptimeCheck from "../../domain/oncall/UptimeCheck.ts"
import * as At from "../contract/scenes/OnCallScene.ts"
import { inMinutes, pass, putIn, settle, take } from "../contract/scenes/JobScene.ts"
import { fires } from "../domain/oncall/TriageScene.ts"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"

const due = Effect.map(looked, (all) => Object.entries(all).flatMap(([kind, isDue]) => (isDue ? [kind] : [])))

const assertDue = (...kinds: Array<string>) => Effect.map(due, (found) => assert.deepStrictEqual(found, kinds))

const decision = { kind: "plan_approval", team: "payments", title: "?", recommendation: "yes", options: Seed.options }

it.layer(TestPostgres.layer, { timeout: "60 seconds" })("the look for due work", (it) => {
  it.effect("finds a decision whose deadline has passed, and none before", () =>
    Effect.gen(function* () {
      const { slug } = yield* At.place
      yield* Seed.load(slug, { decisions: [decision] })
      yield* assertDue()
      yield* Seed.load(slug, { decisions: [{ ...decision, expiresAt: "2026-01-01" }] })
      yield* assertDue("decisions")
      yield* Decisions.expireDue()
      yield* assertDue()
    })
  )

  it.effect("finds a Ready story of a team with room", () =>
    Effect.gen(function* () {
      const { slug } = yield* At.place
      yield* Seed.load(slug, { stories: [{ team: "payments", title: "A" }] })
      yield* assertDue()
      yield* Seed.load(slug, { stories: [{ team: "payments", title: "B", column: { role: "ready" } }] })
      yield* assertDue("scheduling")
      yield* Scheduler.tick()
      yield* settle
      yield* assertDue()
    })
  )

  it.effect("finds an uptime check that nobody has claimed", () =>
    Effect.gen(function* () {
      const place = yield* At.place
      const check = yield* UptimeCheck.make({ url: "https://shop.example.com/health" })
      yield* At.connect(place.id, "shop", ["checkout"], { kind: "uptime", check })
      yield* assertDue("uptimeChecks")
      yield* Effect.flatMap(CheckStore, (store) => store.claim(100))
      yield* assertDue()
    })
  )

  it.effect("finds a delivery that waits", () =>
    Effect.gen(function* () {
      const place = yield* At.place
      yield* At.send(place, [fires("cpu", { severity: "low" })])
      yield* assertDue("deliveries")
      yield* TriageWorker.drain()
      yield* settle
      yield* assertDue()
    })
  )

  it.effect("finds a queued job that is due and a running one whose lease has lapsed", () =>
    Effect.gen(function* () {
      const place = yield* At.place
      yield* putIn(place, [null], { dueAt: yield* inMinutes(place, 60) })
      yield* assertDue()
      yield* pass(61)
      yield* assertDue("jobs")
      yield* take()
      yield* assertDue()
      yield* pass(60 * 25)
      yield* assertDue("jobs")
      yield* take()
      yield* settle
      yield* assertDue()
    })
  )
})
