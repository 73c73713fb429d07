import { assert, describe, it } from "@effect/vitest"
import { at, fires, type Post, recovers, type Scene, scene } from "./TriageScene.ts"

const low = { severity: "low" } as const

const facts = ({ audit }: Scene, from = 0) =>
  audit.slice(from).map(({ details, entity, event }) => {
    const own = Object.entries(details).filter(([name]) => name !== "v" && name !== "requestId")
    return [event, entity.id, Object.fromEntries(own)]
  })
const events = ({ audit }: Scene) => audit.map(({ event }) => event)

const id = "00000002-0000-4000-8000-000000000001"
const delivery = (number: number) => `00000004-0000-4000-8000-${String(number).padStart(12, "0")}`
const received = (number: number, ...verdicts: ReadonlyArray<string>) => [
  "signal_received",
  id,
  { delivery: delivery(number), verdicts }
]

describe("on record", () => {
  it("is every delivery once, then what came of it, by the service and with the team", () => {
    const one = scene()
    one.post(0, fires("cpu", { environment: "prod" }))
    one.post(1, recovers("cpu"))
    assert.deepStrictEqual(facts(one), [
      received(0, "opened"),
      ["incident_opened", "inc-0001", { service: "checkout", severity: "high", environment: "prod" }],
      received(1, "recovered"),
      ["incident_resolved", "inc-0001", { service: "checkout", by: "recovery" }]
    ])
    assert.deepStrictEqual(
      one.audit.map(({ actor, entity, team }) => [actor.type, entity.name, team]),
      [
        ["service", "grafana", null],
        ["service", "cpu is wrong", "payments"],
        ["service", "grafana", null],
        ["service", "cpu is wrong", "payments"]
      ]
    )
  })

  it("is a storm in one word: how many joined, and how much worse it got", () => {
    const one = scene()
    one.batch([0, fires("cpu")], [1, fires("disk", { severity: "critical" }), fires("net")], [2, fires("cpu")])
    assert.deepStrictEqual(facts(one), [
      received(0, "opened"),
      ["incident_opened", "inc-0001", { service: "checkout", severity: "high", environment: null }],
      received(1, "joined"),
      received(2, "repeat"),
      [
        "incident_updated",
        "inc-0001",
        { service: "checkout", joined: 2, before: { severity: "high" }, after: { severity: "critical" } }
      ]
    ])
  })

  it("is no word of an incident that a repeat left as it was", () => {
    const one = scene()
    one.post(0, fires("cpu"))
    one.post(1, fires("cpu"))
    one.post(2, fires("cpu", { severity: "critical" }))
    assert.deepStrictEqual(facts(one, 2), [
      received(1, "repeat"),
      received(2, "repeat"),
      [
        "incident_updated",
        "inc-0001",
        { service: "checkout", before: { severity: "high" }, after: { severity: "critical" } }
      ]
    ])
  })

  it("is what joined before what ended, and a reopening as such", () => {
    const one = scene()
    one.batch([0, fires("cpu")], [1, fires("disk")], [2, recovers("cpu"), recovers("disk")], [3, fires("cpu")])
    assert.deepStrictEqual(facts(one), [
      received(0, "opened"),
      ["incident_opened", "inc-0001", { service: "checkout", severity: "high", environment: null }],
      received(1, "joined"),
      received(2, "recovered"),
      ["incident_updated", "inc-0001", { service: "checkout", joined: 1 }],
      ["incident_resolved", "inc-0001", { service: "checkout", by: "recovery" }],
      received(3, "joined"),
      ["incident_updated", "inc-0001", { service: "checkout", joined: 1, reopened: true }]
    ])
  })

  it("is one opening for every incident, however often it reopens", () => {
    const one = scene()
    for (let minute = 0; minute < 30; minute += 2) {
      one.post(minute, fires("cpu"))
      one.post(minute + 1, recovers("cpu"))
    }
    assert.strictEqual(events(one).filter((event) => event === "incident_opened").length, 1)
    assert.strictEqual(events(one).filter((event) => event === "incident_resolved").length, 15)
  })
})

describe("a batch", () => {
  const story: ReadonlyArray<Post> = [
    [0, fires("disk", low), fires("net", { environment: "prod", ...low })],
    [1, fires("cpu"), fires("cpu"), fires("mem")],
    [2, recovers("cpu"), fires("disk", { severity: "critical" }), recovers("never", { at: 2 })],
    [3, recovers("disk"), recovers("mem")],
    [4, fires("cpu"), fires("never", { at: 1 })],
    [5, recovers("cpu"), fires("other")],
    [20, recovers("other"), recovers("net"), fires("cpu")],
    [21, fires("net", { environment: "prod" })]
  ]
  /** The due time of an update depends on the time of triage, so it is left out. */
  const end = (one: Scene) => ({
    alerts: one.alerts(),
    incidents: one.incidents().map((incident) => ({ ...incident, updateDueAt: null })),
    ledger: one.ledger()
  })

  it("ends as its deliveries one by one do, wherever it is cut", () => {
    const single = scene()
    for (const post of story) single.post(...post)
    for (let cut = 0; cut < story.length; cut++) {
      const batched = scene()
      batched.batch(...story.slice(0, cut + 1))
      if (cut + 1 < story.length) batched.batch(...story.slice(cut + 1))
      assert.deepStrictEqual(end(batched), end(single), `cut after ${cut}`)
      const told = (one: Scene) => events(one).filter((event) => event !== "incident_updated")
      assert.deepStrictEqual(told(batched), told(single))
    }
    assert.deepStrictEqual(
      single.incidents().map(({ status }) => status),
      ["resolved", "resolved", "open", "open"]
    )
  })
})

describe("a replay", () => {
  it("of what was judged doubles nothing", () => {
    const one = scene()
    one.post(0, fires("cpu"), fires("disk"), recovers("disk"))
    one.post(1, fires("cpu"), fires("net"))
    one.post(2, recovers("net"), fires("net"))
    const before = [one.alerts(), one.incidents()]
    for (const number of [0, 1, 2, 0]) {
      one.replay(number, 60 + number)
      assert.deepStrictEqual([one.alerts(), one.incidents()], before, String(number))
    }
    assert.deepStrictEqual(
      one.ledger().map((verdicts) => verdicts.map(({ verdict }) => verdict)),
      [
        ["repeat", "late_retry", "nothing_to_recover"],
        ["repeat", "repeat"],
        ["nothing_to_recover", "repeat"]
      ]
    )
    assert.notInclude(events(one).slice(-4), "incident_opened")
  })

  it("of a firing that has recovered since is late, also when neither has a time", () => {
    const one = scene()
    one.post(0, fires("cpu"))
    one.post(1, recovers("cpu"))
    assert.deepStrictEqual(one.replay(0, 2), ["late_retry"])
    assert.deepStrictEqual(one.replay(1, 3), ["nothing_to_recover"])
    one.post(4, fires("cpu"))
    assert.deepStrictEqual(one.replay(1, 5), ["nothing_to_recover"])
    assert.strictEqual(one.alert("cpu").status, "firing")
  })

  it("is judged by what is set up now", () => {
    const one = scene()
    one.pause(0)
    one.post(1, fires("cpu"))
    one.pause(null)
    assert.deepStrictEqual(one.replay(0, 60), ["opened"])
    assert.deepStrictEqual([one.alert("cpu").count, one.incidents().map(({ openedAt }) => openedAt)], [1, [at(60)]])
  })

  it("of what was set aside is judged for the first time, at the time of the replay", () => {
    const one = scene()
    one.setAside(0, fires("cpu"), recovers("cpu"), fires("disk"))
    assert.deepStrictEqual(one.replay(0, 60), ["opened", "recovered", "opened"])
    const [over, open] = one.incidents()
    assert.deepStrictEqual([over?.resolvedAt, open?.openedAt], [at(60), at(60)])
  })
})
