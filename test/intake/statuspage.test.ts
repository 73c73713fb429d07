import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { statuspage } from "../../adapters/alerting/statuspage/Statuspage.ts"
import { altered, at, expecting, noCloud, only, post, problemOf } from "./Delivering.ts"
import { bytes, json } from "./Fixtures.ts"

const component = (changes: unknown) => altered(json("statuspage", "firing"), changes)

const incident = (changes: object) => ({
  page: { id: "p3v8m1qz6ktd", status_indicator: "critical", status_description: "All Systems Operational" },
  incident: {
    id: "lbkhbwn21v5q",
    name: "Payments are slow",
    status: "investigating",
    impact: "major",
    created_at: "2026-11-14T15:00:00.000Z",
    updated_at: "2026-11-14T15:20:00.000Z",
    resolved_at: null,
    shortlink: "https://stspg.io/x1",
    incident_updates: [{ id: "u2", body: "We are looking into it.", affected_components: null }],
    components: [{ id: "c7h2r9yw4nbs", name: "Payments API", status: "operational" }],
    ...changes
  }
})

const affected = (...statuses: ReadonlyArray<string>) => ({
  incident_updates: [
    {
      body: "newest",
      affected_components: statuses.map((status, index) => ({ name: `c${index}`, new_status: status }))
    },
    { body: "older", affected_components: [{ name: "old", new_status: "major_outage" }] }
  ]
})

describe("a component of a status page", () => {
  it.effect.each([
    ["major_outage", "critical"],
    ["partial_outage", "high"],
    ["degraded_performance", "medium"],
    ["under_maintenance", "info"],
    ["something_new", "medium"]
  ] as const)("that is in %s is %s", ([status, severity]) =>
    Effect.map(only(statuspage, component({ component_update: { new_status: status } })), (signal) => {
      assert.strictEqual(signal.status, "firing")
      assert.strictEqual(signal.severity, severity)
      assert.strictEqual(signal.title, `Payments API: ${status.replaceAll("_", " ")}`)
    })
  )

  it.effect("that does not say how it is cannot be read", () =>
    problemOf(statuspage, component({ component_update: { new_status: null }, component: { status: null } }))
  )
})

describe("an incident of a status page", () => {
  it.effect.each(["investigating", "identified", "monitoring", "in_progress", "verifying"])(
    "fires while %s",
    (status) =>
      Effect.map(only(statuspage, incident({ status })), (signal) => {
        assert.strictEqual(signal.status, "firing")
        assert.strictEqual(signal.severity, "high")
        assert.strictEqual(at(signal), "2026-11-14T15:20:00.000Z")
      })
  )

  it.effect.each(["resolved", "completed", "postmortem"])("is over when %s, as of when it was resolved", (status) =>
    Effect.map(only(statuspage, incident({ status, resolved_at: "2026-11-14T15:10:00.000Z" })), (signal) => {
      assert.strictEqual(signal.status, "resolved")
      assert.isNull(signal.severity)
      assert.strictEqual(at(signal), "2026-11-14T15:10:00.000Z")
      assert.deepStrictEqual(signal.endedAt, DateTime.unsafeMake("2026-11-14T15:10:00Z"))
    })
  )

  it.effect.each([
    [{ impact: "critical" }, "critical"],
    [{ impact: "major" }, "high"],
    [{ impact: "minor" }, "low"],
    [{ impact: "none" }, "info"],
    [{ impact: "maintenance" }, "info"],
    [{ impact: null }, "medium"],
    [{ impact: "minor", ...affected("degraded_performance") }, "medium"],
    [{ impact: "none", ...affected("operational", "partial_outage", "degraded_performance") }, "high"],
    [{ impact: "critical", ...affected("operational") }, "critical"],
    [{ impact: null, ...affected("under_maintenance") }, "info"],
    [{ impact: "critical", status: "scheduled" }, "info"],
    [{ impact: "maintenance", status: "scheduled", ...affected("major_outage") }, "info"],
    [{ impact: "maintenance", status: "in_progress", ...affected("under_maintenance") }, "info"]
  ] as const)("with %j is %s", ([changes, severity]) =>
    Effect.map(only(statuspage, incident(changes)), (signal) => assert.strictEqual(signal.severity, severity))
  )

  it.effect("is of the first component it affects", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* only(statuspage, incident({}))).service, "Payments API")
      const two = yield* only(statuspage, incident(affected("operational", "partial_outage")))
      assert.strictEqual(two.service, "c1")
      assert.strictEqual(two.labels["components"], "c1, Payments API")
      assert.strictEqual(two.description, "newest")
    })
  )
})

describe("a delivery of a status page", () => {
  it.effect("needs the key in its address", () =>
    Effect.gen(function* () {
      const proof = (key: string | null) =>
        noCloud(statuspage.proof(post(bytes("statuspage/firing"), {}, key), expecting(["s3cr3t"])))
      assert.deepStrictEqual(yield* proof("s3cr3t"), { delivery: null })
      for (const key of [null, "", "s3cr3", "s3cr3t "])
        assert.strictEqual((yield* Effect.flip(proof(key)))._tag, "InvalidProof")
    })
  )

  it.effect("about neither a component nor an incident cannot be read", () =>
    Effect.map(problemOf(statuspage, { meta: {}, page: {} }), (problem) => assert.include(problem, "component"))
  )
})
