import {
  addPlaces,
  age,
  atOnce,
  everything,
  evidence,
  inboxOf,
  jobs,
  merged,
  merges,
  merging,
  opened,
  payments,
  place,
  type Plan,
  run,
  web
} from "./scenes/FollowScene.ts"
import { assert, it } from "@effect/vitest"
import { DateTime, Duration, Effect, type Layer } from "effect"
import * as Members from "../../application/workspace/Members.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Services from "../../application/oncall/Services.ts"
import { acknowledge } from "../../domain/oncall/AcknowledgeInSource.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { type FollowContext } from "../../domain/oncall/NotifyPlan.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import { mostAlertsRead } from "../../domain/oncall/Investigation.ts"
import type { JobId } from "../../domain/work/Job.ts"
import { fires, recovers } from "../domain/oncall/TriageScene.ts"
import * as Queue from "../jobs/Queue.ts"
import * as People from "../support/People.ts"
import type { Stores } from "../support/World.ts"
import * as At from "./scenes/OnCallScene.ts"
import { range, rounds } from "../support/Range.ts"

const told = {
  description: "Since noon.",
  labels: { host: "a" },
  startedAt: DateTime.unsafeMake("2026-01-01T00:00:00Z")
}

export const followContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`OnCallStore, following (${adapter})`, (it) => {
    it.effect("hands over the incident with whoever and whatever is to be told of it", () =>
      Effect.gen(function* () {
        const at = yield* place
        yield* People.person(at.slug, "member")
        yield* People.person(at.slug, "admin")
        yield* Members.remove(bySystem, { workspace: at.slug, email: People.emailOf("admin") })
        yield* addPlaces(at, [payments, "gone", "removed"], [web, "shop"], [payments, "chat"])
        const other = { ...at, source: yield* At.connect(at.id, "datadog", ["checkout"]) }
        yield* At.connect(at.id, "silent", ["checkout"])
        yield* At.tell(other, fires("disk"))
        yield* At.tell(at, ...range(5).map((index) => fires(`host-${index}`)), recovers("host-3"))
        const seen: Array<FollowContext> = []
        yield* (yield* OnCallStore).follow(at.id, at.job, (one) => {
          seen.push(one)
          return { added: {}, changed: {} }
        })
        const [handed, ...more] = seen
        assert.deepStrictEqual(more, [])
        assert.deepStrictEqual([handed?.workspace, handed?.decision, handed?.job.id], [at.slug, null, at.job])
        assert.deepStrictEqual(
          [handed?.standing.incident.key, handed?.standing.incident.alerts, handed?.standing.firing],
          [at.incident, 7, 6]
        )
        assert.strictEqual(handed?.service.name, "checkout")
        assert.deepStrictEqual(handed?.members.map(({ email }) => email).toSorted(), [
          "member@acme.test",
          "owner@acme.test"
        ])
        assert.deepStrictEqual(handed?.places.map(({ name }) => name).toSorted(), ["chat", "ops"])
        assert.deepStrictEqual(handed?.sources.map(({ name }) => name).toSorted(), ["datadog", "grafana"])
        assert.deepStrictEqual(
          handed?.alerts.map(({ fingerprint }) => fingerprint),
          ["host-4", "host-3", "host-2", "host-1", "host-0"]
        )
        assert.isAtLeast(new Set(handed?.freshIds).size, 2 * 2 + 2 + 2 + 2)
      })
    )

    it.effect("one of many callers of one job plans it, and everything of the plan is kept", () =>
      Effect.gen(function* () {
        for (const _ of rounds(5)) {
          const at = yield* place
          let plans = 0
          const plan: Plan = (one) => {
            plans++
            return opened(one)
          }
          const store = yield* OnCallStore
          yield* Effect.replicateEffect(store.follow(at.id, at.job, plan), 8, atOnce)
          assert.strictEqual(plans, 1)
          assert.deepStrictEqual((yield* Queue.all(at.id)).map(({ kind, status }) => `${kind} ${status}`).toSorted(), [
            "follow_incident done",
            "investigate_incident queued",
            "notify_member queued",
            "post_to_place queued"
          ])
          assert.strictEqual((yield* inboxOf(at)).length, 1)
          let told: unknown
          const [next] = yield* jobs(at, "investigate_incident")
          yield* store.follow(at.id, next?.id ?? at.job, ({ standing: { incident } }) => {
            told = [incident.told, incident.notifiedAt]
            return { added: {}, changed: {} }
          })
          assert.deepStrictEqual(told, ["open", null])
        }
      })
    )

    it.effect("one of many mails and posts that get through is the first", () =>
      Effect.gen(function* () {
        for (const _ of rounds(5)) {
          const at = yield* place
          const store = yield* OnCallStore
          yield* store.follow(at.id, at.job, opened)
          const told = [...(yield* jobs(at, "notify_member")), ...(yield* jobs(at, "post_to_place"))]
          const firsts: Array<unknown> = []
          const plan: Plan = (one) => {
            const planned = acknowledge(one)
            firsts.push(...(planned.changed.incidents ?? []))
            return planned
          }
          yield* Effect.forEach([...told, ...told], ({ id }) => store.follow(at.id, id, plan), atOnce)
          assert.deepStrictEqual([told.length, firsts.length], [2, 1])
        }
      })
    )

    it.effect("a job that is done, unknown or of another workspace changes nothing", () =>
      Effect.gen(function* () {
        const [at, other] = [yield* place, yield* place]
        const store = yield* OnCallStore
        const never = () => assert.fail("it is asked nevertheless")
        const before = [yield* everything(at), yield* everything(other)]
        yield* store.follow(other.id, at.job, never)
        yield* store.conclude(other.id, at.job, never)
        const unknown = crypto.randomUUID() as string as JobId
        yield* store.follow(at.id, unknown, never)
        yield* store.conclude(at.id, unknown, never)
        assert.deepStrictEqual([yield* everything(at), yield* everything(other)], before)
        yield* store.follow(at.id, at.job, opened)
        const after = yield* everything(at)
        yield* store.follow(at.id, at.job, never)
        yield* store.conclude(at.id, at.job, never)
        assert.deepStrictEqual([yield* everything(at), yield* everything(other)], [after, before[1]])
      })
    )

    it.effect("an incident is investigated by its first alerts, their sources and the team's services", () =>
      Effect.gen(function* () {
        const at = yield* At.place
        const sources = [
          yield* At.connect(at.id, "errors", ["checkout"], { kind: "sentry" }),
          yield* At.connect(at.id, "more errors", ["checkout"], { kind: "sentry" }),
          yield* At.connect(at.id, "silent", ["checkout"], { kind: "datadog" })
        ]
        yield* At.tell(at, fires("cpu", { title: "Checkout is down" }))
        yield* At.tell({ ...at, source: sources[0] ?? at.source }, fires("a"), fires("b"))
        yield* At.tell({ ...at, source: sources[1] ?? at.source }, fires("c"))
        yield* At.tell({ ...at, source: sources[2] ?? at.source }, fires("d", { environment: "elsewhere" }))
        const incident = (yield* At.incidents(at)).find(({ environment }) => environment === null)?.key
        assert.isDefined(incident)
        for (const name of ["Zoo", "basket", "gone"]) yield* Services.create(at.owner, { team: payments, name })
        yield* Services.create(at.owner, { team: web, name: "shop" })
        yield* Services.remove(at.owner, "gone", "gone")
        const found = yield* evidence(at, incident)
        const { alerts, openedAt, ...rest } = found ?? assert.fail("no evidence")
        assert.deepStrictEqual(rest, {
          title: "Checkout is down",
          service: "checkout",
          environment: null,
          otherServices: ["Zoo", "basket"],
          merges: []
        })
        assert.isTrue(DateTime.isUtc(openedAt))
        assert.deepStrictEqual(
          alerts.map(({ kind, title }) => [title, kind]),
          [
            ["Checkout is down", "generic"],
            ["a is wrong", "sentry"],
            ["b is wrong", "sentry"],
            ["c is wrong", "sentry"]
          ]
        )
        yield* At.tell(at, ...range(30).map((index) => fires(`host-${index}`, told)))
        const { alerts: some } = (yield* evidence(at, incident)) ?? { alerts: [] }
        assert.strictEqual(some.length, mostAlertsRead)
        const { kind, ...last } = some.at(-1) ?? assert.fail("no alerts")
        assert.deepStrictEqual({ ...last, kind }, { title: "host-15 is wrong", kind: "generic", ...told })
        assert.isNull(yield* evidence(yield* At.place, incident))
        assert.isNull(yield* evidence(at, "inc-0000" as IncidentKey))
      })
    )

    it.effect("and by what the team merged in the last day, newest first, whoever says so", () =>
      Effect.gen(function* () {
        const [at, other] = [yield* place, yield* place]
        yield* merged(other, payments, "PAY-1")
        yield* merged(at, web, "WEB-1")
        yield* run(at, payments, "PAY-1")
        for (const [index, status] of (["queued", "running", "failed", "no_adapter"] as const).entries())
          yield* merging(at, yield* run(at, payments, `PAY-${index + 10}`), status)
        assert.deepStrictEqual(yield* merges(at, at.incident), [])
        const reported = yield* run(at, payments, "PAY-3")
        const diff = { files: 1, additions: 1, deletions: 0, commit: null, paths: ["src/cart.ts"] }
        yield* Runs.report(at.owner, reported, [
          { type: "evidence", evidence: { gates: [], acceptance: [], demonstrate: [], diff } },
          { type: "merged" }
        ])
        yield* age(1)
        const done = yield* run(at, payments, "PAY-4")
        yield* merging(at, done, "done")
        yield* age(1)
        const last = yield* merged(at, payments, "PAY-5")
        const found = yield* evidence(at, at.incident)
        assert.deepStrictEqual(
          found?.merges.map(({ paths, pullRequest, runKey, story, title }) => [
            runKey,
            story,
            pullRequest?.url,
            title,
            paths
          ]),
          [
            [last, "PAY-5", "https://git.acme.test/PAY-5", "PAY-5", null],
            [done, "PAY-4", "https://git.acme.test/PAY-4", "PAY-4", null],
            [reported, "PAY-3", "https://git.acme.test/PAY-3", "PAY-3", ["src/cart.ts"]]
          ]
        )
        const [newest, , oldest] = found?.merges.map(({ mergedAt }) => mergedAt.epochMillis) ?? []
        assert.approximately((newest ?? 0) - (oldest ?? 0), Duration.toMillis("2 hours"), 60_000)
        yield* age(21.9)
        assert.deepStrictEqual(yield* merges(at, at.incident), [last, done, reported])
        yield* age(0.2)
        assert.deepStrictEqual(yield* merges(at, at.incident), [last, done])
        yield* age(1)
        assert.deepStrictEqual(yield* merges(at, at.incident), [last])
        yield* age(1)
        assert.deepStrictEqual(yield* merges(at, at.incident), [])
      })
    )
  })
