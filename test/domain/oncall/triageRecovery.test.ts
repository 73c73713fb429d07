import { assert, describe, it } from "@effect/vitest"
import { SignalSource } from "../../../domain/oncall/SignalSource.ts"
import { at, fires, recovers, type Scene, scene, service, source } from "./TriageScene.ts"

const [high, low] = ["high", "low"] as const

/** State of the newest episode. */
const stand = (one: Scene, fingerprint = "cpu"): ReadonlyArray<string | null> => {
  const { incident, reason, status } = one.alert(fingerprint)
  return [status, reason, incident]
}

describe("a test message", () => {
  it("is recorded and wakes nobody, also when an incident is open or opens", () => {
    const one = scene()
    assert.deepStrictEqual(one.post(0, fires("try", { isTest: true, severity: "critical" })), ["test"])
    assert.deepStrictEqual(one.why(), ["It is a test message of the tool."])
    one.post(1, fires("cpu"))
    assert.deepStrictEqual(one.post(2, fires("again", { isTest: true })), ["test"])
    assert.deepStrictEqual(stand(one, "try"), ["firing", "test", null])
    assert.strictEqual(one.incidents()[0]?.alerts, 1)
  })
})

describe("an alert that recovers", () => {
  it("is over, keeps its severity and incident, and ends when its tool says", () => {
    const one = scene()
    one.post(0, fires("cpu"))
    assert.deepStrictEqual(one.post(9, recovers("cpu", { severity: low, at: 8, endedAt: at(7) })), ["recovered"])
    assert.deepStrictEqual(stand(one), ["resolved", "recovered", "inc-0001"])
    assert.deepInclude(one.alert("cpu"), { severity: high, count: 1, endedAt: at(7), recoveredAt: at(8) })
    assert.deepStrictEqual([one.alert("cpu").lastSeenAt, one.why()], [at(9), ["It recovered."]])
  })

  it.each([
    ["as its tool says", { endedAt: at(7), at: 8 }, 7],
    ["at the time of its recovery", { at: 8 }, 8],
    ["when the recovery came", {}, 9]
  ] as const)("ends %s", (_, said, minute) => {
    const one = scene()
    one.post(0, fires("cpu"))
    one.post(9, recovers("cpu", said))
    assert.deepStrictEqual(one.alert("cpu").endedAt, at(minute))
  })

  it("and recovers again, or was never known, has nothing to recover", () => {
    const one = scene()
    assert.deepStrictEqual(one.post(0, recovers("cpu")), ["nothing_to_recover"])
    assert.deepStrictEqual([one.why(), one.alerts()], [["No alert of this fingerprint fires."], []])
    one.post(1, fires("cpu"))
    one.post(2, recovers("cpu"))
    assert.deepStrictEqual(one.post(3, recovers("cpu")), ["nothing_to_recover"])
    assert.deepStrictEqual(one.why(), ["It had recovered already."])
    assert.deepStrictEqual(one.alert("cpu").lastSeenAt, at(2))
  })

  it("belongs to its source: another's alert of that fingerprint fires on", () => {
    const checkout = service(1, "checkout")
    const [first, second] = [source(1, "grafana", [checkout]), source(2, "datadog", [checkout])]
    const one = scene({ services: [checkout], sources: [first, second] })
    one.postBy(first, 0, fires("cpu"))
    assert.deepStrictEqual(one.postBy(second, 1, recovers("cpu")), ["nothing_to_recover"])
    assert.deepStrictEqual(one.postBy(second, 2, fires("cpu")), ["joined"])
    one.postBy(first, 3, recovers("cpu"))
    assert.deepStrictEqual(
      one.alerts().map(({ status }) => status),
      ["resolved", "firing"]
    )
    assert.strictEqual(one.incidents()[0]?.status, "open")
  })
})

describe("what comes late", () => {
  it.each([
    ["before its recovery", 4, "late_retry"],
    ["at the time of its recovery", 5, "late_retry"],
    ["after its recovery", 5.001, "opened"]
  ] as const)("a firing from %s", (_, minute, verdict) => {
    for (const isSeen of [true, false]) {
      const one = scene()
      if (isSeen) one.post(0, fires("cpu", { at: 0 }))
      one.post(5, recovers("cpu", { at: 5 }))
      const expected = isSeen && verdict === "opened" ? "joined" : verdict
      assert.deepStrictEqual(one.post(6, fires("cpu", { at: minute })), [expected], String(isSeen))
      if (verdict === "late_retry") {
        assert.deepStrictEqual(one.why(), ["It is older than a recovery that came before it."])
        assert.notInclude(
          one.alerts().map(({ status }) => status),
          "firing"
        )
      }
    }
  })

  it("a firing that a recovery ended is late also when it fires again", () => {
    const one = scene()
    one.post(0, recovers("cpu", { at: 5 }))
    one.post(1, fires("cpu", { at: 6 }))
    assert.deepStrictEqual(one.post(2, fires("cpu", { at: 4, severity: "critical" })), ["late_retry"])
    assert.deepInclude(one.alert("cpu"), { count: 1, severity: high })
  })

  it("a reopening always fires", () => {
    const one = scene()
    one.post(0, fires("cpu", { at: 0 }))
    one.post(5, recovers("cpu", { at: 5 }))
    assert.deepStrictEqual(one.post(6, fires("cpu", { at: 4, isReopening: true })), ["joined"])
    assert.strictEqual(one.alert("cpu").status, "firing")
  })

  it("a recovery from before it fired again recovers nothing", () => {
    const one = scene()
    one.post(0, fires("cpu", { at: 7 }))
    assert.deepStrictEqual(one.post(1, recovers("cpu", { at: 6 })), ["nothing_to_recover"])
    assert.deepStrictEqual(one.why(), ["It fired again after the time of this recovery."])
    assert.strictEqual(one.alert("cpu").status, "firing")
    assert.deepStrictEqual(one.post(2, recovers("cpu", { at: 7 })), ["recovered"])
  })

  it.each([
    ["neither has a time", undefined, undefined],
    ["the firing has none", undefined, 5],
    ["the recovery has none", 5, undefined]
  ] as const)("where %s, order of receipt decides", (_, fired, recovered) => {
    const [firing, recovery] = [
      fires("cpu", fired === undefined ? {} : { at: fired }),
      recovers("cpu", recovered === undefined ? {} : { at: recovered })
    ]
    const one = scene()
    one.post(0, firing)
    assert.deepStrictEqual(one.post(1, recovery), ["recovered"])
    assert.deepStrictEqual(one.post(2, firing), ["joined"])
    assert.deepStrictEqual(one.post(3, recovery), ["recovered"])
  })

  it("of a source that was deleted meanwhile is recorded as ignored", () => {
    const one = scene()
    one.setUp({ sources: [new SignalSource({ ...source(1, "grafana", [service(1, "checkout")]), deletedAt: at(1) })] })
    assert.deepStrictEqual(one.post(2, fires("cpu"), recovers("disk", { at: 1 })), ["ignored", "ignored"])
    assert.deepStrictEqual([one.why()[0], one.alerts()], ["The source grafana was deleted.", []])
  })
})
