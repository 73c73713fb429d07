import { DateTime } from "effect"
import { assert, describe, it } from "vitest"
import { Alert, isStale, view } from "../../../domain/oncall/Alert.ts"
import { redacted } from "../../../domain/oncall/Delivery.ts"
import { ended, followed } from "../../../domain/oncall/EndAlerts.ts"
import { incidentFact, mayReopen } from "../../../domain/oncall/Incident.ts"
import { sourceJobs } from "../../../domain/oncall/IncidentJob.ts"
import { updatesSources } from "../../../domain/oncall/Service.ts"
import { SignalSource } from "../../../domain/oncall/SignalSource.ts"
import type { IncidentKey } from "../../../domain/value/IncidentKey.ts"
import type { JobId } from "../../../domain/work/Job.ts"
import { ana } from "../Sample.ts"
import { checkout, incident, now, pager, planned, uuid } from "./NotifyScene.ts"
import { at, fires, recovers, scene, service } from "./TriageScene.ts"

const firing = (() => {
  const here = scene()
  here.post(0, fires("cpu"), fires("disk"))
  return () => here.alerts()
})()

describe("alerts that no tool will end", () => {
  it("are ended, with their incident when it has no others", () => {
    const alerts = firing()
    const [key] = alerts.map((alert) => alert.incident as IncidentKey)
    const open = incident({ key: key as IncidentKey })
    const other = incident({ key: "inc-zzzz" as IncidentKey })
    const over = incident({ key: key as IncidentKey, status: "resolved", resolvedAt: at(1) })
    const end = (standing: Parameters<typeof ended>[1], some = alerts) => ended(some, standing, now, "It is gone.")
    const { alerts: all, incidents } = end([{ incident: open, firing: 2 }])
    assert.deepStrictEqual(
      all.map(({ endedAt, explanation, reason, status }) => [status, endedAt, reason, explanation]),
      alerts.map(() => ["resolved", now, "recovered", "It is gone."])
    )
    assert.deepStrictEqual(
      incidents.map((one) => [one.key, one.status, one.resolvedAt]),
      [[key, "resolved", now]] as never
    )
    const stranger = alerts.map((alert) => new Alert({ ...alert, incident: other.key }))
    assert.strictEqual(end([{ incident: open, firing: 2 }], [...alerts, ...stranger]).incidents.length, 1)
    assert.deepStrictEqual(end([{ incident: open, firing: 3 }]).incidents, [])
    assert.deepStrictEqual(end([{ incident: open, firing: 2 }], alerts.slice(1)).incidents, [])
    assert.deepStrictEqual(end([{ incident: other, firing: 0 }]).incidents, [])
    assert.deepStrictEqual(end([{ incident: over, firing: 2 }]).incidents, [])
  })

  it("are followed by one job for each incident", () => {
    const ids = [uuid(5, 1), uuid(5, 2)] as Array<JobId>
    const incidents = [incident(), incident({ key: "inc-bbbb" as IncidentKey })]
    assert.deepStrictEqual(
      followed(incidents, ids, now).map(({ id, kind, payload }) => [id, kind, payload["incident"], payload["event"]]),
      [
        [ids[0], "follow_incident", "inc-aaaa", "resolved"],
        [ids[1], "follow_incident", "inc-bbbb", "resolved"]
      ] as never
    )
    assert.strictEqual(followed(incidents, ids.slice(1), now).length, 1)
  })

  it.each([
    ["firing", 24, true],
    ["firing", 23.999, false],
    ["resolved", 48, false]
  ] as const)("are stale: %s for %d hours, %s", (status, hours, expected) => {
    const lastSeenAt = DateTime.subtract(now, { millis: hours * 3_600_000 })
    assert.strictEqual(isStale({ status, lastSeenAt }, now), expected)
  })

  it("are shown with names, and without our own bookkeeping", () => {
    const [alert] = firing()
    const { firedAt: _, recoveredAt: __, ...shown } = { ...(alert as Alert) }
    const names = { source: "grafana", service: "checkout" }
    assert.deepStrictEqual(view(alert as Alert, names, at(1)), { ...shown, ...names, stale: false })
  })
})

describe("a payload is shown without secrets", () => {
  it.each<readonly [unknown, unknown]>([
    [
      { password: "x", user: "ana", n: 1 },
      { password: "<redacted>", user: "ana", n: 1 }
    ],
    [
      { "api-key": 5, list: [{ TOKEN: "t" }, "plain"] },
      { "api-key": "<redacted>", list: [{ TOKEN: "<redacted>" }, "plain"] }
    ],
    [{ secrets: { a: ["x", { b: 1 }] } }, { secrets: { a: ["<redacted>", { b: "<redacted>" }] } }],
    [
      { secret: null, authorization: true },
      { secret: null, authorization: true }
    ],
    ["plain", "plain"],
    [null, null]
  ])("%j", (payload, shown) => assert.deepStrictEqual(redacted(payload), shown))
})

describe("an incident", () => {
  it("is on record under its title", () => {
    const fact = incidentFact(ana, "incident_resolved", incident(), { by: "Ana" })
    assert.deepStrictEqual([fact.event, fact.team, fact.entity, fact.details["by"]] as Array<unknown>, [
      "incident_resolved",
      "payments",
      { type: "incident", id: "inc-aaaa", name: "cpu is wrong" },
      "Ana"
    ])
    assert.doesNotHaveAnyKeys(incidentFact(ana, "incident_updated", incident()).details, ["by"])
  })

  it.each([
    ["open", null, false],
    ["resolved ten minutes ago", -10, true],
    ["resolved longer ago", -10.001, false]
  ])("that is %s may reopen: %s", (_, minutes, expected) => {
    const resolvedAt = minutes === null ? null : at(minutes)
    assert.strictEqual(mayReopen(incident({ resolvedAt }), at(0)), expected)
  })

  it("tells sources that can be told, where the service wants it", () => {
    let made = 0
    const fresh = () => uuid(6, ++made) as JobId
    const tell = (of = checkout, sources = [pager]) =>
      sourceJobs(incident(), { now, service: of, sources }, "resolved", fresh)
    assert.deepStrictEqual(
      tell().map(({ kind, lane, payload }) => [kind, lane, payload] as unknown),
      [["update_source", `source inc-aaaa ${pager.id}`, { incident: "inc-aaaa", source: pager.id, to: "resolved" }]]
    )
    const mute = new SignalSource({ ...pager, credentials: null })
    const gone = new SignalSource({ ...pager, deletedAt: now })
    assert.deepStrictEqual(tell(checkout, [mute, gone]), [])
    for (const [settings, expected] of [
      [{ acknowledgeInSource: true }, true],
      [{ acknowledgeInSource: true, observeOnly: true }, false],
      [{}, false]
    ] as const) {
      assert.strictEqual(updatesSources(service(1, "checkout", settings)), expected)
      assert.strictEqual(tell(service(1, "checkout", settings)).length, expected ? 1 : 0)
    }
  })

  it("is told of with its alerts and their links", () => {
    const links = [{ label: "Graph", url: "https://grafana.test/1" }]
    const alerts = firing().map((alert, index) => ({ ...alert, links: index === 0 ? links : [] }))
    const post = (planned("opened", { alerts }).added.jobs ?? []).find(({ kind }) => kind === "post_to_place")
    const notice = post?.payload["notice"] as { readonly alerts: unknown }
    assert.deepStrictEqual(notice.alerts, [
      { title: "cpu is wrong", severity: "high", status: "firing", url: "https://grafana.test/1" },
      { title: "disk is wrong", severity: "high", status: "firing", url: null }
    ])
  })
})

describe("an alert that a person ended", () => {
  const byHand = (recoveredAt: number | null, said: Parameters<typeof fires>[1]) => {
    const here = scene()
    here.post(0, fires("cpu", { at: 0 }))
    if (recoveredAt !== null) here.post(1, recovers("cpu", { at: recoveredAt }))
    return { here, verdicts: here.post(30, fires("cpu", { isAcknowledgement: true, ...said })), why: here.why() }
  }

  it("that recovered fires anew when it is acknowledged later", () => {
    const { verdicts } = byHand(1, { at: 30 })
    assert.deepStrictEqual(verdicts, ["opened"])
  })

  it("that fires is acknowledged, not counted", () => {
    const { here, verdicts, why } = byHand(null, { at: 30 })
    assert.deepStrictEqual([verdicts, why], [["ignored"], ["It was acknowledged in the tool."]])
    assert.strictEqual(here.alert("cpu").count, 1)
  })
})

it("a recovery of an unknown alert is kept with its reason", () => {
  const here = scene()
  assert.deepStrictEqual(here.post(0, recovers("cpu", { at: 0 })), ["nothing_to_recover"])
  const { count, explanation, reason, status } = here.alert("cpu")
  assert.deepStrictEqual(
    [status, count, reason, explanation],
    ["resolved", 0, "recovered", "It had recovered before it was seen to fire."]
  )
  assert.deepInclude(here.audit[0]?.entity, { type: "signal_source", name: "grafana" })
})
