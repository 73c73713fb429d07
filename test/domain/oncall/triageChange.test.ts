import { assert, describe, it } from "vitest"
import { Alert, type AlertId } from "../../../domain/oncall/Alert.ts"
import type { Arrival, DeliveryId } from "../../../domain/oncall/Delivery.ts"
import { ended } from "../../../domain/oncall/EndAlerts.ts"
import type { Incident } from "../../../domain/oncall/Incident.ts"
import type { Signal } from "../../../domain/oncall/Signal.ts"
import type { SourceId } from "../../../domain/oncall/SignalSource.ts"
import { triage } from "../../../domain/oncall/Triage.ts"
import type { TriageSnapshot } from "../../../domain/oncall/TriageBoard.ts"
import type { IncidentKey } from "../../../domain/value/IncidentKey.ts"
import type { JobId } from "../../../domain/work/Job.ts"
import { uuid } from "./NotifyScene.ts"
import { at, fires, recovers, scene, service, source } from "./TriageScene.ts"

const services = [service(1, "checkout"), service(2, "web")]
const sources = [source(1, "grafana", services)]
const here = { service: "checkout" }
const there = { service: "web" }

const arrival = (minute: number, ...signals: ReadonlyArray<Signal>): Arrival => ({
  id: uuid(7, 0) as DeliveryId,
  source: sources[0]?.id as SourceId,
  receivedAt: at(minute),
  isReplay: false,
  signals,
  known: []
})

const snapshot = (
  minute: number,
  signals: ReadonlyArray<Signal>,
  more: Partial<TriageSnapshot> = {}
): TriageSnapshot => ({
  now: at(minute),
  arrivals: [arrival(minute, ...signals)],
  sources,
  services,
  alerts: [],
  incidents: [],
  freshAlerts: signals.map((_, index) => uuid(8, index) as AlertId),
  freshIncidents: signals.map((_, index) => `inc-000${index}` as string as IncidentKey),
  freshJobs: Array.from({ length: 3 * signals.length }, (_, index) => uuid(9, index) as JobId),
  ...more
})

/** Alerts and incidents after some signals. */
const after = (minute: number, ...signals: ReadonlyArray<Signal>) => {
  const one = scene({ services, sources })
  one.post(minute, ...signals)
  const alerts = one.alerts()
  const firing = ({ key }: Incident) => alerts.filter(({ incident }) => incident === key).length
  return { alerts, incidents: one.incidents().map((incident) => ({ incident, firing: firing(incident) })) }
}

const keys = (rows: ReadonlyArray<Incident> | undefined) => rows?.map(({ key, status }) => `${key} ${status}`)
const prints = (rows: ReadonlyArray<Alert> | undefined) => rows?.map(({ fingerprint }) => fingerprint)

describe("the change that triage writes", () => {
  it("adds what is new and changes what was known, each once", () => {
    const before = after(0, fires("cpu", here))
    const { change } = triage(snapshot(1, [fires("disk", there), fires("net", here)], before))
    assert.deepStrictEqual(keys(change.added.incidents), ["inc-0000 open"])
    assert.deepStrictEqual(keys(change.changed.incidents), ["inc-0001 open"])
    assert.deepStrictEqual(prints(change.added.alerts), ["disk", "net"])
    assert.deepStrictEqual(prints(change.changed.alerts), [])
    const again = triage(snapshot(1, [fires("cpu", here)], before)).change
    assert.deepStrictEqual([prints(again.added.alerts), prints(again.changed.alerts)], [[], ["cpu"]])
  })

  it("writes incidents that end before those that stay open", () => {
    const before = after(0, fires("cpu", here), fires("disk", there))
    const both = [fires("net", here), recovers("disk", there)]
    for (const signals of [both, both.toReversed()])
      assert.deepStrictEqual(keys(triage(snapshot(1, signals, before)).change.changed.incidents), [
        "inc-0002 resolved",
        "inc-0001 open"
      ])
  })

  it("needs a fresh key for every signal", () =>
    assert.throws(
      () => triage(snapshot(0, [fires("cpu", here)], { freshAlerts: [] })),
      "fewer fresh ids were drawn than rows are added"
    ))

  it("leaves out deliveries of sources that are gone", () => {
    const { change, verdicts } = triage(snapshot(0, [fires("cpu", here)], { sources: [] }))
    assert.deepStrictEqual([verdicts.size, change.added.alerts], [0, []])
  })
})

describe("an alert that a person ended", () => {
  const acknowledged = (minute: number | null, more: Partial<Alert> = {}) => {
    const before = after(0, fires("cpu", { ...here, at: 0 }))
    const over = ended(before.alerts, before.incidents, at(1), "Ana ended it.")
    const alerts = over.alerts.map((alert) => new Alert({ ...alert, ...more }))
    const incidents = over.incidents.map((incident) => ({ incident, firing: 0 }))
    const said = minute === null ? {} : { at: minute }
    const signal = fires("cpu", { ...here, ...said, isAcknowledgement: true })
    const { verdicts } = triage(snapshot(30, [signal], { alerts, incidents }))
    const [found] = verdicts.get(arrival(0).id) ?? []
    return [found?.verdict, found?.explanation]
  }
  const ignored = ["ignored", "It was acknowledged in the tool, and is over here."]
  const opened = ["opened", "It opened inc-0000."]

  it.each<readonly [string, Partial<Alert>, ReadonlyArray<string>]>([
    ["which the tool never saw recover", {}, ignored],
    ["which recovered before it fired last", { recoveredAt: at(-5) }, ignored],
    ["which the tool saw recover since", { recoveredAt: at(5) }, opened],
    ["which recovered as it fired", { recoveredAt: at(0) }, opened],
    ["which recovered at a known time and fired at none", { recoveredAt: at(5), firedAt: null }, opened]
  ])("%s", (_, more, expected) => assert.deepStrictEqual<unknown>(acknowledged(30, more), expected))
})

describe("a repeat", () => {
  const repeated = (first: Parameters<typeof fires>[1], second: Parameters<typeof fires>[1]) => {
    const one = scene({ services, sources })
    one.post(0, fires("cpu", { ...here, severity: "high", title: "first", ...first }))
    one.post(1, fires("cpu", { ...here, severity: "critical", title: "second", ...second }))
    const { count, firedAt, title } = one.alert("cpu")
    return [title, firedAt, count] as const
  }

  it.each([
    ["without times", {}, {}, ["second", null, 2]],
    ["whose first had a time", { at: 0 }, {}, ["second", at(0), 2]],
    ["whose second has a time", {}, { at: 1 }, ["second", at(1), 2]],
    ["in order", { at: 0 }, { at: 1 }, ["second", at(1), 2]],
    ["that is older says nothing new", { at: 5 }, { at: 1 }, ["first", at(5), 2]]
  ] as const)("%s", (_, first, second, expected) => assert.deepStrictEqual<unknown>(repeated(first, second), expected))

  it("that still names no service of the source stays without one", () => {
    const one = scene({ services, sources })
    one.post(0, fires("cpu", { service: "nobody" }))
    assert.deepStrictEqual(one.post(1, fires("cpu", { service: "nobody" })), ["repeat"])
    assert.isNull(one.alert("cpu").service)
    assert.deepStrictEqual(one.why(), ["It still fires. The source grafana feeds no service named 'nobody'."])
  })
})
