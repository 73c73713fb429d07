import { inboxOf } from "../support/OnCall.ts"
import { eventsOf, has, jobsOf } from "./Aftermath.ts"
import { assert, layer as suite } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import { Inbox } from "../../application/ports/Inbox.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import * as FollowIncident from "../../application/oncall/FollowIncident.ts"
import * as Places from "../../application/oncall/Places.ts"
import * as Services from "../../application/oncall/Services.ts"
import * as Equipment from "../support/Equipment.ts"
import { isLong } from "../support/Long.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ann, at, desk, outlets, team, worker } from "./Desk.ts"
import * as Queue from "../jobs/Queue.ts"

const adapters = [
  ["memory", Memory.layer],
  ["postgres", TestPostgres.layer]
] as const

for (const [adapter, stores] of isLong ? adapters : adapters.slice(0, 1))
  suite(Layer.merge(stores, Equipment.layer), { timeout: "60 seconds", excludeTestServices: true })(
    `what follows an incident (${adapter})`,
    (it) => {
      it.effect("members and places are told that it opened and that it is over, each once", () =>
        Effect.gen(function* () {
          const outside = outlets()
          const [one, work] = [yield* desk(), worker()]
          yield* Effect.gen(function* () {
            yield* one.set({ notify: [ann, "owner@acme.test"] })
            yield* one.fires("cpu")
            yield* work
            yield* work
            yield* one.recovers("cpu")
            yield* work
          }).pipe(Effect.provide(at(outside)))
          for (const to of [ann, "owner@acme.test", "/ops", "/chat"])
            assert.deepStrictEqual(eventsOf(outside.to(to)), ["opened", "resolved"], to)
          assert.strictEqual(new Set(outside.sent.map(({ message }) => message.id)).size, 8)
          const key = (yield* one.incidents)[0]?.key
          const [first] = outside.to("/ops")
          has(first?.message.notice.incident, {
            key,
            severity: "critical",
            title: "cpu is wrong",
            service: "checkout",
            alerts: 1,
            firing: 1,
            url: `http://localhost:3000/${one.slug}/incidents/${key}`
          })
          assert.deepStrictEqual(first?.message.notice.notified.toSorted(), ["Ann", "Olga Owner"])
          assert.include(first?.message.text, "https://board.example.com/cpu")
          const inbox = yield* Inbox
          const { members } = yield* (yield* OnCallStore).look(one.workspace)
          const annId = members.find(({ email }) => email === ann)?.id as never
          const kept = (yield* inboxOf(one.workspace, annId)).map((json) => JSON.parse(json) as { event: string })
          assert.deepStrictEqual(
            kept.map(({ event }) => event),
            ["resolved", "opened"]
          )
          assert.strictEqual(yield* inbox.read(one.workspace, annId, null), 2)
          assert.strictEqual(yield* inbox.read(one.workspace, annId, null), 0)
          yield* inbox.purge(1)
          assert.strictEqual((yield* inboxOf(one.workspace, annId)).length, 2)
        })
      )

      it.effect("nobody is told who is not chosen, and nothing is posted where it is not wanted", () =>
        Effect.gen(function* () {
          const outside = outlets()
          const [one, work] = [yield* desk(), worker()]
          yield* Effect.gen(function* () {
            yield* one.fires("cpu")
            yield* work
            assert.deepStrictEqual(outside.sent.map(({ to }) => to).toSorted(), [
              "https://chat.example.com/chat",
              "https://chat.example.com/ops"
            ])
            yield* one.set({ places: ["ops"] })
            yield* one.fires("mem", { environment: "prod" })
            yield* work
            yield* one.set({ places: [] })
            yield* one.fires("net", { environment: "test" })
            yield* work
          }).pipe(Effect.provide(at(outside)))
          assert.deepStrictEqual(
            [outside.to("/ops").length, outside.to("/chat").length, outside.sent.length],
            [2, 1, 3]
          )
        })
      )

      it.effect("what is down gets everything in order when it is back, under the ids of the first try", () =>
        Effect.gen(function* () {
          const outside = outlets()
          const [one, work] = [yield* desk(), worker()]
          outside.broken.add(ann).add("https://chat.example.com/ops")
          yield* Effect.gen(function* () {
            yield* one.set({ notify: [ann] })
            yield* one.fires("cpu")
            yield* work
            yield* one.recovers("cpu")
            yield* work
            assert.deepStrictEqual(eventsOf(outside.to("/chat")), ["opened", "resolved"])
            assert.deepStrictEqual([outside.to("/ops"), outside.to(ann)], [[], []])
            outside.broken.clear()
            yield* work
          }).pipe(Effect.provide(at(outside)))
          assert.deepStrictEqual(eventsOf(outside.to("/ops")), ["opened", "resolved"])
          assert.deepStrictEqual(eventsOf(outside.to(ann)), ["opened", "resolved"])
          const jobs = yield* jobsOf(one.workspace)
          assert.deepStrictEqual([...new Set(jobs.map(({ status }) => status))], ["done"])
        })
      )

      it.effect("a place that is gone for good holds up nobody", () =>
        Effect.gen(function* () {
          const outside = outlets()
          const [one, work] = [yield* desk(), worker()]
          outside.wrong.add("https://chat.example.com/ops")
          yield* Effect.gen(function* () {
            yield* one.fires("cpu")
            yield* work
            yield* Places.remove(one.owner, team, "chat")
            yield* one.recovers("cpu")
            yield* work
          }).pipe(Effect.provide(at(outside)))
          const failed = (yield* jobsOf(one.workspace)).filter(({ status }) => status === "failed")
          assert.deepStrictEqual(
            failed.map(({ error, kind }) => [kind, error]),
            [
              ["post_to_place", "410"],
              ["post_to_place", "410"]
            ]
          )
          assert.deepStrictEqual(eventsOf(outside.to("/chat")), ["opened"])
        })
      )

      it.effect("what is new of a storm waits for the rest of it", () =>
        Effect.gen(function* () {
          const outside = outlets()
          const [one, work] = [yield* desk(), worker()]
          yield* Effect.gen(function* () {
            yield* one.fires("host-0", { severity: "high" })
            yield* work
            for (let host = 1; host < 20; host++) yield* one.fires(`host-${host}`)
            yield* work
          }).pipe(Effect.provide(at(outside)))
          assert.deepStrictEqual(eventsOf(outside.to("/ops")), ["opened"])
          const waiting = (yield* jobsOf(one.workspace)).filter(({ status }) => status === "queued")
          assert.deepStrictEqual(
            waiting.map(({ kind, payload }) => [kind, payload["event"]]),
            [["follow_incident", "updated"]]
          )
          // As if its time had come.
          const job = (yield* Queue.all(one.workspace)).find(({ id }) => id === waiting[0]?.id)
          yield* Effect.gen(function* () {
            if (job !== undefined) yield* FollowIncident.follow({ workspace: one.workspace, job })
            yield* work
          }).pipe(Effect.provide(at(outside)))
          assert.deepStrictEqual(eventsOf(outside.to("/ops")), ["opened", "updated"])
          has(outside.to("/ops")[1]?.message.notice.incident, { severity: "critical", alerts: 20, firing: 20 })
        })
      )

      it.effect("an incident that ends with its service is told as over", () =>
        Effect.gen(function* () {
          const outside = outlets()
          const [one, work] = [yield* desk(), worker()]
          yield* Effect.gen(function* () {
            yield* one.fires("cpu")
            yield* work
            yield* Services.remove(one.owner, "checkout", "checkout")
            yield* work
          }).pipe(Effect.provide(at(outside)))
          assert.deepStrictEqual(eventsOf(outside.to("/ops")), ["opened", "resolved"])
        })
      )

      it.effect("one that comes back is told to members at once; further reopenings are folded into one notice", () =>
        Effect.gen(function* () {
          const outside = outlets()
          const [one, work] = [yield* desk(), worker()]
          const comesBack = Effect.gen(function* () {
            yield* one.recovers("cpu")
            yield* work
            yield* one.fires("cpu")
            yield* work
          })
          const later = Effect.map(jobsOf(one.workspace), (jobs) => jobs.filter(({ status }) => status === "queued"))
          yield* Effect.gen(function* () {
            yield* one.set({ notify: [ann] })
            yield* one.fires("cpu")
            yield* work
            yield* comesBack
            assert.deepStrictEqual(eventsOf(outside.to(ann)), ["opened", "resolved", "reopened"])
            assert.deepStrictEqual(yield* later, [])
            yield* comesBack
            yield* comesBack
            assert.deepStrictEqual(eventsOf(outside.to(ann)), ["opened", "resolved", "reopened", "resolved"])
            for (const { dueAt, payload } of yield* later) {
              has(payload, { event: "reopened", isLater: true })
              assert.isNotNull(dueAt)
            }
          }).pipe(Effect.provide(at(outside)))
          assert.strictEqual(eventsOf(outside.to("/ops")).filter((event) => event === "reopened").length, 3)
        })
      )
    }
  )
