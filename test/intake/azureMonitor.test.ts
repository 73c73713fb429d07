import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { azureMonitor } from "../../adapters/alerting/azure/AzureMonitor.ts"
import { altered, at, ignoredFor, only, problemOf } from "./Delivering.ts"
import { json } from "./Fixtures.ts"

const sent = (essentials: unknown, more: object = {}) =>
  altered(json("azure-monitor", "firing"), { data: { essentials, ...more } })

const health = (stage: string, alertId: string, firedDateTime: string, more: object = {}) =>
  sent(
    {
      alertId,
      alertRule: "azure-is-down",
      signalType: "Activity Log",
      monitoringService: "ServiceHealth",
      monitorCondition: "Fired",
      firedDateTime,
      ...more
    },
    { alertContext: { status: stage, properties: { title: "Storage in West Europe", trackingId: "VN1S-9C8", stage } } }
  )

describe("an alert of Azure Monitor", () => {
  it.effect.each([
    ["Sev0", "critical"],
    ["Sev1", "high"],
    ["Sev2", "medium"],
    ["Sev3", "low"],
    ["Sev4", "info"],
    ["SEV1", "high"],
    [null, "medium"],
    ["Sev9", "medium"]
  ] as const)("of %s is %s", ([word, severity]) =>
    Effect.map(only(azureMonitor, sent({ severity: word })), (signal) => assert.strictEqual(signal.severity, severity))
  )

  it.effect.each(["AzureMonitorMetricAlert", "Microsoft.Insights/LogAlert", "AIP Budget Notification", null])(
    "in the schema %s is refused with what to switch on",
    (schemaId) =>
      Effect.map(problemOf(azureMonitor, { schemaId, data: {} }), (problem) =>
        assert.include(problem, "common alert schema")
      )
  )

  it.effect("that is resolved without a date has none, so that order of receipt decides", () =>
    Effect.map(only(azureMonitor, sent({ monitorCondition: "Resolved", signalType: "Log" })), (signal) => {
      assert.strictEqual(signal.status, "resolved")
      assert.isNull(signal.at)
      assert.isNull(signal.endedAt)
    })
  )

  it.effect("is of the service in its custom properties, else of what it watches", () =>
    Effect.gen(function* () {
      const service = (essentials: object) =>
        Effect.map(only(azureMonitor, sent(essentials, { customProperties: null })), (signal) => signal.service)
      assert.strictEqual((yield* only(azureMonitor, sent({}))).service, "billing")
      assert.strictEqual(yield* service({}), "billing-vm-1")
      const target = "/subscriptions/1/resourcegroups/r/providers/p/virtualmachines/vm-9"
      assert.strictEqual(yield* service({ configurationItems: [], alertTargetIDs: [target] }), "vm-9")
    })
  )

  it.effect("in a state nobody knows is ignored", () =>
    Effect.map(ignoredFor(azureMonitor, sent({ monitorCondition: "Suppressed" })), (why) =>
      assert.include(why, "'Suppressed'")
    )
  )
})

describe("an alert of Azure's health", () => {
  it.effect.each(["Resolved", "Complete", "RCA"])("fires again under a new id to say that it is %s", (stage) =>
    Effect.gen(function* () {
      const active = yield* only(azureMonitor, health("Active", "/alerts/1", "2026-11-14T14:00:00.1234567Z"))
      const over = yield* only(azureMonitor, health(stage, "/alerts/2", "2026-11-14T16:00:00.1234567Z"))
      assert.deepStrictEqual([active.status, over.status], ["firing", "resolved"])
      assert.strictEqual(active.fingerprint, over.fingerprint)
      assert.deepStrictEqual([at(active), at(over)], ["2026-11-14T14:00:00.123Z", "2026-11-14T16:00:00.123Z"])
      assert.isNull(over.severity)
      assert.include(active.description ?? "", "Storage in West Europe")
    })
  )

  it.effect("of one resource is told by the resource", () =>
    Effect.gen(function* () {
      const of = (status: string, alertId: string, target: string) =>
        only(
          azureMonitor,
          sent(
            { alertId, signalType: "Activity Log", monitoringService: "Resource Health", alertTargetIDs: [target] },
            { alertContext: { status, properties: { currentHealthStatus: "Unavailable" } } }
          )
        )
      const down = yield* of("Active", "/alerts/1", "/vm/1")
      assert.strictEqual(down.fingerprint, (yield* of("Resolved", "/alerts/2", "/vm/1")).fingerprint)
      assert.notStrictEqual(down.fingerprint, (yield* of("Active", "/alerts/3", "/vm/2")).fingerprint)
    })
  )

  it.effect("is not read into a metric alert whose custom properties look like one", () =>
    Effect.map(only(azureMonitor, sent({}, { alertContext: { properties: { status: "Resolved" } } })), ({ status }) =>
      assert.strictEqual(status, "firing")
    )
  )
})

describe("the portal's test", () => {
  it.effect.each([
    [{ alertRule: "test-metricAlertRule", targetResourceGroup: "test-RG" }, true],
    [{ alertRule: "test-logAlertRule", alertTargetIDs: ["/subscriptions/1/resourcegroups/test-RG/x/y"] }, true],
    [{ alertRule: "test-ServiceHealthAlertRule", description: "Alert rule description" }, true],
    [{ alertRule: "test-coverage-low" }, false],
    [{ alertRule: "vm-cpu-high", targetResourceGroup: "test-RG" }, false]
  ] as const)("%j is told: %s", ([essentials, isTest]) =>
    Effect.map(only(azureMonitor, sent(essentials)), (signal) => assert.strictEqual(signal.isTest, isTest))
  )
})
