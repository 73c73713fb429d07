import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { opsgenie } from "../../adapters/alerting/opsgenie/Opsgenie.ts"
import { altered, at, ignoredFor, only, problemOf } from "./Delivering.ts"
import { json } from "./Fixtures.ts"

const sent = (changes: unknown) => altered(json("opsgenie", "firing"), changes)

describe("an alert of Opsgenie", () => {
  it.effect.each([
    ["Create", "firing"],
    ["Acknowledge", "firing"],
    ["UnAcknowledge", "firing"],
    ["Close", "resolved"],
    ["Delete", "resolved"]
  ] as const)("by the action %s is %s", ([action, status]) =>
    Effect.map(only(opsgenie, sent({ action })), (signal) => {
      assert.strictEqual(signal.status, status)
      assert.strictEqual(signal.severity, status === "firing" ? "critical" : null)
      assert.strictEqual(signal.endedAt === null, status === "firing")
      assert.strictEqual(signal.isAcknowledgement, action === "Acknowledge")
    })
  )

  it.effect.each(["AddNote", "AddTags", "RemoveTags", "TakeOwnership", "Escalate", "Snooze", "Restart it", "toString"])(
    "does not change by the action %s, which is ignored",
    (action) => Effect.map(ignoredFor(opsgenie, sent({ action })), (why) => assert.include(why, action))
  )

  it.effect("that only escalates has no more than its id, and is ignored too", () =>
    Effect.map(ignoredFor(opsgenie, { action: "Escalate", alert: { alertId: "b0e4" } }), assert.isNotNull)
  )

  it.effect.each([
    ["P1", "critical"],
    ["P2", "high"],
    ["p3", "medium"],
    ["P4", "low"],
    ["P5", "info"],
    [1, "critical"],
    [3, "medium"],
    ["2", "high"],
    ["5", "info"],
    [null, "medium"],
    ["P9", "medium"]
  ] as const)("of the priority %j is %s", ([priority, severity]) =>
    Effect.map(only(opsgenie, sent({ alert: { priority } })), (signal) => assert.strictEqual(signal.severity, severity))
  )

  it.effect("keeps its severity when an acknowledgement does not tell it", () =>
    Effect.map(only(opsgenie, sent({ action: "Acknowledge", alert: { priority: null } })), ({ severity }) =>
      assert.isNull(severity)
    )
  )

  it.effect("is dated in nanoseconds, though those do not fit a number", () =>
    Effect.gen(function* () {
      const closed = yield* only(opsgenie, json("opsgenie", "resolved"))
      assert.strictEqual(at(closed), "2026-11-14T16:30:00.999Z")
      assert.deepStrictEqual(closed.endedAt, closed.at)
      assert.deepStrictEqual(closed.startedAt, DateTime.unsafeMake("2026-11-14T16:00:00.123Z"))
      const text = yield* only(opsgenie, sent({ alert: { updatedAt: "1794673800999000301" } }))
      assert.strictEqual(at(text), "2026-11-14T16:30:00.999Z")
    })
  )

  it.effect("is of the service its details name, else of its entity, else of who answers for it", () =>
    Effect.gen(function* () {
      const service = (alert: unknown) => Effect.map(only(opsgenie, sent({ alert })), (signal) => signal.service)
      assert.strictEqual(yield* service({ details: { service: "orders" } }), "orders")
      assert.strictEqual(yield* service({ details: null }), "orders-consumer")
      assert.strictEqual(yield* service({ details: null, entity: "" }), "data-platform")
      assert.isNull(yield* service({ details: null, entity: "", responders: [] }))
    })
  )

  it.effect("is of the environment its details name, else of that in its tags", () =>
    Effect.gen(function* () {
      const environment = (alert: unknown) =>
        Effect.map(only(opsgenie, sent({ alert })), (signal) => signal.environment)
      assert.strictEqual(yield* environment({ details: { environment: "stage" } }), "stage")
      assert.strictEqual(yield* environment({ details: null }), "prod")
      assert.strictEqual(yield* environment({ details: null, tags: ["x", "Environment:EU"] }), "EU")
      assert.isNull(yield* environment({ details: null, tags: ["environmental"] }))
    })
  )

  it.effect("without an action or an id is refused", () =>
    Effect.gen(function* () {
      assert.include(yield* problemOf(opsgenie, sent({ action: "" })), "action")
      yield* problemOf(opsgenie, sent({ alert: { alertId: null } }))
    })
  )
})
