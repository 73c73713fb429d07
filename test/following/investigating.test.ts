import { decisionsOf, entriesOf, eventsOf, has, jobsOf, merged } from "./Aftermath.ts"
import { assert, layer as suite } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Incidents from "../../application/oncall/Incidents.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { RunView } from "../../domain/work/Run.ts"
import type { StoryKey, StoryView } from "../../domain/work/Story.ts"
import * as Equipment from "../support/Equipment.ts"
import { isLong } from "../support/Long.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ann, at, desk, outlets, team, worker } from "./Desk.ts"

const adapters = [
  ["memory", Memory.layer],
  ["postgres", TestPostgres.layer]
] as const

for (const [adapter, stores] of isLong ? adapters : adapters.slice(0, 1))
  suite(Layer.merge(stores, Equipment.layer), { timeout: "60 seconds", excludeTestServices: true })(
    `what is found out about an incident (${adapter})`,
    (it) => {
      it.effect(
        "a merge that is the cause with high confidence: people are asked to revert it, with the reasons, and the answer queues the work",
        () =>
          Effect.gen(function* () {
            const outside = outlets()
            const [one, work] = [yield* desk(), worker()]
            const run = yield* merged(one.slug, one.owner, ["services/checkout/src/refunds.ts"])
            yield* Effect.gen(function* () {
              yield* one.fires("refunds", { title: "Refunds answer 5xx" })
              yield* work
            }).pipe(Effect.provide(at(outside)))
            const [decision] = yield* decisionsOf(one.workspace)
            has(decision, {
              kind: "revert_approval",
              status: "pending",
              team,
              recommendation: "open_revert"
            })
            assert.deepStrictEqual(eventsOf(outside.to("/ops")), ["opened", "asked"])
            assert.strictEqual(outside.to("/ops")[1]?.message.notice.decision?.key, decision?.key)
            const [incident] = yield* one.incidents
            has(incident?.investigation, { isCodeCaused: true, decision: decision?.key, storyKey: null })
            assert.strictEqual(incident?.investigation?.suspect?.runKey, run)
            const reason = "it changes checkout (services/checkout/src/refunds.ts)"
            assert.include(incident?.investigation?.reasons ?? [], reason)
            for (const text of [
              incident?.investigation?.summary,
              decision?.body,
              outside.to("/ops")[1]?.message.notice.finding,
              outside.to("/ops")[1]?.message.text
            ])
              for (const part of [reason, "confidence high"]) assert.include(text, part)
            const key = decision?.key as never
            yield* Decisions.answer(one.owner, {
              decision: key,
              optionId: "open_revert",
              note: null,
              idempotency: null
            })
            const revert = (yield* jobsOf(one.workspace)).find(({ kind }) => kind === "open_revert")
            assert.strictEqual(revert?.payload["subject"], "https://git.example.com/pull/7")
          })
      )

      it.effect(
        "what an error tracker tells of is in the code: a fix is proposed, and accepted it starts at once",
        () =>
          Effect.gen(function* () {
            const outside = outlets()
            const [one, work] = [yield* desk("sentry"), worker()]
            yield* Effect.provide(Effect.zipRight(one.fires("TypeError"), work), at(outside))
            const [decision] = yield* decisionsOf(one.workspace)
            has(decision, { kind: "maintenance_proposal", status: "pending" })
            assert.deepStrictEqual(
              decision?.options.map(({ action, label }) => [action, label]),
              [
                ["accept_proposal", "Start the expedite fix"],
                ["decline_proposal", "Leave it to the person on call"]
              ]
            )
            const key = decision?.key as never
            const { json } = yield* Decisions.answer(one.owner, {
              decision: key,
              optionId: "accept_proposal",
              note: "Soon",
              idempotency: null
            })
            const { effects } = JSON.parse(json) as { effects: ReadonlyArray<{ type: string; ref: { id: string } }> }
            assert.deepStrictEqual(
              effects.map(({ type }) => type),
              ["proposal_filed", "attempt_queued"]
            )
            const story = JSON.parse(
              yield* (yield* StoryStore).get(one.workspace, effects[0]?.ref.id as StoryKey)
            ) as typeof StoryView.Encoded
            has(story, { classOfService: "expedite", draft: false, runKeys: [effects[1]?.ref.id] })
            assert.strictEqual(story.column.role, "in_progress")
            const run = JSON.parse(
              yield* (yield* RunStore).get(one.workspace, effects[1]?.ref.id as RunKey)
            ) as typeof RunView.Encoded
            assert.strictEqual(run.status, "queued")
          })
      )

      it.effect("an alert about a disk a moment after a merge: nothing is asked, and the finding says why", () =>
        Effect.gen(function* () {
          const outside = outlets()
          const [one, work] = [yield* desk("cloudwatch"), worker()]
          yield* one.set({ startFixes: true })
          yield* merged(one.slug, one.owner, ["services/checkout/src/refunds.ts"])
          yield* Effect.gen(function* () {
            yield* one.fires("disk", { title: "Disk usage above 90 % on checkout-db" })
            yield* work
            yield* one.recovers("disk")
            yield* work
          }).pipe(Effect.provide(at(outside)))
          assert.deepStrictEqual(yield* decisionsOf(one.workspace), [])
          const [incident] = yield* one.incidents
          has(incident?.investigation, { suspect: null, isCodeCaused: false, confidence: "low", storyKey: null })
          assert.include(incident?.investigation?.summary, "the alert is about infrastructure: disk")
          assert.deepStrictEqual(eventsOf(outside.to("/ops")), ["opened", "resolved"])
          assert.include(outside.to("/ops")[1]?.message.text, "the alert is about infrastructure: disk")
        })
      )

      it.effect("with startFixes the service files the fix and queues its run itself, on record as its own", () =>
        Effect.gen(function* () {
          const outside = outlets()
          const [one, work] = [yield* desk("sentry"), worker()]
          yield* one.set({ startFixes: true })
          yield* Effect.provide(Effect.zipRight(one.fires("TypeError"), work), at(outside))
          assert.deepStrictEqual(yield* decisionsOf(one.workspace), [])
          const [incident] = yield* one.incidents
          const { runKey, storyKey } = incident?.investigation ?? {}
          const story = JSON.parse(
            yield* (yield* StoryStore).get(one.workspace, storyKey as StoryKey)
          ) as typeof StoryView.Encoded
          has(story, { classOfService: "expedite", runKeys: [runKey] })
          const [entry] = yield* entriesOf(one.workspace, "incident_updated")
          assert.strictEqual(entry?.actor.type, "service")
          has(entry?.details, { storyKey, runKey })
        })
      )

      it.effect("observing only, it is told, posted and investigated, and nothing else happens", () =>
        Effect.gen(function* () {
          const outside = outlets()
          const work = worker()
          for (const kind of ["sentry", "pagerduty"] as const) {
            const one = yield* desk(kind)
            yield* one.set({ observeOnly: true, startFixes: true, acknowledgeInSource: true, notify: [ann] })
            if (kind === "pagerduty") {
              yield* Sources.setCredentials(one.owner, "tool", Redacted.make('{"key":"k","from":"a@b.test"}'))
              yield* merged(one.slug, one.owner, ["services/checkout/boom.ts"])
            }
            const runs = (yield* jobsOf(one.workspace)).length
            yield* Effect.gen(function* () {
              yield* one.fires("boom")
              yield* work
              yield* one.recovers("boom")
              yield* work
            }).pipe(Effect.provide(at(outside)))
            assert.deepStrictEqual(yield* decisionsOf(one.workspace), [])
            const [incident] = yield* one.incidents
            has(incident?.investigation, { decision: null, storyKey: null, runKey: null })
            const kinds = (yield* jobsOf(one.workspace)).slice(runs).map((job) => job.kind)
            assert.deepStrictEqual([...new Set(kinds)].toSorted(), [
              "follow_incident",
              "investigate_incident",
              "notify_member",
              "post_to_place"
            ])
          }
          assert.deepStrictEqual(outside.updated, [])
          assert.deepStrictEqual(eventsOf(outside.to(ann)), ["opened", "resolved", "opened", "resolved"])
        })
      )

      it.effect(
        "alerts are acknowledged in their source once somebody was notified, and resolved with the incident",
        () =>
          Effect.gen(function* () {
            const outside = outlets()
            const [one, work] = [yield* desk("pagerduty"), worker()]
            yield* Sources.setCredentials(one.owner, "tool", Redacted.make('{"key":"k","from":"a@b.test"}'))
            yield* one.set({ acknowledgeInSource: true })
            yield* Effect.gen(function* () {
              yield* one.fires("Q1")
              yield* work
              assert.deepStrictEqual(outside.updated, [{ fingerprint: "Q1", to: "acknowledged" }])
              const [incident] = yield* one.incidents
              yield* Incidents.resolve(one.owner, incident?.key as IncidentKey)
              yield* work
            }).pipe(Effect.provide(at(outside)))
            assert.deepStrictEqual(outside.updated, [
              { fingerprint: "Q1", to: "acknowledged" },
              { fingerprint: "Q1", to: "resolved" }
            ])
            const entries = yield* entriesOf(one.workspace, "alert_updated_in_source")
            assert.deepStrictEqual(
              entries.map(({ details, result }) => [details["to"], result]),
              [
                ["resolved", "success"],
                ["acknowledged", "success"]
              ]
            )
          })
      )

      it.effect(
        "nothing is acknowledged in a source while nobody was reached: neither a mail was sent nor a post made",
        () =>
          Effect.gen(function* () {
            const outside = outlets()
            const [one, work] = [yield* desk("pagerduty"), worker()]
            yield* Sources.setCredentials(one.owner, "tool", Redacted.make('{"key":"k","from":"a@b.test"}'))
            yield* one.set({ acknowledgeInSource: true, notify: [], places: [] })
            yield* Effect.gen(function* () {
              yield* one.fires("nobody", { environment: "nobody" })
              yield* work
              assert.deepStrictEqual(outside.updated, [])

              yield* one.set({ notify: [ann] })
              outside.wrong.add(ann)
              yield* one.fires("refused", { environment: "refused" })
              yield* work
              assert.deepStrictEqual(outside.updated, [])

              outside.wrong.clear()
              outside.broken.add(ann)
              yield* one.fires("late", { environment: "late" })
              yield* work
              assert.deepStrictEqual(outside.updated, [])
              outside.broken.clear()
              yield* work
              assert.deepStrictEqual(outside.updated, [{ fingerprint: "late", to: "acknowledged" }])
            }).pipe(Effect.provide(at(outside)))
          })
      )

      it.effect("without a mail server an inbox entry alone acknowledges nothing", () =>
        Effect.gen(function* () {
          const outside = outlets({ mail: null })
          const [one, work] = [yield* desk("pagerduty"), worker()]
          yield* Sources.setCredentials(one.owner, "tool", Redacted.make('{"key":"k","from":"a@b.test"}'))
          yield* one.set({ acknowledgeInSource: true, notify: [ann], places: [] })
          yield* Effect.provide(Effect.zipRight(one.fires("Q1"), work), at(outside))
          assert.deepStrictEqual(outside.updated, [])
          const resting = (yield* jobsOf(one.workspace)).filter(({ status }) => status === "no_adapter")
          assert.deepStrictEqual(
            resting.map(({ kind }) => kind),
            ["notify_member"]
          )
        })
      )

      it.effect("a wrong key shows on the source and on record, until the right one is set", () =>
        Effect.gen(function* () {
          const outside = outlets()
          const [one, work] = [yield* desk("pagerduty"), worker()]
          yield* Sources.setCredentials(one.owner, "tool", Redacted.make('{"key":"k","from":"a@b.test"}'))
          yield* one.set({ acknowledgeInSource: true })
          outside.wrong.add("api")
          yield* Effect.provide(Effect.zipRight(one.fires("Q1"), work), at(outside))
          const trouble = Effect.map(
            Effect.flatMap(OnCallStore, (store) => store.look(one.workspace)),
            ({ sources }) => sources[0]?.trouble
          )
          assert.strictEqual(yield* trouble, "The key was refused.")
          const [entry] = yield* entriesOf(one.workspace, "alert_updated_in_source")
          has(entry, { result: "failure" })
          assert.strictEqual(entry?.actor.type, "service")
          yield* Sources.setCredentials(one.owner, "tool", Redacted.make('{"key":"other","from":"a@b.test"}'))
          assert.isNull(yield* trouble)
        })
      )
    }
  )
