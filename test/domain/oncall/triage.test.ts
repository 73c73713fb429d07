import { assert, describe, it } from "@effect/vitest"
import { at, fires, recovers, type Scene, scene, service, source } from "./TriageScene.ts"

const [high, medium, low] = ["high", "medium", "low"] as const

/** State of the newest episode. */
const stand = (one: Scene, fingerprint = "cpu"): ReadonlyArray<string | null> => {
  const { incident, reason, status } = one.alert(fingerprint)
  return [status, reason, incident]
}

describe("an alert that fires", () => {
  it("opens an incident, which is called as it is and as severe", () => {
    const one = scene()
    assert.deepStrictEqual(one.post(0, fires("cpu", { title: "CPU is hot", severity: "critical" })), ["opened"])
    assert.deepStrictEqual(one.why(), ["It opened inc-0001."])
    assert.deepStrictEqual(stand(one), ["firing", "opened", "inc-0001"])
    const [incident] = one.incidents()
    assert.deepInclude(incident, { title: "CPU is hot", severity: "critical", status: "open", alerts: 1 })
    assert.deepStrictEqual(incident?.openedAt, at(0))
  })

  it("joins the incident that is open, whatever its own severity", () => {
    const one = scene()
    one.post(0, fires("cpu"))
    assert.deepStrictEqual(one.post(1, fires("disk", { severity: "info" })), ["joined"])
    assert.deepStrictEqual(one.why(), ["inc-0001 was open."])
    assert.deepStrictEqual(stand(one, "disk"), ["firing", "joined", "inc-0001"])
    assert.deepInclude(one.incidents()[0], { alerts: 2, severity: high, title: "cpu is wrong" })
  })

  it("and fires again is a repeat: counted, last seen then, with what was said last", () => {
    const one = scene()
    one.post(0, fires("cpu", { description: "70 %", labels: { host: "a" } }))
    assert.deepStrictEqual(one.post(5, fires("cpu", { severity: null, labels: { host: "b" } })), ["repeat"])
    assert.deepStrictEqual(one.why(), ["It still fires in inc-0001."])
    const { count, description, firstSeenAt, labels, lastSeenAt, reason, severity } = one.alert("cpu")
    assert.deepStrictEqual([count, description, labels, severity, reason], [2, "70 %", { host: "b" }, high, "opened"])
    assert.deepStrictEqual([firstSeenAt, lastSeenAt], [at(0), at(5)])
    assert.strictEqual(one.alerts().length, 1)
    assert.deepInclude(one.incidents()[0], { alerts: 1, severity: high })
  })

  it("and is worse now makes its incident worse, which never gets better", () => {
    const one = scene()
    one.post(0, fires("cpu"))
    one.post(1, fires("cpu", { severity: "critical" }))
    assert.deepStrictEqual([one.alert("cpu").severity, one.incidents()[0]?.severity], ["critical", "critical"])
    one.post(2, fires("cpu", { severity: low }))
    assert.deepStrictEqual([one.alert("cpu").severity, one.incidents()[0]?.severity], [low, "critical"])
  })

  it("and is told once more by an older delivery keeps what the newer said", () => {
    const one = scene()
    one.post(1, fires("cpu", { at: 1, severity: high, description: "new" }))
    assert.deepStrictEqual(one.post(2, fires("cpu", { at: 0, severity: "critical", description: "old" })), ["repeat"])
    assert.deepInclude(one.alert("cpu"), { severity: high, description: "new", count: 2 })
    assert.deepStrictEqual([one.alert("cpu").firedAt, one.incidents()[0]?.severity], [at(1), "critical"])
  })

  it("without a severity is Medium, or as its last episode was", () => {
    const one = scene({ services: [service(1, "checkout", { minimumSeverity: "info" })] })
    one.post(0, fires("cpu", { severity: null }))
    assert.strictEqual(one.alert("cpu").severity, medium)
    one.post(1, fires("disk", { severity: low }), recovers("disk"), fires("disk", { severity: null }))
    assert.strictEqual(one.alert("disk").severity, low)
  })
})

describe("below the lowest severity that opens an incident", () => {
  it.each([
    ["critical", "high", "opened"],
    ["high", "high", "opened"],
    ["medium", "high", "below_severity"],
    ["info", "high", "below_severity"],
    ["info", "info", "opened"],
    ["high", "critical", "below_severity"]
  ] as const)("%s, where incidents open from %s on: %s", (severity, minimumSeverity, verdict) => {
    const one = scene({ services: [service(1, "checkout", { minimumSeverity })] })
    assert.deepStrictEqual(one.post(0, fires("cpu", { severity })), [verdict])
    assert.strictEqual(one.incidents().length, verdict === "opened" ? 1 : 0)
  })

  it("an alert is recorded with the reason, and judged anew when it is worse", () => {
    const one = scene()
    one.post(0, fires("cpu", { severity: medium }))
    assert.deepStrictEqual(one.why(), ["Its severity is medium; checkout opens incidents from high on."])
    assert.deepStrictEqual(stand(one), ["firing", "below_severity", null])
    assert.deepStrictEqual(one.post(1, fires("cpu", { severity: medium })), ["repeat"])
    assert.deepStrictEqual(one.why(), [
      "It still fires. Its severity is medium; checkout opens incidents from high on."
    ])
    assert.deepStrictEqual(one.post(2, fires("cpu", { severity: high })), ["opened"])
    assert.deepStrictEqual(stand(one), ["firing", "opened", "inc-0001"])
    assert.deepStrictEqual([one.alert("cpu").count, one.alerts().length], [3, 1])
  })

  it("it joins at its next word when an incident has been reopened meanwhile", () => {
    const one = scene()
    one.post(0, fires("cpu"))
    one.post(1, recovers("cpu"))
    one.post(2, fires("disk", { severity: low }))
    one.post(3, fires("cpu"))
    assert.deepStrictEqual(one.post(4, fires("disk", { severity: low })), ["joined"])
  })
})

describe("outside the on-call hours", () => {
  const hours = { days: ["fri"], start: "22:00", end: "06:00", timeZone: "Europe/Berlin" } as const
  const nightly = () => scene({ services: [service(1, "checkout", { hours })] })

  it("an alert is recorded with the local time, and judged anew when they have begun", () => {
    const one = nightly()
    assert.deepStrictEqual(one.post(8 * 60 + 59, fires("cpu")), ["outside_hours"])
    const late = "It came on Fri 21:59 Europe/Berlin, outside the on-call hours of checkout."
    assert.deepStrictEqual(one.why(), [late])
    assert.deepStrictEqual(stand(one), ["firing", "outside_hours", null])
    assert.deepStrictEqual(one.post(8 * 60 + 59.5, fires("cpu")), ["repeat"])
    assert.deepStrictEqual(one.why(), [`It still fires. ${late}`])
    assert.deepStrictEqual(one.post(9 * 60, fires("cpu")), ["opened"])
  })

  it("severity is asked first, and an incident that is open is joined", () => {
    const one = nightly()
    assert.deepStrictEqual(one.post(0, fires("disk", { severity: low })), ["below_severity"])
    one.post(9 * 60, fires("cpu"))
    assert.deepStrictEqual(one.post(17 * 60, fires("net")), ["joined"])
  })
})

describe("of a paused source", () => {
  it("an alert is recorded, and judged anew when the source was resumed", () => {
    const one = scene()
    one.pause(0)
    assert.deepStrictEqual(one.post(1, fires("cpu")), ["source_paused"])
    assert.deepStrictEqual(one.why(), ["The source grafana is paused."])
    assert.deepStrictEqual(stand(one), ["firing", "source_paused", null])
    assert.deepStrictEqual(one.post(2, fires("cpu")), ["repeat"])
    one.pause(null)
    assert.deepStrictEqual(one.post(3, fires("cpu")), ["opened"])
  })

  it("an alert neither joins an incident nor reopens one, but recoveries count", () => {
    const one = scene()
    one.post(0, fires("cpu"))
    one.pause(1)
    assert.deepStrictEqual(one.post(2, fires("disk")), ["source_paused"])
    assert.deepStrictEqual(one.post(3, fires("cpu")), ["repeat"])
    assert.deepStrictEqual(one.post(4, recovers("cpu")), ["recovered"])
    assert.strictEqual(one.incidents()[0]?.status, "resolved")
    assert.deepStrictEqual(one.post(5, fires("cpu")), ["source_paused"])
    assert.deepStrictEqual(one.post(6, recovers("disk"), recovers("cpu")), ["recovered", "recovered"])
  })
})

describe("the service an alert is about", () => {
  const services = [service(1, "Checkout"), service(2, "checkout"), service(3, "search")]
  const gone = service(4, "gone", {}, { deletedAt: at(0) })
  const fed = (...some: ReadonlyArray<(typeof services)[number]>) =>
    scene({ services: [...services, gone], sources: [source(1, "grafana", some)] })
  const [upper, lower, search] = services as [(typeof services)[0], (typeof services)[0], (typeof services)[0]]
  const unfit = "It names no service, and the source grafana does not feed exactly one."

  it.each([
    ["the only one, whatever it names", [search], "billing", "search"],
    ["the only one, when it names none", [search], null, "search"],
    ["the only one that is left", [search, gone], null, "search"],
    ["the one it names", services, "search", "search"],
    ["the one it names in another case", services, "SEARCH", "search"],
    ["an exact match rather than another case", services, "checkout", "checkout"],
    ["an exact match rather than the first", services, "Checkout", "Checkout"],
    ["the first in another case", services, "CHECKOUT", "Checkout"]
  ] as const)("is %s", (_, some, name, expected) => {
    const one = fed(...some)
    assert.deepStrictEqual(one.post(0, fires("cpu", { service: name })), ["opened"])
    assert.strictEqual(services.find(({ id }) => id === one.alert("cpu").service)?.name, expected)
  })

  it.each([
    ["several and it names none", [upper, lower], null, unfit],
    ["several and none of that name", [upper, search], "gone", "The source grafana feeds no service named 'gone'."],
    ["none", [], "search", "The source grafana feeds no service named 'search'."],
    ["none and it names none", [], null, unfit],
    ["a deleted one", [gone], "gone", "The source grafana feeds no service named 'gone'."],
    ["others than the one it names", [upper, lower], "search", "The source grafana feeds no service named 'search'."]
  ] as const)("is none when the source feeds %s", (_, some, name, explanation) => {
    const one = fed(...some)
    assert.deepStrictEqual(one.post(0, fires("cpu", { service: name })), ["no_service"])
    assert.deepStrictEqual([one.why(), one.alert("cpu").service], [[explanation], null])
    assert.strictEqual(one.incidents().length, 0)
  })

  it("is looked for anew when it fires on", () => {
    const one = fed(upper, lower)
    one.post(0, fires("cpu"))
    one.setUp({ sources: [source(1, "grafana", [search])] })
    assert.deepStrictEqual(one.post(1, fires("cpu")), ["opened"])
    assert.strictEqual(one.alert("cpu").service, search.id)
  })

  it("stays while its incident is open", () => {
    const one = fed(search)
    one.post(0, fires("cpu"))
    one.setUp({ sources: [source(1, "grafana", [upper])] })
    assert.deepStrictEqual(one.post(1, fires("cpu")), ["repeat"])
    assert.strictEqual(one.alert("cpu").service, search.id)
  })
})
