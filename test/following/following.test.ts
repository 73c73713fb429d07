import { assert, layer as suite } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { Inbox } from "../../application/ports/Inbox.ts"
import { JobStore } from "../../application/ports/JobStore.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import * as Decisions from "../../application/Decisions.ts"
import * as Following from "../../application/Following.ts"
import * as Incidents from "../../application/Incidents.ts"
import * as Places from "../../application/Places.ts"
import * as Runs from "../../application/Runs.ts"
import * as Services from "../../application/Services.ts"
import * as Sources from "../../application/Sources.ts"
import type { AuditEntry } from "../../domain/Audit.ts"
import type { DecisionView } from "../../domain/Decision.ts"
import type { IncidentKey } from "../../domain/IncidentKey.ts"
import type { Job, JobId } from "../../domain/Job.ts"
import type { RunKey } from "../../domain/RunKey.ts"
import type { RunView } from "../../domain/Run.ts"
import type { StoryKey, StoryView } from "../../domain/Story.ts"
import type { WorkspaceId } from "../../domain/Workspace.ts"
import * as Equipment from "../support/Equipment.ts"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import * as Json from "../../application/Json.ts"
import { ann, at, desk, outlets, team, worker } from "./Desk.ts"

/** Some of what an object holds. */
const has = (actual: object | null | undefined, expected: object) =>
  assert.deepInclude(actual ?? {}, expected as Partial<object>)

const all = { limit: 1000, before: null }

const jobsOf = (workspace: WorkspaceId) =>
  Effect.map(
    Effect.flatMap(JobStore, (store) => store.page(workspace, { status: null }, all)),
    ({ items }) =>
      Json.each(items)
        .map((item) => JSON.parse(item) as typeof Job.Encoded)
        .toReversed()
  )

const decisionsOf = (workspace: WorkspaceId) =>
  Effect.map(
    Effect.flatMap(DecisionStore, (store) => store.page(workspace, { status: null, team: null, run: null }, all)),
    ({ items }) => Json.each(items).map((item) => JSON.parse(item) as typeof DecisionView.Encoded)
  )

const entriesOf = (workspace: WorkspaceId, event: AuditEntry["event"]) =>
  Effect.map(
    Effect.flatMap(AuditLog, (log) =>
      log.page(workspace, { team: null, actor: null, event, run: null, from: null, to: null }, all)
    ),
    ({ items }) => Json.each(items).map((item) => JSON.parse(item) as typeof AuditEntry.Encoded)
  )

const eventsOf = (sent: ReadonlyArray<{ readonly message: { readonly notice: { readonly event: string } } }>) =>
  sent.map(({ message }) => message.notice.event)

/** A story of the team whose run was merged a moment ago. */
const merged = (slug: string, owner: Parameters<typeof Runs.start>[0]) =>
  Effect.gen(function* () {
    yield* Seed.load(slug as never, { stories: [{ key: "PAY-1", team, title: "Faster", column: { role: "ready" } }] })
    const { run } = yield* Runs.start(owner, "PAY-1" as StoryKey)
    yield* Runs.lease(owner, { team: null, run: run.key })
    const pullRequest = { url: "https://git.example.com/pull/7", number: 7 }
    yield* Runs.report(owner, run.key, [{ type: "pull_request", pullRequest }, { type: "merged" }])
    return run.key
  })

for (const [adapter, stores] of [
  ["memory", Memory.layer],
  ["postgres", TestPostgres.layer]
] as const)
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
            url: `http://localhost:3000/incidents/${one.slug}/${key}`
          })
          assert.deepStrictEqual(first?.message.notice.notified.toSorted(), ["Ann", "Olga Owner"])
          assert.include(first?.message.text, "https://board.example.com/cpu")
          const inbox = yield* Inbox
          const { members } = yield* (yield* OnCallStore).look(one.workspace)
          const annId = members.find(({ email }) => email === ann)?.id as never
          const kept = (yield* inbox.list(one.workspace, annId)).map((json) => JSON.parse(json) as { event: string })
          assert.deepStrictEqual(
            kept.map(({ event }) => event),
            ["resolved", "opened"]
          )
          assert.strictEqual(yield* inbox.read(one.workspace, annId, null), 2)
          assert.strictEqual(yield* inbox.read(one.workspace, annId, null), 0)
          yield* inbox.purge(1)
          assert.strictEqual((yield* inbox.list(one.workspace, annId)).length, 2)
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
          const job = yield* (yield* JobStore).find(one.workspace, waiting[0]?.id as JobId)
          yield* Effect.gen(function* () {
            if (job !== null) yield* Following.follow({ workspace: one.workspace, job })
            yield* work
          }).pipe(Effect.provide(at(outside)))
          assert.deepStrictEqual(eventsOf(outside.to("/ops")), ["opened", "updated"])
          has(outside.to("/ops")[1]?.message.notice.incident, { severity: "critical", alerts: 20, firing: 20 })
        })
      )

      it.effect(
        "a merge of the last day is the suspect: people are asked to revert it, and the answer queues the work",
        () =>
          Effect.gen(function* () {
            const outside = outlets()
            const [one, work] = [yield* desk(), worker()]
            const run = yield* merged(one.slug, one.owner)
            yield* Effect.gen(function* () {
              yield* one.fires("cpu")
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
              yield* merged(one.slug, one.owner)
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
        "alerts are acknowledged in their source when the investigation starts and resolved with the incident",
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

      it.effect("one that comes back within minutes is posted again, and wakes nobody twice", () =>
        Effect.gen(function* () {
          const outside = outlets()
          const [one, work] = [yield* desk(), worker()]
          yield* Effect.gen(function* () {
            yield* one.set({ notify: [ann] })
            yield* one.fires("cpu")
            yield* work
            yield* one.recovers("cpu")
            yield* work
            yield* one.fires("cpu")
            yield* work
          }).pipe(Effect.provide(at(outside)))
          assert.deepStrictEqual(eventsOf(outside.to("/ops")), ["opened", "resolved", "reopened"])
          assert.deepStrictEqual(eventsOf(outside.to(ann)), ["opened", "resolved"])
          const later = (yield* jobsOf(one.workspace)).find(({ status }) => status === "queued")
          has(later?.payload, { event: "reopened", isLater: true })
        })
      )
    }
  )
