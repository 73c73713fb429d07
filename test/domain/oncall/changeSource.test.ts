import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either } from "effect"
import type { Decided } from "../../../domain/Change.ts"
import * as ChangeSource from "../../../domain/oncall/commands/ChangeSource.ts"
import type { OnCallContext } from "../../../domain/oncall/commands/OnCallContext.ts"
import { recordUpdate } from "../../../domain/oncall/commands/RecordUpdate.ts"
import { SignalSource, type SourceId } from "../../../domain/oncall/SignalSource.ts"
import type { Check } from "../../../domain/oncall/UptimeCheck.ts"
import type { Severity } from "../../../domain/value/Severity.ts"
import { freshId } from "../../../domain/work/Fresh.ts"
import { recorded, refusal, success } from "../Outcome.ts"
import * as Sample from "../Sample.ts"
import { alert, allEnded, checkout, onCall, shop, tool, written } from "./CommandScene.ts"
import { key } from "./FindingScene.ts"

const { ana, now } = Sample
const nothing = { services: null, isTimestampRequired: null }
const words = (count: number) =>
  new Map(Array.from({ length: count }, (_, n) => [`word ${n}`, "high" as Severity | null]))

describe("a source", () => {
  const fresh = { id: freshId<SourceId>(), kind: "generic", token: "a".repeat(32), sealed: "v1", check: null } as const
  const created = (name: string, services: ReadonlyArray<string>) =>
    ChangeSource.create(ana, { ...fresh, name, services, isTimestampRequired: false })(onCall())

  it.each([
    ["with the name of a deleted one", "GONE", [], "SourceNameTaken"],
    ["for a missing service", "new", ["nothing"], "ServiceUnknown"],
    ["for a service that is named twice", "new", ["checkout", "Checkout"], null]
  ])("%s is created or refused", (_, name, services, tag) => assert.strictEqual(refusal(created(name, services)), tag))

  it("feeds each service once", () =>
    assert.deepStrictEqual(success(created("new", ["checkout", "Checkout"])).result.services, [checkout.id]))

  const set = (name: string, changes: Partial<ChangeSource.SourceChanges>) =>
    ChangeSource.set(ana, name, { ...nothing, ...changes })

  it.each<
    [string, (at: OnCallContext) => Either.Either<Decided<SignalSource>, { readonly _tag: string }>, string | null]
  >([
    ["pausing a missing one", ChangeSource.pause(ana, "nothing"), "SourceUnknown"],
    ["pausing a paused one", ChangeSource.pause(ana, "quiet"), "SourceAlreadySo"],
    ["resuming an active one", ChangeSource.resume(ana, "tool"), "SourceAlreadySo"],
    ["signed times for a check", set("shop", { isTimestampRequired: true }), "SourceTakesNoPosts"],
    ["words for a check", set("shop", { severities: words(1) }), "SourceTakesNoPosts"],
    ["a missing service", set("tool", { services: ["nothing"] }), "ServiceUnknown"],
    ["an address for a tool", set("tool", { check: { url: "https://acme.test/" as Check["url"] } }), "InvalidCheck"],
    ["an invalid interval", set("shop", { check: { intervalSeconds: 1 } }), "InvalidCheck"],
    ["an old form", ChangeSource.set(ana, "tool", nothing, DateTime.unsafeMake(1)), "ChangedMeanwhile"],
    ["too many words", set("tool", { severities: words(51) }), "TooManyWords"],
    ["a deletion that is confirmed in other letters", ChangeSource.remove(ana, "tool", "Tool"), "NotConfirmed"],
    ["a deletion that is not confirmed", ChangeSource.remove(ana, "tool", "other"), "NotConfirmed"],
    ["pausing", ChangeSource.pause(ana, "TOOL"), null],
    ["resuming", ChangeSource.resume(ana, "quiet"), null],
    ["words", set("tool", { severities: words(50) }), null],
    ["another interval", set("shop", { check: { intervalSeconds: 30 } }), null]
  ])("takes a change or refuses it: %s", (_, decide, tag) => assert.strictEqual(refusal(decide(onCall())), tag))

  it("keeps its previous secret for a day", () => {
    const { result } = success(ChangeSource.setSecret(ana, "tool", "v2")(onCall()))
    assert.deepStrictEqual(result.secrets, [
      { sealed: "v2", until: null },
      { sealed: "v1", until: DateTime.add(now, { hours: 24 }) }
    ])
  })

  it("forgets the trouble with its old credentials", () => {
    const sources = [new SignalSource({ ...tool, trouble: "refused" })]
    const { result } = success(ChangeSource.setCredentials(ana, "tool", "sealed")(onCall({ sources })))
    assert.deepStrictEqual([result.credentials, result.trouble], ["sealed", null])
  })

  it("takes a secret only if a tool posts to it", () => {
    const { sources } = onCall()
    assert.strictEqual(Either.getOrThrow(ChangeSource.postingNamed(sources, "tool")).id, tool.id)
    assert.strictEqual(
      Either.getOrThrow(Either.flip(ChangeSource.postingNamed(sources, shop.name)))._tag,
      "SourceTakesNoPosts"
    )
  })

  it("is deleted with its alerts and incidents", () => {
    const { change } = success(ChangeSource.remove(ana, "Tool", "tool")(onCall()))
    assert.deepStrictEqual(written(change), allEnded)
    assert.deepStrictEqual(recorded(change), [
      "signal_source_changed signal_source tool",
      "incident_resolved incident cpu is wrong"
    ])
  })

  it("remembers the topic of a handshake, and its end", () => {
    const shaken = (type: "confirm" | "disconnect") =>
      success(ChangeSource.shakeHands(ana, tool, { type, topic: "arn" })(onCall())).change.changed?.sources?.[0]
    assert.deepInclude(shaken("confirm"), { topic: "arn", disconnectedAt: null })
    assert.deepInclude(shaken("disconnect"), { topic: null, disconnectedAt: now })
  })
})

describe("an update of an alert in its tool", () => {
  const record = (source: SourceId, problem: string | null) =>
    recordUpdate(ana, { incident: key, source, to: "resolved" }, alert, problem)(onCall())

  it("is not recorded for a source that is gone", () =>
    assert.strictEqual(refusal(record(freshId<SourceId>(), null)), "gone"))

  it.each([
    [null, undefined, "success"],
    ["the key is refused", "the key is refused", "failure"]
  ])("with the problem %s is recorded, and shown at the source", (problem, trouble, result) => {
    const { change } = success(record(tool.id, problem))
    assert.strictEqual(change.changed?.sources?.[0]?.trouble, trouble)
    assert.deepStrictEqual(
      change.audit.map((fact) => fact.result),
      [result]
    )
  })
})
