import { assert, describe, it } from "@effect/vitest"
import { Schema, Struct } from "effect"
import { Signal } from "../../../domain/oncall/Signal.ts"
import { at, fires, recovers, scene } from "./TriageScene.ts"

type Said = Parameters<typeof fires>[1]

const acknowledges = (fingerprint: string, said: Said = {}) => fires(fingerprint, { ...said, isAcknowledgement: true })

describe("an acknowledgement in the tool", () => {
  it("of an alert that fires changes nothing but when it was last seen", () => {
    const one = scene()
    one.post(0, fires("cpu", { description: "70 %", labels: { host: "a" } }))
    const [before, incidents] = [one.alert("cpu"), one.incidents()]
    assert.deepStrictEqual(one.post(5, acknowledges("cpu", { labels: { host: "b" } })), ["ignored"])
    assert.deepStrictEqual(one.why(), ["It was acknowledged in the tool."])
    assert.deepStrictEqual({ ...one.alert("cpu") }, { ...before, lastSeenAt: at(5) })
    assert.deepStrictEqual(one.incidents(), incidents)
    assert.deepInclude(one.ledger().at(-1)?.[0], { alert: before.id, incident: before.incident })
  })

  it.each([
    ["critical", "critical"],
    ["high", "high"],
    ["low", "high"],
    [null, "high"]
  ] as const)("that says %s of an alert that is high leaves it %s, and its incident too", (severity, expected) => {
    const one = scene()
    one.post(0, fires("cpu", { severity: "high" }))
    one.post(1, acknowledges("cpu", { severity }))
    assert.deepStrictEqual([one.alert("cpu").severity, one.incidents()[0]?.severity], [expected, expected])
  })

  it("from before the last word changes no severity of the alert", () => {
    const one = scene()
    one.post(0, fires("cpu", { at: 3, severity: "low" }))
    one.post(1, acknowledges("cpu", { at: 2, severity: "critical" }))
    assert.deepInclude(one.alert("cpu"), { severity: "low", firedAt: at(3) })
  })

  it("moves no alert: what is in no incident opens none, however severe", () => {
    const one = scene()
    one.post(0, fires("cpu", { severity: "low" }))
    assert.deepStrictEqual(one.post(1, acknowledges("cpu", { severity: "critical" })), ["ignored"])
    assert.deepStrictEqual([one.alert("cpu").incident, one.incidents()], [null, []])
    assert.deepStrictEqual(one.post(2, fires("cpu", { severity: "critical" })), ["opened"])
  })

  it("of an alert that nobody knows fires", () => {
    const one = scene()
    assert.deepStrictEqual(one.post(0, acknowledges("cpu")), ["opened"])
    assert.deepInclude(one.alert("cpu"), { status: "firing", count: 1 })
  })

  it.each([
    ["before its recovery is late", 4, "late_retry"],
    ["after its recovery fires", 6, "joined"]
  ] as const)("of an alert that has recovered, from %s", (_, minute, verdict) => {
    const one = scene()
    one.post(0, fires("cpu", { at: 0 }))
    one.post(5, recovers("cpu", { at: 5 }))
    assert.deepStrictEqual(one.post(6, acknowledges("cpu", { at: minute })), [verdict])
  })

  it.each([
    ["before a recovery", 2, 3, "resolved"],
    ["after a recovery", 3, 2, "firing"]
  ] as const)("from %s ends alike in whichever order they come", (_, acknowledged, recovered, status) => {
    const events = [
      fires("cpu", { at: 1 }),
      acknowledges("cpu", { at: acknowledged }),
      recovers("cpu", { at: recovered })
    ]
    for (const order of ["012", "021", "102", "120", "201", "210"]) {
      const one = scene()
      for (const index of order) one.post(0, ...events.slice(Number(index), Number(index) + 1))
      assert.strictEqual(one.alert("cpu").status, status, order)
    }
  })

  it("is none in deliveries that were kept before it was told", () => {
    const kept = Struct.omit(Schema.encodeSync(Signal)(acknowledges("cpu")), "isAcknowledgement")
    assert.deepStrictEqual(Schema.decodeUnknownSync(Signal)(kept), fires("cpu"))
  })
})
