import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import * as ChangePlace from "../../../domain/oncall/commands/ChangePlace.ts"
import * as ChangeService from "../../../domain/oncall/commands/ChangeService.ts"
import type { ServiceId } from "../../../domain/oncall/Service.ts"
import { versionOf } from "../../../domain/value/ChangedMeanwhile.ts"
import { freshId } from "../../../domain/work/Fresh.ts"
import type { TeamSlug } from "../../../domain/workspace/Team.ts"
import { recorded, refusal, success } from "../Outcome.ts"
import * as Sample from "../Sample.ts"
import { allEnded, checkout, onCall, payments, written } from "./CommandScene.ts"
import { service } from "./TriageScene.ts"

const { ana, now } = Sample
const nobody = "nobody" as TeamSlug
const left = onCall({ services: [service(1, "checkout", { notify: ["bob@acme.test"], places: ["old"] })] })

describe("a service", () => {
  const created = (team: TeamSlug, name: string) =>
    ChangeService.create(ana, { id: freshId<ServiceId>(), team, name })(onCall())

  it.each([
    ["of no team", nobody, "search", "TeamNotFound"],
    ["with a taken name", payments, "CHECKOUT", "ServiceNameTaken"],
    ["with a name of its own", payments, "search", null]
  ])("%s is created or refused", (_, team, name, tag) => assert.strictEqual(refusal(created(team, name)), tag))

  it("gets cautious settings", () =>
    assert.deepInclude(success(created(payments, "search")).result.settings, { startFixes: false, places: null }))

  it.each([
    ["of a missing service", "nothing", { observeOnly: true }, onCall(), "ServiceUnknown"],
    ["to no value", "checkout", { observeOnly: 7 }, onCall(), "InvalidSettings"],
    ["to a stranger", "checkout", { notify: ["zoe@acme.test"] }, onCall(), "InvalidSettings"],
    ["to a missing place", "checkout", { places: ["nowhere"] }, onCall(), "InvalidSettings"],
    ["to a member and a place", "checkout", { notify: ["ann@acme.test"], places: ["ops"] }, onCall(), null],
    ["to a member who left", "checkout", { notify: ["bob@acme.test"] }, left, "InvalidSettings"],
    ["that names people and places of before", "checkout", { observeOnly: true }, left, null]
  ])("takes a setting %s, or refuses it", (_, name, settings, at, tag) =>
    assert.strictEqual(refusal(ChangeService.set(ana, name, settings)(at)), tag)
  )

  it("takes a setting of the version that it has", () => {
    const set = (at: DateTime.Utc) => ChangeService.set(ana, "checkout", { observeOnly: true }, at)(onCall())
    assert.isNull(refusal(set(versionOf(checkout))))
    assert.strictEqual(refusal(set(DateTime.unsafeMake(1))), "ChangedMeanwhile")
  })

  it("takes no field that is no setting", () => {
    assert.strictEqual(ChangeService.checkFields({ hour: 1 })._tag, "Left")
    assert.strictEqual(ChangeService.checkFields({ hours: "always" })._tag, "Right")
  })

  it("is deleted with its alerts and incidents once its name is repeated", () => {
    assert.strictEqual(refusal(ChangeService.remove(ana, "nothing", "nothing")(onCall())), "ServiceUnknown")
    for (const confirm of ["other", "Checkout"])
      assert.strictEqual(refusal(ChangeService.remove(ana, "checkout", confirm)(onCall())), "NotConfirmed")
    const { change, result } = success(ChangeService.remove(ana, "Checkout", "checkout")(onCall()))
    assert.strictEqual(result, checkout)
    assert.deepStrictEqual(change.changed?.services?.[0]?.deletedAt, now)
    assert.deepStrictEqual(written(change), allEnded)
    assert.deepStrictEqual(recorded(change), [
      "service_changed service checkout",
      "incident_resolved incident cpu is wrong"
    ])
  })
})

describe("a place", () => {
  const added = (team: TeamSlug, name: string) =>
    ChangePlace.add(ana, { team, name, kind: "webhook", address: "sealed" })(onCall())

  it.each([
    ["of no team", () => added(nobody, "ops"), "TeamNotFound"],
    ["twice", () => added(payments, "ops"), "PlaceTaken"],
    ["anew", () => added(payments, "dev"), null]
  ])("is added %s", (_, act, tag) => assert.strictEqual(refusal(act()), tag))

  it("is removed once", () => {
    assert.strictEqual(refusal(ChangePlace.remove(ana, payments, "dev")(onCall())), "PlaceNotFound")
    const { change, result } = success(ChangePlace.remove(ana, payments, "ops")(onCall()))
    assert.deepStrictEqual([result.removedAt, recorded(change)], [now, ["service_changed team payments"]])
  })
})
