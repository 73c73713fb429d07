import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { pagerduty } from "../../adapters/alerting/pagerduty/PagerDuty.ts"
import { altered, at, expecting, ignoredFor, noCloud, only, post, problemOf } from "./Delivering.ts"
import { bytes, json } from "./Fixtures.ts"

const body = bytes("pagerduty/firing")
const signature = "03aaa749192103df1577968e4958461709576383969f47264a84a2894fa28df6"
const other = "f".repeat(64)

const proof = (header: string | null, secrets = ["pd-secret-new"], headers: Readonly<Record<string, string>> = {}) =>
  noCloud(
    pagerduty.proof(
      post(body, header === null ? headers : { "x-pagerduty-signature": header, ...headers }),
      expecting(secrets)
    )
  )

const event = (type: string, data: unknown = {}) =>
  altered(json("pagerduty", "firing"), { event: { event_type: type, data } })

describe("a delivery of PagerDuty", () => {
  it.effect.each([
    `v1=${signature}`,
    `v1=${signature.toUpperCase()}`,
    `v1=${other},v1=${signature}`,
    ` v1=${other} , v1=${signature} `,
    `v2=${other},v1=${signature}`
  ])("is proven by any signature of the list '%s'", (header) =>
    Effect.map(proof(header), (proven) => assert.deepStrictEqual(proven, { delivery: null }))
  )

  it.effect("is proven by either secret while they rotate", () => proof(`v1=${signature}`, ["newest", "pd-secret-new"]))

  it.effect.each([
    null,
    "",
    signature,
    `sha256=${signature}`,
    `v2=${signature}`,
    `v1=${other}`,
    `v1=${signature.slice(0, 62)}`,
    `v1=${signature}00`,
    `v1=v1=${signature}`
  ])("is refused when its header is '%s'", (header) =>
    Effect.map(Effect.flip(proof(header)), ({ _tag }) => assert.strictEqual(_tag, "InvalidProof"))
  )

  it.effect("is refused when one byte of its body is another", () =>
    Effect.gen(function* () {
      const tampered = body.map((byte, index) => (index === 40 ? byte ^ 1 : byte))
      const sent = post(tampered, { "x-pagerduty-signature": `v1=${signature}` })
      const refused = yield* Effect.flip(noCloud(pagerduty.proof(sent, expecting(["pd-secret-new"]))))
      assert.strictEqual(refused._tag, "InvalidProof")
    })
  )

  it.effect("is named by X-Webhook-Id, which is the same on every try", () =>
    Effect.gen(function* () {
      const named = (id: string) => proof(`v1=${signature}`, ["pd-secret-new"], { "x-webhook-id": id })
      assert.deepStrictEqual(yield* named("0b1c-77"), { delivery: "id 0b1c-77" })
      assert.deepStrictEqual(yield* named(""), { delivery: null })
      assert.deepStrictEqual(yield* named("x".repeat(300)), { delivery: null })
    })
  )
})

describe("an event of PagerDuty", () => {
  it.effect.each([
    ["incident.triggered", "triggered", "firing"],
    ["incident.acknowledged", "acknowledged", "firing"],
    ["incident.unacknowledged", "triggered", "firing"],
    ["incident.escalated", "triggered", "firing"],
    ["incident.delegated", "triggered", "firing"],
    ["incident.reassigned", "acknowledged", "firing"],
    ["incident.service_updated", "triggered", "firing"],
    ["incident.incident_type.changed", "triggered", "firing"],
    ["incident.priority_updated", "triggered", "firing"],
    ["incident.priority_updated", "resolved", "resolved"],
    ["incident.reopened", "triggered", "firing"],
    ["incident.reopened", "resolved", "firing"],
    ["incident.resolved", "resolved", "resolved"]
  ] as const)("%s of an incident that is %s reads as %s", ([type, status, expected]) =>
    Effect.map(only(pagerduty, event(type, { status })), (signal) => {
      assert.strictEqual(signal.status, expected)
      assert.strictEqual(signal.isReopening, type === "incident.reopened")
      assert.strictEqual(signal.isAcknowledgement, type === "incident.acknowledged")
      assert.strictEqual(signal.severity === null, expected === "resolved")
      assert.strictEqual(at(signal), "2026-11-14T11:40:02.871Z")
    })
  )

  it.effect.each([
    "incident.annotated",
    "incident.responder.added",
    "incident.status_update_published",
    "incident.custom_field_values.updated",
    "incident.triggered.twice",
    "service.updated",
    "something.new"
  ])("%s says nothing of an incident's state and is ignored", (type) =>
    Effect.map(ignoredFor(pagerduty, event(type)), (why) => assert.include(why, type))
  )

  it.effect.each([
    [{ priority: { summary: "P1" }, urgency: "low" }, "critical"],
    [{ priority: { summary: "SEV-1" } }, "critical"],
    [{ priority: { summary: "P4" } }, "low"],
    [{ priority: { summary: "Whatever" }, urgency: "high" }, "high"],
    [{ priority: { summary: "Whatever" }, urgency: "low" }, "low"],
    [{ priority: { summary: "Whatever" }, urgency: null }, "medium"],
    [{ priority: null, urgency: "high" }, "high"],
    [{ priority: null, urgency: "low" }, "low"],
    [{ priority: { summary: null }, urgency: "high" }, "high"],
    [{ priority: null, urgency: null }, "medium"]
  ] as const)("with %j is %s", ([data, severity]) =>
    Effect.map(only(pagerduty, event("incident.triggered", data)), (signal) =>
      assert.strictEqual(signal.severity, severity)
    )
  )

  it.effect("that ends an incident by a merge names the one it went into", () =>
    Effect.gen(function* () {
      const merged = {
        status: "resolved",
        resolve_reason: { type: "merge_resolve_reason", incident: { id: "Q9", summary: "[#4800] checkout down" } }
      }
      const signal = yield* only(pagerduty, event("incident.resolved", merged))
      assert.strictEqual(signal.status, "resolved")
      assert.strictEqual(signal.description, "PagerDuty incident 4812, merged into [#4800] checkout down.")
    })
  )

  it.effect("that opens an incident again starts anew", () =>
    Effect.map(only(pagerduty, event("incident.reopened", { reopened_at: "2026-11-14T12:30:00Z" })), ({ startedAt }) =>
      assert.deepStrictEqual(startedAt, DateTime.unsafeMake("2026-11-14T12:30:00Z"))
    )
  )

  it.effect("of a V2 extension is refused with what to do", () =>
    Effect.map(problemOf(pagerduty, { messages: [{ event: "incident.trigger" }] }), (problem) =>
      assert.include(problem, "Generic Webhook (v3)")
    )
  )
})
