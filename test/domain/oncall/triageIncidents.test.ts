import { assert, describe, it } from "@effect/vitest"
import { at, fires, recovers, scene, service, source } from "./TriageScene.ts"

const low = { severity: "low" } as const

describe("an incident that opens", () => {
  it("takes what still fires of its service and environment, in the order in which it came", () => {
    const one = scene()
    one.post(0, fires("disk", low), fires("net", low), fires("over", low), recovers("over"))
    one.post(1, fires("cpu"))
    assert.deepStrictEqual(
      one.alerts().map(({ fingerprint, incident, reason }) => [fingerprint, incident, reason]),
      [
        ["disk", "inc-0001", "joined"],
        ["net", "inc-0001", "joined"],
        ["over", null, "recovered"],
        ["cpu", "inc-0001", "opened"]
      ]
    )
    assert.strictEqual(one.alert("disk").explanation, "It still fired when inc-0001 opened.")
    assert.deepInclude(one.incidents()[0], { alerts: 3, severity: "high", title: "cpu is wrong" })
  })

  it("is as severe as the worst that it takes", () => {
    const hours = { days: ["fri"], start: "12:30", end: "13:00", timeZone: "UTC" } as const
    const one = scene({ services: [service(1, "checkout", { hours })] })
    assert.deepStrictEqual(one.post(0, fires("disk", { severity: "critical" })), ["outside_hours"])
    assert.deepStrictEqual(one.post(30, fires("cpu")), ["opened"])
    assert.strictEqual(one.incidents()[0]?.severity, "critical")
  })

  it("leaves alone what is of another service or environment, a test, or of a paused source", () => {
    const [checkout, search] = [service(1, "checkout"), service(2, "search")]
    const [first, second] = [source(1, "grafana", [checkout, search]), source(2, "datadog", [checkout])]
    const one = scene({ services: [checkout, search], sources: [second, first] })
    const about = { service: "checkout", ...low }
    one.pause(0)
    assert.deepStrictEqual(one.post(0, fires("paused", about)), ["source_paused"])
    one.postBy(
      first,
      1,
      fires("search", { ...about, service: "search" }),
      fires("staging", { ...about, environment: "s" })
    )
    one.postBy(first, 2, fires("try", { ...about, isTest: true }), fires("nowhere", { service: "none" }))
    one.postBy(first, 3, fires("mine", about), fires("cpu", { service: "checkout" }))
    assert.deepStrictEqual(
      one
        .alerts()
        .filter(({ incident }) => incident !== null)
        .map(({ fingerprint }) => fingerprint),
      ["mine", "cpu"]
    )
    one.pause(null)
    one.postBy(first, 4, recovers("mine"), recovers("cpu"))
    one.postBy(first, 20, fires("again", { service: "checkout" }))
    assert.strictEqual(one.alert("paused").incident, "inc-0002")
  })
})

describe("incidents keep apart", () => {
  it("services, and environments, of which none is one of its own", () => {
    const services = [service(1, "checkout"), service(2, "search")]
    const one = scene({ services })
    const spots = services.flatMap(({ name }) =>
      [null, "", "prod", "Prod"].map((environment) => ({ service: name, environment }))
    )
    for (const [index, spot] of spots.entries())
      assert.deepStrictEqual(one.post(index, fires(`cpu ${index}`, spot)), ["opened"], JSON.stringify(spot))
    for (const [index, spot] of spots.entries()) {
      assert.deepStrictEqual(one.post(10 + index, fires(`disk ${index}`, spot)), ["joined"])
      assert.strictEqual(one.alert(`disk ${index}`).incident, one.alert(`cpu ${index}`).incident)
    }
    one.post(20, recovers("cpu 0"), recovers("disk 0"))
    assert.deepStrictEqual(
      one.incidents().map(({ status }) => status),
      spots.map((_, index) => (index === 0 ? "resolved" : "open"))
    )
  })

  it("an alert stays in the environment in which it began to fire", () => {
    const one = scene()
    one.post(0, fires("cpu", { environment: "prod" }))
    assert.deepStrictEqual(one.post(1, fires("cpu", { environment: "staging" })), ["repeat"])
    assert.strictEqual(one.alert("cpu").environment, "prod")
  })
})

describe("an incident resolves", () => {
  it("when every alert in it has recovered, at the time of the last", () => {
    const one = scene()
    one.post(0, fires("cpu"), fires("disk"), fires("net"))
    one.post(1, recovers("disk"))
    one.post(2, recovers("cpu", { at: 1 }))
    assert.deepInclude(one.incidents()[0], { status: "open", resolvedAt: null, alerts: 3 })
    one.post(3, recovers("net"))
    assert.deepInclude(one.incidents()[0], { status: "resolved", resolvedAt: at(3), alerts: 3 })
  })

  it("and takes no other alert: the next opens another", () => {
    const one = scene()
    one.post(0, fires("cpu"))
    one.post(1, recovers("cpu"))
    assert.deepStrictEqual(one.post(2, fires("disk")), ["opened"])
    assert.deepStrictEqual(one.why(), ["It opened inc-0002."])
  })

  it("within the delivery that opened it, too", () => {
    const one = scene()
    assert.deepStrictEqual(one.post(0, fires("cpu"), recovers("cpu")), ["opened", "recovered"])
    assert.strictEqual(one.incidents()[0]?.status, "resolved")
    assert.deepStrictEqual(one.post(1, fires("disk"), recovers("disk"), fires("net")), [
      "opened",
      "recovered",
      "opened"
    ])
    assert.deepStrictEqual(
      one.incidents().map(({ status }) => status),
      ["resolved", "resolved", "open"]
    )
  })
})

describe("an alert that fires again", () => {
  const again = (seconds: number, said = {}) => {
    const one = scene()
    one.post(0, fires("cpu"))
    one.post(1, recovers("cpu"))
    const verdicts = one.post(1 + seconds / 60, fires("cpu", said))
    return { one, verdicts }
  }

  it.each([
    [0, "joined"],
    [599.999, "joined"],
    [600, "joined"],
    [600.001, "opened"]
  ] as const)("%s s after its incident was over: %s", (seconds, verdict) => {
    const { one, verdicts } = again(seconds)
    assert.deepStrictEqual(verdicts, [verdict])
    assert.strictEqual(one.alerts().length, 2)
    if (verdict === "opened") return assert.strictEqual(one.incidents().length, 2)
    assert.deepStrictEqual(one.why(), ["It fired again within 10 minutes and reopened inc-0001."])
    assert.deepInclude(one.incidents()[0], { status: "open", resolvedAt: null, alerts: 1, openedAt: at(0) })
  })

  it("is counted once in its incident, however often it comes back", () => {
    const one = scene()
    for (const minute of [0, 2, 4, 6]) {
      one.post(minute, fires("cpu"), fires("disk"))
      one.post(minute + 1, recovers("cpu"), recovers("disk"))
    }
    assert.deepInclude(one.incidents()[0], { alerts: 2, status: "resolved" })
    assert.strictEqual(one.incidents().length, 1)
  })

  it("reopens its incident whatever its severity, but not in another environment", () => {
    const { one, verdicts } = again(60, low)
    assert.deepStrictEqual([verdicts, one.incidents()[0]?.severity], [["joined"], "high"])
    assert.deepStrictEqual(again(60, { environment: "prod" }).verdicts, ["opened"])
    assert.deepStrictEqual(again(60, { environment: "prod", ...low }).verdicts, ["below_severity"])
  })

  it("within 10 minutes of the incident's end, however long ago it recovered itself", () => {
    const one = scene()
    one.post(0, fires("cpu"), fires("disk"))
    one.post(1, recovers("cpu"))
    one.post(60, recovers("disk"))
    assert.deepStrictEqual(one.post(70, fires("cpu")), ["joined"])
    one.post(71, recovers("cpu"))
    assert.deepStrictEqual(one.post(80, fires("disk")), ["joined"])
  })

  it("joins an incident that is open rather than reopening its own, and belongs to that one from then on", () => {
    const one = scene()
    one.post(0, fires("cpu"))
    one.post(1, recovers("cpu"))
    one.post(2, fires("disk"))
    assert.deepStrictEqual(one.post(3, fires("cpu")), ["joined"])
    assert.deepStrictEqual([one.why(), one.alert("cpu").incident], [["inc-0002 was open."], "inc-0002"])
    assert.strictEqual(one.incidents()[0]?.status, "resolved")
    one.post(4, recovers("cpu"), recovers("disk"))
    one.post(5, fires("cpu"))
    assert.strictEqual(one.alert("cpu").incident, "inc-0002")
  })

  it("and opens another incident is still known by the first", () => {
    const { one } = again(601)
    assert.deepStrictEqual(
      one.alerts().map(({ count, incident, status }) => [incident as string, status, count]),
      [
        ["inc-0001", "resolved", 1],
        ["inc-0002", "firing", 1]
      ]
    )
  })
})

describe("a title", () => {
  const planned = { severity: "high", title: "Payments: under maintenance" } as const
  const outage = { severity: "critical", title: "Payments: major outage", description: "All is lost" } as const
  const links = [{ label: "Status", url: "https://status.example.com" }]

  it("of an alert is the newest it was sent, with description and links", () => {
    const one = scene()
    one.post(0, fires("payments", { ...planned, severity: "info", at: 0 }))
    one.post(1, fires("payments", { ...outage, links, at: 1 }))
    one.post(2, fires("payments", { ...planned, severity: "info", at: 0.5 }))
    assert.deepInclude(one.alert("payments"), { title: outage.title, description: "All is lost", links })
    assert.deepInclude(one.incidents()[0], { title: outage.title, severity: "critical" })
  })

  it("of an incident stays the first one's, unless an alert raises its severity", () => {
    const one = scene()
    one.post(0, fires("a", planned), fires("b", { severity: "high", title: "Another" }))
    assert.strictEqual(one.incidents()[0]?.title, planned.title)
    one.post(1, fires("a", { ...planned, title: "Payments: partial outage" }))
    assert.strictEqual(one.incidents()[0]?.title, planned.title)
    one.post(2, fires("b", outage))
    assert.deepInclude(one.incidents()[0], { title: outage.title, severity: "critical" })
    const two = scene()
    two.post(0, fires("a", planned))
    two.post(1, fires("c", outage))
    assert.deepInclude(two.incidents()[0], { title: outage.title, severity: "critical", alerts: 2 })
  })
})

describe("a severity that nobody knows", () => {
  const said = { severity: "medium", unknownSeverity: "page" } as const

  it("is named by its word in whatever becomes of the alert", () => {
    const guess = " Severity 'page' is not known to generic sources; read as medium."
    const one = scene()
    one.post(0, fires("cpu", said))
    const below = `Its severity is medium; checkout opens incidents from high on.${guess}`
    assert.deepStrictEqual(one.why(), [below])
    assert.strictEqual(one.alert("cpu").explanation, below)
    one.post(1, fires("cpu", said))
    assert.deepStrictEqual(one.why(), [`It still fires. ${below}`])
    one.post(2, fires("disk"), fires("net", said))
    assert.deepStrictEqual(one.why(), ["It opened inc-0001.", `inc-0001 was open.${guess}`])
  })
})
