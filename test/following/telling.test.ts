import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Authorization from "../../application/workspace/Authorization.ts"
import * as Members from "../../application/workspace/Members.ts"
import * as Places from "../../application/oncall/Places.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import * as UpdateSource from "../../application/oncall/UpdateSource.ts"
import { PlaceKind } from "../../domain/oncall/Place.ts"
import type { Inbox } from "../../application/ports/Inbox.ts"
import type { JobFailed } from "../../application/ports/JobHandlers.ts"
import type { WorkspaceJob } from "../../application/ports/JobStore.ts"
import type { Notifiers } from "../../application/ports/Notifier.ts"
import type { OnCallStore } from "../../application/ports/OnCallStore.ts"
import type { Sealing } from "../../application/secrets/Sealing.ts"
import * as Preferences from "../../application/oncall/Preferences.ts"
import * as SendNotice from "../../application/oncall/SendNotice.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { Job, type JobKind } from "../../domain/work/Job.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as Equipment from "../support/Equipment.ts"
import * as Seed from "../support/Seed.ts"
import { entriesOf } from "./Aftermath.ts"
import { ann, at, desk, outlets, team, worker } from "./Desk.ts"
import * as Queue from "../jobs/Queue.ts"

type Needed = Inbox | Notifiers | OnCallStore | Sealing
type Desk = Effect.Effect.Success<ReturnType<typeof desk>>

/** The first job of a kind, aged by that many hours. */
const jobOf = ({ workspace }: Desk, kind: JobKind, hours = 0) =>
  Effect.gen(function* () {
    const job = (yield* Queue.all(workspace)).find((one) => one.kind === kind)
    if (job === undefined) return assert.fail(`no job is ${kind}`)
    return { workspace, job: new Job({ ...job, createdAt: DateTime.subtract(yield* DateTime.now, { hours }) }) }
  })

/** An incident of which Ann was notified and which was posted to two places. */
const told = (kind: "generic" | "pagerduty" = "generic", fingerprints = ["cpu"]) =>
  Effect.gen(function* () {
    const outside = outlets()
    const one = yield* desk(kind)
    if (kind === "pagerduty")
      yield* Sources.setCredentials(one.owner, "tool", Redacted.make('{"key":"k","from":"a@b.test"}'))
    yield* one.set({ notify: [ann], acknowledgeInSource: kind === "pagerduty" })
    const layer = at(outside)
    for (const fingerprint of fingerprints) yield* one.fires(fingerprint)
    yield* Effect.provide(worker(), layer)
    outside.sent.length = 0
    outside.updated.length = 0
    return { one, outside, layer }
  })

suite(Layer.merge(Memory.layer, Equipment.layer), { timeout: "60 seconds", excludeTestServices: true })(
  "a message that is told late",
  (it) => {
    it.effect("is sent within 24 hours and given up for good after", () =>
      Effect.gen(function* () {
        const { layer, one, outside } = yield* told()
        for (const [kind, send] of [
          ["notify_member", SendNotice.mail],
          ["post_to_place", SendNotice.post]
        ] as const) {
          const tell = (job: WorkspaceJob): Effect.Effect<void, JobFailed, Needed> => send(job)
          yield* Effect.provide(tell(yield* jobOf(one, kind, 23.9)), layer)
          const late = yield* Effect.flip(Effect.provide(tell(yield* jobOf(one, kind, 24.1)), layer))
          assert.deepStrictEqual([late.reason, late.isFinal], ["It could not be sent within 24 hours.", true])
        }
        assert.strictEqual(outside.sent.length, 2)
      })
    )

    it.effect("is not sent to who is no member any more", () =>
      Effect.gen(function* () {
        const { layer, one, outside } = yield* told()
        yield* Members.remove(bySystem, { workspace: one.slug, email: ann })
        const gone = yield* Effect.flip(Effect.provide(SendNotice.mail(yield* jobOf(one, "notify_member")), layer))
        assert.deepStrictEqual([gone.reason, gone.isFinal], [`${ann} is no member any more.`, true])
        assert.deepStrictEqual(outside.sent, [])
      })
    )

    it.effect("is not mailed to who turned such mails off, unless a critical incident opens", () =>
      Effect.gen(function* () {
        const { layer, one, outside } = yield* told()
        const person = yield* Authorization.member(one.slug, ann, "app")
        const work = yield* jobOf(one, "notify_member")
        const send = (severity: string) => {
          const notice = work.job.payload["notice"] as { readonly incident: object }
          const payload = { ...work.job.payload, notice: { ...notice, incident: { ...notice.incident, severity } } }
          return Effect.provide(SendNotice.mail({ ...work, job: new Job({ ...work.job, payload }) }), layer)
        }
        yield* Preferences.set(person, "incident_opened", false)
        yield* send("high")
        assert.deepStrictEqual(outside.sent, [])
        yield* send("critical")
        assert.lengthOf(outside.sent, 1)
        yield* Preferences.set(person, "incident_opened", true)
        yield* send("high")
        assert.lengthOf(outside.sent, 2)
      })
    )

    it.effect.each(PlaceKind.literals)("is posted at a place of the kind %s by its own notifier", (kind) =>
      Effect.gen(function* () {
        const { layer, one, outside } = yield* told()
        const errand = yield* jobOf(one, "post_to_place")
        const name = String(errand.job.payload["place"])
        yield* Places.remove(one.owner, team, name)
        yield* Places.add(one.owner, { team, name, kind, address: Redacted.make("https://chat.example.com/new") })
        yield* Effect.provide(SendNotice.post(errand), layer)
        assert.deepStrictEqual(
          outside.sent.map(({ by, to }) => [by, to]),
          [[kind, "https://chat.example.com/new"]]
        )
      })
    )

    it.effect("is not posted at another team's place of the same name", () =>
      Effect.gen(function* () {
        const { layer, one, outside } = yield* told()
        const other = "basket" as TeamSlug
        yield* Seed.load(one.slug, { teams: [{ slug: other, name: "Basket", keyPrefix: "BAS" }] })
        const errand = yield* jobOf(one, "post_to_place")
        const name = String(errand.job.payload["place"])
        yield* Places.add(one.owner, { team: other, name, address: Redacted.make("https://chat.example.com/other") })
        yield* Effect.provide(SendNotice.post(errand), layer)
        assert.deepStrictEqual(
          outside.sent.map(({ to }) => to),
          [`https://chat.example.com/${name}`]
        )
        yield* Places.remove(one.owner, team, name)
        const gone = yield* Effect.flip(Effect.provide(SendNotice.post(errand), layer))
        assert.deepStrictEqual([gone.reason, gone.isFinal], [`The place '${name}' was removed.`, true])
      })
    )

    it.effect("changes nothing in a source while the service observes only, or once the source is deleted", () =>
      Effect.gen(function* () {
        const { layer, one, outside } = yield* told("pagerduty")
        const errand = yield* jobOf(one, "update_source")
        const update = Effect.provide(UpdateSource.update(errand), layer)
        yield* one.set({ observeOnly: true })
        yield* update
        assert.deepStrictEqual(outside.updated, [])
        yield* one.set({ observeOnly: false })
        yield* update
        assert.strictEqual(outside.updated.length, 1)
        outside.updated.length = 0
        yield* Sources.remove(one.owner, "tool", "tool")
        yield* update
        assert.deepStrictEqual(outside.updated, [])
      })
    )

    it.effect("stops in a source after three refusals", () =>
      Effect.gen(function* () {
        const { layer, one, outside } = yield* told("pagerduty", ["a", "b", "c", "d", "e"])
        outside.wrong.add("api")
        const before = (yield* entriesOf(one.workspace, "alert_updated_in_source")).length
        const errand = yield* jobOf(one, "update_source")
        const refused = yield* Effect.flip(Effect.provide(UpdateSource.update(errand), layer))
        assert.deepStrictEqual([refused.reason, refused.isFinal], ["The key was refused.", true])
        assert.strictEqual((yield* entriesOf(one.workspace, "alert_updated_in_source")).length - before, 3)
      })
    )
  }
)
