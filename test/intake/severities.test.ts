import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tools } from "../../adapters/alerting/Tools.ts"
import type { Severity } from "../../domain/value/Severity.ts"
import type { PostingKind } from "../../domain/oncall/SignalSource.ts"
import * as Fixtures from "./Fixtures.ts"
import { replaced } from "./Mutations.ts"

type Words = Partial<Record<Severity, ReadonlyArray<unknown>>>

const shared: Words = {
  critical: ["critical", "P1", "SEV-1", "major outage"],
  high: ["high", "error", "P2"],
  medium: ["medium", "warning", "P3", "odd", null],
  low: ["low", "minor", "P4"],
  info: ["info", "P5"]
}
const priorities: Words = { critical: ["P1"], high: ["P2"], medium: ["P3"], low: ["P4"], info: ["P5"] }

/** The path of each tool's severity, a body that holds it, and the meaning of its words. */
const places: ReadonlyArray<readonly [kind: PostingKind, fixture: string, path: string, words: Words]> = [
  ["generic", "firing", "severity", shared],
  ["grafana", "firing", "alerts.0.labels.severity", shared],
  ["grafana", "mixed", "alerts.0.labels.priority", shared],
  ["grafana", "legacy-firing", "tags.severity", shared],
  ["alertmanager", "firing", "alerts.0.labels.severity", shared],
  ["datadog", "firing", "alert_priority", { ...priorities, high: ["P2", "", "$ALERT_PRIORITY", "normal", null] }],
  ["datadog", "aliases", "alert_type", { high: ["error"], medium: ["warning"], info: ["info"] }],
  [
    "newrelic",
    "firing",
    "priority",
    { critical: ["CRITICAL"], high: ["HIGH"], medium: ["MEDIUM", "N/A"], low: ["LOW"] }
  ],
  ["newrelic", "legacy", "severity", { critical: ["CRITICAL"], medium: ["WARNING"], info: ["INFO"] }],
  ["pagerduty", "firing", "event.data.priority.summary", { ...priorities, critical: ["P1", "SEV-1"] }],
  ["pagerduty", "firing", "event.data.priority", { high: [null] }],
  ["sentry", "firing", "action", { critical: ["critical"], medium: ["warning"] }],
  [
    "sentry",
    "issuealert-firing",
    "data.event.level",
    { critical: ["fatal"], high: ["error"], info: ["info", "debug"] }
  ],
  [
    "opsgenie",
    "firing",
    "alert.priority",
    { critical: ["P1", 1, "1"], high: ["P2", 2, "2"], medium: ["P3", 3], low: [4], info: ["5"] }
  ],
  [
    "azure-monitor",
    "firing",
    "data.essentials.severity",
    { critical: ["Sev0"], high: ["Sev1"], medium: ["Sev2", null], low: ["Sev3"], info: ["Sev4"] }
  ],
  [
    "statuspage",
    "firing",
    "component_update.new_status",
    {
      critical: ["major_outage"],
      high: ["partial_outage"],
      medium: ["degraded_performance"],
      info: ["under_maintenance"]
    }
  ],
  ["statuspage", "incident-firing", "incident.impact", { critical: ["critical"], high: ["major"] }]
]

const rows = places.flatMap(([kind, fixture, path, words]) =>
  Object.entries(words).flatMap(([severity, all]) => all.map((word) => ({ kind, fixture, path, word, severity })))
)

const severityOf = (kind: PostingKind, fixture: string, json: unknown) => {
  const headers = Object.entries(Fixtures.expectations(kind)[fixture]?.headers ?? {})
  return tools[kind]
    .decode({ headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])), json })
    .pipe(Effect.map(({ signals }) => signals[0]?.severity))
}

describe("severities by each tool's words", () => {
  it.effect.each(rows)("$kind, $path in $fixture: $word is $severity", ({ fixture, kind, path, severity, word }) =>
    Effect.map(severityOf(kind, fixture, replaced(Fixtures.json(kind, fixture), path.split("."), word)), (found) =>
      assert.strictEqual(found, severity)
    )
  )

  it.effect.each(places.filter(([kind]) => kind !== "datadog"))(
    "%s, a word that nobody knows is named, and a source's own word is known: %s",
    ([kind, fixture, path]) =>
      Effect.gen(function* () {
        const headers = Object.entries(Fixtures.expectations(kind)[fixture]?.headers ?? {})
        const lowered = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]))
        const word = path === "action" ? "warning" : "Wake up"
        const where = path === "event.data.priority" ? "event.data.urgency" : path
        const bare =
          path === where ? Fixtures.json(kind, fixture) : replaced(Fixtures.json(kind, fixture), path.split("."), null)
        const json = replaced(bare, where.split("."), word)
        const one = yield* tools[kind].decode({ headers: lowered, json })
        if (word === "Wake up") assert.strictEqual(one.signals[0]?.unknownSeverity, word)
        const own = { wakeup: "critical", warning: "critical" } as const
        const other = yield* tools[kind].decode({ headers: lowered, json, severities: own })
        assert.deepInclude(other.signals[0], { severity: "critical" })
        assert.notProperty(other.signals[0], "unknownSeverity")
      })
  )

  it.effect("PagerDuty without a priority: its urgency", () =>
    Effect.gen(function* () {
      const body = replaced(Fixtures.json("pagerduty", "firing"), ["event", "data", "priority"], null)
      for (const urgency of ["high", "low"])
        assert.strictEqual(
          yield* severityOf("pagerduty", "firing", replaced(body, ["event", "data", "urgency"], urgency)),
          urgency
        )
    })
  )

  it.effect.each([
    ["[critical] 5xx", "critical"],
    ["5xx [CRITICAL]", "critical"],
    ["critical 5xx", "high"],
    [null, "high"]
  ])("CloudWatch described as %s: %s", ([AlarmDescription, severity]) => {
    const Message = JSON.stringify({ AlarmName: "a", AlarmArn: "arn:a", NewStateValue: "ALARM", AlarmDescription })
    return Effect.map(severityOf("cloudwatch", "firing", { Type: "Notification", Message }), (found) =>
      assert.strictEqual(found, severity)
    )
  })

  it.effect.each([
    ["minor", "low"],
    ["none", "info"],
    ["maintenance", "info"]
  ])("Statuspage without components, impact %s: %s", ([impact, severity]) => {
    const body = replaced(Fixtures.json("statuspage", "incident-firing"), ["incident", "incident_updates"], [])
    return Effect.map(
      severityOf("statuspage", "incident-firing", replaced(body, ["incident", "impact"], impact)),
      (found) => assert.strictEqual(found, severity)
    )
  })
})
