import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import type { Alert, AlertId } from "../../../domain/oncall/Alert.ts"
import type { DeliveryId } from "../../../domain/oncall/Delivery.ts"
import { foldSeconds } from "../../../domain/oncall/NotifyPlan.ts"
import { Incident } from "../../../domain/oncall/Incident.ts"
import type { IncidentKey } from "../../../domain/value/IncidentKey.ts"
import type { Job, JobId } from "../../../domain/work/Job.ts"
import type { OnCallSettings } from "../../../domain/oncall/Service.ts"
import type { Signal } from "../../../domain/oncall/Signal.ts"
import { triage } from "../../../domain/oncall/Triage.ts"
import { at, fires, recovers, service, source } from "./TriageScene.ts"

const uuid = (kind: number, number: number) =>
  `0000000${kind}-0000-4000-a000-${number.toString(16).padStart(12, "0")}` as string

/** A service on call, and the queued jobs about its incidents. */
const ward = (settings: typeof OnCallSettings.Encoded = {}) => {
  const services = [service(1, "checkout", settings)]
  const sources = [source(1, "grafana", services)]
  const [alerts, incidents] = [new Map<string, Alert>(), new Map<IncidentKey, Incident>()]
  const queued: Array<Job> = []
  let made = 0
  const firing = (key: IncidentKey) =>
    [...alerts.values()].filter(({ incident, status }) => incident === key && status === "firing").length

  return {
    /** Triages deliveries together, that many seconds after noon. */
    judge: (second: number, ...posts: ReadonlyArray<ReadonlyArray<Signal>>) => {
      const now = at(second / 60)
      const fresh = posts.flatMap((signals) => signals.map(() => ++made))
      const { change } = triage({
        now,
        arrivals: posts.map((signals) => ({
          id: uuid(1, ++made) as DeliveryId,
          source: sources[0]?.id as never,
          receivedAt: now,
          isReplay: false,
          signals,
          known: []
        })),
        sources,
        services,
        alerts: [...alerts.values()],
        incidents: [...incidents.values()].map((incident) => ({ incident, firing: firing(incident.key) })),
        freshAlerts: fresh.map((number) => uuid(2, number) as AlertId),
        freshJobs: fresh.flatMap((number) => [1, 2, 3].map((more) => uuid(3, 3 * number + more) as JobId)),
        freshIncidents: fresh.map((number) => `inc-${String(number).padStart(4, "0")}` as string as IncidentKey)
      })
      for (const rows of [change.added, change.changed]) {
        for (const alert of rows?.alerts ?? []) alerts.set(alert.fingerprint, alert)
        for (const incident of rows?.incidents ?? []) incidents.set(incident.key, incident)
      }
      queued.push(...(change.added?.jobs ?? []))
    },
    jobs: queued,
    acknowledge: (key: IncidentKey) => {
      const before = incidents.get(key)
      if (before !== undefined)
        incidents.set(key, new Incident({ ...before, acknowledgedAt: at(0), acknowledgedBy: "Ann" }))
    },
    incidents: () => [...incidents.values()],
    /** The queued jobs in order, each with the second it is due. */
    told: () =>
      queued.map(({ dueAt, payload }) =>
        dueAt === null
          ? payload["event"]
          : `${String(payload["event"])} at ${(dueAt.epochMillis - at(0).epochMillis) / 1000}`
      )
  }
}

const hosts = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, index) => fires(`host-${from + index}`))

describe("what is told of incidents", () => {
  it("is queued in one lane for each, about it and for its team", () => {
    const one = ward()
    one.judge(0, [fires("cpu", { environment: "prod" })], [fires("cpu-2", { environment: "test" })])
    one.judge(1, [fires("mem", { environment: "prod" })])
    const [prod, test] = one.incidents().map(({ key }) => key)
    assert.deepStrictEqual(
      one.jobs.map(({ kind, lane, payload, status, team }) => [kind, status, team, lane, payload["incident"]]),
      [
        ["follow_incident", "queued", "payments", `follow ${prod}`, prod],
        ["follow_incident", "queued", "payments", `follow ${test}`, test],
        ["follow_incident", "queued", "payments", `follow ${prod}`, prod]
      ]
    )
    assert.strictEqual(new Set(one.jobs.map(({ id }) => id)).size, 3)
    assert.deepStrictEqual(one.jobs[0]?.payload, { incident: prod, event: "opened", decision: null, isLater: false })
    assert.deepStrictEqual(one.jobs[0]?.createdAt, at(0))
  })

  it("of a storm in one batch is one word, that it opened", () => {
    const one = ward()
    one.judge(0, ...hosts(0, 50).map((signal) => [signal]))
    assert.deepStrictEqual(one.told(), ["opened"])
    assert.strictEqual(one.incidents()[0]?.alerts, 50)
  })

  it(`of a storm in many batches is that it opened, and after ${foldSeconds} seconds all that is new by then`, () => {
    const one = ward()
    one.judge(0, hosts(0, 5))
    for (let second = 1; second < 1 + foldSeconds; second++) one.judge(second, hosts(5 * second, 5 * second + 5))
    assert.deepStrictEqual(one.told(), ["opened", "updated at 16"])
    one.judge(15.999, hosts(80, 85))
    assert.deepStrictEqual(one.told(), ["opened", "updated at 16"])
    assert.deepStrictEqual(one.incidents()[0]?.updateDueAt, at(16 / 60))
    one.judge(16, hosts(85, 90))
    assert.deepStrictEqual(one.told(), ["opened", "updated at 16", "updated at 31"])
    one.judge(300, hosts(90, 95))
    assert.deepStrictEqual(one.told().slice(3), ["updated at 315"])
  })

  it("waits for one incident, whatever is new of another", () => {
    const one = ward()
    const [prod, test] = [{ environment: "prod" }, { environment: "test" }]
    one.judge(0, [fires("a", prod), fires("b", test)])
    one.judge(1, [fires("c", prod)])
    one.judge(5, [fires("d", test), fires("e", prod)])
    assert.deepStrictEqual(one.told(), ["opened", "opened", "updated at 16", "updated at 20"])
  })

  it("is that it got worse, though nothing joined", () => {
    const one = ward()
    one.judge(0, [fires("cpu")])
    one.judge(60, [fires("cpu")])
    assert.deepStrictEqual(one.told(), ["opened"])
    one.judge(61, [fires("cpu", { severity: "critical" })])
    assert.deepStrictEqual(one.told(), ["opened", "updated at 76"])
    one.judge(120, [fires("cpu", { severity: "high" })])
    assert.deepStrictEqual(one.told(), ["opened", "updated at 76"])
  })

  it("is not that one of several is better", () => {
    const one = ward()
    one.judge(0, [fires("cpu"), fires("mem")])
    one.judge(60, [recovers("cpu")])
    assert.deepStrictEqual(one.told(), ["opened"])
  })

  it("is that it is over, and that it is back, at once", () => {
    const one = ward()
    one.judge(0, [fires("cpu")])
    one.judge(60, [recovers("cpu")])
    one.judge(120, [fires("cpu")])
    one.judge(180, [recovers("cpu")])
    assert.deepStrictEqual(one.told(), ["opened", "resolved", "reopened", "resolved"])
    assert.strictEqual(one.incidents().length, 1)
    assert.strictEqual(new Set(one.jobs.map(({ lane }) => lane)).size, 1)
  })

  it("is that another opened when it comes back much later", () => {
    const one = ward()
    one.judge(0, [fires("cpu")])
    one.judge(60, [recovers("cpu")])
    one.judge(3600, [fires("cpu")])
    assert.deepStrictEqual(one.told(), ["opened", "resolved", "opened"])
    assert.strictEqual(new Set(one.jobs.map(({ lane }) => lane)).size, 2)
  })

  it.each([
    ["opens and ends", [fires("cpu"), recovers("cpu")], ["opened", "resolved"]],
    ["opens, ends and is back", [fires("cpu"), recovers("cpu"), fires("cpu")], ["opened", "resolved", "reopened"]],
    [
      "opens twice and ends twice",
      [fires("cpu"), recovers("cpu"), fires("cpu"), recovers("cpu")],
      ["opened", "resolved", "reopened", "resolved"]
    ],
    ["grows before it ends", [fires("cpu"), fires("mem"), recovers("cpu"), recovers("mem")], ["opened", "resolved"]]
  ] as ReadonlyArray<[string, ReadonlyArray<Signal>, ReadonlyArray<string>]>)(
    "of one that %s in one batch is in that order",
    (_, signals, told) => {
      const [together, apart] = [ward(), ward()]
      together.judge(0, signals)
      apart.judge(0, ...signals.map((signal) => [signal]))
      assert.deepStrictEqual([together.told(), apart.told()], [told, told])
    }
  )

  it("of one that grows and ends at once is both, what is new being void by its time", () => {
    const one = ward()
    one.judge(0, [fires("cpu")])
    one.judge(60, [fires("mem"), recovers("mem"), recovers("cpu")])
    assert.deepStrictEqual(one.told(), ["opened", "updated at 75", "resolved"])
    assert.isTrue(one.jobs[1]?.dueAt && DateTime.greaterThan(one.jobs[1].dueAt, at(1)))
  })

  it("is nothing of alerts that are in no incident", () => {
    const one = ward({ minimumSeverity: "high" })
    one.judge(0, [fires("low", { severity: "low" }), fires("try", { isTest: true }), recovers("never", { at: 0 })])
    one.judge(1, [fires("low", { severity: "medium" }), recovers("low")])
    assert.deepStrictEqual([one.told(), one.incidents()], [[], []])
    const away = ward({ hours: { days: ["mon"], start: "09:00", end: "17:00", timeZone: "UTC" } })
    away.judge(0, [fires("cpu")])
    assert.deepStrictEqual([away.told(), away.incidents()], [[], []])
  })
})

it("an incident that reopens is nobody's again; one that goes on is still looked after", () => {
  const one = ward()
  one.judge(0, [fires("cpu")])
  const [opened] = one.incidents()
  assert.isDefined(opened)
  one.acknowledge(opened.key)
  const lookedAfter = () =>
    one.incidents().map(({ acknowledgedAt, acknowledgedBy }) => [acknowledgedBy, acknowledgedAt])
  one.judge(1, [fires("disk")])
  assert.deepStrictEqual<unknown>(lookedAfter(), [["Ann", at(0)]])
  one.judge(2, [recovers("cpu"), recovers("disk")])
  one.judge(3, [fires("cpu")])
  assert.deepStrictEqual(lookedAfter(), [[null, null]])
})
