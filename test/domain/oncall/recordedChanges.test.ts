import { assert, describe, it } from "@effect/vitest"
import type { Change } from "../../../domain/Change.ts"
import { acknowledge, note, resolve } from "../../../domain/oncall/commands/ChangeIncident.ts"
import * as ChangePlace from "../../../domain/oncall/commands/ChangePlace.ts"
import * as ChangeService from "../../../domain/oncall/commands/ChangeService.ts"
import * as ChangeSource from "../../../domain/oncall/commands/ChangeSource.ts"
import { recordUpdate } from "../../../domain/oncall/commands/RecordUpdate.ts"
import { SignalSource, type SourceId } from "../../../domain/oncall/SignalSource.ts"
import type { Check } from "../../../domain/oncall/UptimeCheck.ts"
import { freshId } from "../../../domain/work/Fresh.ts"
import type { TeamSlug } from "../../../domain/workspace/Team.ts"
import { detailsOf, recorded, refusal, success } from "../Outcome.ts"
import * as Sample from "../Sample.ts"
import { alert, checkout, gone, onCall, payments, quiet, shop, tool } from "./CommandScene.ts"
import { key } from "./FindingScene.ts"
import { place } from "./NotifyScene.ts"

const { ana, now } = Sample
const at = onCall()
const unasked = { services: null, isTimestampRequired: null }
const set = (name: string, changes: Partial<ChangeSource.SourceChanges>) =>
  success(ChangeSource.set(ana, name, { ...unasked, ...changes })(at)).change
const fresh = { id: freshId<SourceId>(), kind: "generic", token: "a".repeat(32), sealed: "v1", check: null } as const

describe("the audit log", () => {
  it.each<readonly [string, () => Change, object]>([
    [
      "the pause of a source",
      () => success(ChangeSource.pause(ana, "tool")(at)).change,
      { before: { paused: false }, after: { paused: true } }
    ],
    [
      "the end of a pause",
      () => success(ChangeSource.resume(ana, "quiet")(at)).change,
      { before: { paused: true }, after: { paused: false } }
    ],
    [
      "a new secret of a source by its number",
      () => success(ChangeSource.setSecret(ana, "tool", "v2")(at)).change,
      { before: { secrets: 1 }, after: { secrets: 2 }, what: "secret" }
    ],
    [
      "credentials of a source, and none of their text",
      () => success(ChangeSource.setCredentials(ana, "tool", "sealed")(at)).change,
      { before: { credentials: false }, after: { credentials: true }, what: "credentials" }
    ],
    [
      "other services of a source",
      () => set("quiet", { services: ["checkout"] }),
      { before: { services: [] }, after: { services: [checkout.id] } }
    ],
    [
      "services of a source that stay",
      () => set("tool", { isTimestampRequired: !tool.isTimestampRequired }),
      {
        before: { isTimestampRequired: tool.isTimestampRequired },
        after: { isTimestampRequired: !tool.isTimestampRequired }
      }
    ],
    [
      "another interval of a check",
      () => set("shop", { check: { intervalSeconds: 30 } }),
      { before: { intervalSeconds: 60 }, after: { intervalSeconds: 30 } }
    ],
    [
      "another address of a check, without its secrets",
      () => set("shop", { check: { url: "https://shop.acme.test/cart?key=7" as Check["url"] } }),
      { before: { url: "https://shop.acme.test/" }, after: { url: "https://shop.acme.test/cart?…" }, what: "url" }
    ],
    [
      "the end of a tool",
      () => success(ChangeSource.shakeHands(ana, tool, { type: "disconnect", topic: "arn" })(at)).change,
      { before: { disconnected: false }, after: { disconnected: true } }
    ],
    [
      "the topic of a tool",
      () => success(ChangeSource.shakeHands(ana, tool, { type: "confirm", topic: "arn" })(at)).change,
      {
        before: { topic: null },
        after: { topic: "arn" }
      }
    ],
    [
      "the deletion of a source",
      () => success(ChangeSource.remove(ana, "tool", "tool")(at)).change,
      { before: {}, after: {}, what: "deleted" }
    ],
    [
      "a setting of a service",
      () => success(ChangeService.set(ana, "checkout", { observeOnly: !checkout.settings.observeOnly })(at)).change,
      {
        before: { observeOnly: checkout.settings.observeOnly },
        after: { observeOnly: !checkout.settings.observeOnly }
      }
    ],
    [
      "the deletion of a service",
      () => success(ChangeService.remove(ana, "checkout", "checkout")(at)).change,
      { before: {}, after: {}, what: "deleted" }
    ],
    [
      "a new place",
      () =>
        success(ChangePlace.add(ana, { team: payments, name: "dev", kind: "webhook", address: "sealed" })(at)).change,
      { after: { place: "dev" } }
    ],
    [
      "the end of a place",
      () => success(ChangePlace.remove(ana, payments, "ops")(at)).change,
      { before: { place: "ops" } }
    ],
    [
      "who looks after an incident",
      () => success(acknowledge(ana, key)(at)).change,
      { after: { acknowledgedBy: "Ana" } }
    ],
    ["an end by hand", () => success(resolve(ana, key)(at)).change, { by: "hand" }],
    ["a note on an incident", () => success(note(ana, key, "Look")(at)).change, { note: "Look" }]
  ])("has %s", (_, change, details) => assert.deepStrictEqual<object>(detailsOf(change()), details))

  it("has a new source with its fields, and none of its secrets", () => {
    const input = { ...fresh, name: "new", services: ["checkout"], isTimestampRequired: true }
    const { change, result } = success(ChangeSource.create(ana, input)(at))
    const { after, ...rest } = detailsOf(change)
    assert.deepStrictEqual(rest, {})
    const fields = { name: "new", kind: "generic", services: [checkout.id], isTimestampRequired: true }
    assert.deepInclude(Object(after), { ...fields, paused: false, disconnected: false, secrets: 1, credentials: false })
    assert.deepStrictEqual([change.added?.sources, change.changed], [[result], undefined])
  })

  it("has a new service with its team and settings", () => {
    const input = { id: freshId<typeof checkout.id>(), team: payments, name: "search" }
    const { change, result } = success(ChangeService.create(ana, input)(at))
    const { after, ...rest } = detailsOf(change)
    assert.deepStrictEqual(rest, {})
    assert.deepInclude(Object(after), { name: "search", team: payments, observeOnly: result.settings.observeOnly })
    assert.deepStrictEqual(
      [change.added?.services, change.changed, change.audit[0].team],
      [[result], undefined, payments]
    )
  })

  it.each([null, "the key is refused"])("has the update of an alert in its tool, with the problem %s", (problem) => {
    const update = { incident: key, source: tool.id, to: "resolved" } as const
    const { change } = success(recordUpdate(ana, update, alert, problem)(at))
    const details = { source: "tool", fingerprint: "cpu", incident: key, to: "resolved" }
    assert.deepStrictEqual<object>(detailsOf(change), problem === null ? details : { ...details, problem })
    assert.deepStrictEqual(recorded(change), ["alert_updated_in_source alert cpu is wrong"])
  })
})

describe("a change writes its row", () => {
  it.each([
    ["a pause", ChangeSource.pause(ana, "tool"), { id: tool.id, pausedAt: now }],
    ["the end of a pause", ChangeSource.resume(ana, "quiet"), { id: quiet.id, pausedAt: null }]
  ])("%s", (_, decide, fields) => assert.deepInclude(Object(success(decide(at)).change.changed?.sources?.[0]), fields))

  it("of the source that is named, as it is now", () => {
    const current = new SignalSource({ ...tool, name: "renamed" })
    const shake = (sources: ReadonlyArray<SignalSource>) =>
      success(ChangeSource.shakeHands(ana, tool, { type: "confirm", topic: "arn" })(onCall({ sources }))).change
    const names = [[gone, current, shop], [gone]].map((sources) => shake(sources).changed?.sources?.[0]?.name)
    assert.deepStrictEqual(names, ["renamed", "tool"])
  })

  it("of a place and of an incident", () => {
    const added = ChangePlace.add(ana, { team: payments, name: "dev", kind: "webhook", address: "sealed" })(at)
    const removed = ChangePlace.remove(ana, payments, "ops")(at)
    for (const { change, result } of [success(added), success(removed)])
      assert.deepStrictEqual(change.changed?.places, [result])
    const { change, result } = success(acknowledge(ana, key)(at))
    assert.deepStrictEqual([change.changed?.incidents, change.audit[0].event], [[result], "incident_updated"])
    const ended = success(resolve(ana, key)(at)).change
    assert.strictEqual(ended.audit[0].event, "incident_resolved")
    assert.match(ended.changed?.alerts?.[0]?.explanation ?? "", /^Ana resolved inc-aaaa\.$/)
  })
})

describe("a place", () => {
  const other = "other" as TeamSlug
  const two = onCall({ teams: [payments, other], places: [place("ops"), place("dev")] })

  it("has a name of its own in its team", () => {
    const input = { name: "ops", kind: "webhook", address: "sealed" } as const
    assert.isNull(refusal(ChangePlace.add(ana, { ...input, team: other })(two)))
    assert.strictEqual(refusal(ChangePlace.add(ana, { ...input, team: payments })(two)), "PlaceTaken")
    assert.strictEqual(refusal(ChangePlace.remove(ana, other, "ops")(two)), "PlaceNotFound")
  })

  it("is named by a service of its team alone", () => {
    const set = ChangeService.set(ana, "checkout", { places: ["ops"] })
    assert.isNull(refusal(set(two)))
    const foreign = onCall({ places: [{ ...place("ops"), team: other } as never] })
    assert.strictEqual(refusal(set(foreign)), "InvalidSettings")
  })
})

describe("a note on an incident", () => {
  it.each([
    ["Look", key, null],
    [" \n", key, "IncidentNoteMissing"],
    ["x".repeat(4001), key, "NoteTooLong"],
    ["Look", "inc-zzzz" as typeof key, "IncidentNotFound"]
  ])("is taken or refused (%#)", (text, of, tag) => assert.strictEqual(refusal(note(ana, of, text)(at)), tag))
})
