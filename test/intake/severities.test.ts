import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tools } from "../../adapters/alerting/Tools.ts"
import { PostingKind } from "../../domain/oncall/SignalSource.ts"
import * as Fixtures from "./Fixtures.ts"
import { replaced } from "./Mutations.ts"
import { turns } from "../support/Share.ts"

const shared: Fixtures.SeverityWords = {
  critical: ["critical", "P1", "SEV-1", "major outage"],
  high: ["high", "error", "P2"],
  medium: ["medium", "warning", "P3", "odd", null],
  low: ["low", "minor", "P4"],
  info: ["info", "P5"]
}
/** The places of each tool's severity in its bodies, and the meaning of its words. */
const places = PostingKind.literals.flatMap((kind) =>
  Fixtures.severities(kind).map(({ fixture, path, words = shared }) => ({ kind, fixture, path, words }))
)

const rows = places.flatMap(({ fixture, kind, path, words }) =>
  Object.entries(words).flatMap(([severity, all]) => all.map((word) => ({ kind, fixture, path, word, severity })))
)

const severityOf = (kind: PostingKind, fixture: string, json: unknown) => {
  const headers = Object.entries(Fixtures.expectations(kind)[fixture]?.headers ?? {})
  return tools[kind]
    .decode({ headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])), json })
    .pipe(Effect.map(({ signals }) => signals[0]?.severity))
}

describe("severities by each tool's words", () => {
  it("are in the fixtures of every tool but CloudWatch, whose alarms have none", () => {
    const without = PostingKind.literals.filter((kind) => places.every((place) => place.kind !== kind))
    assert.deepStrictEqual(without, ["cloudwatch"])
  })

  it.effect.each(turns(rows))(
    "$kind, $path in $fixture: $word is $severity",
    ({ fixture, kind, path, severity, word }) =>
      Effect.map(severityOf(kind, fixture, replaced(Fixtures.json(kind, fixture), path.split("."), word)), (found) =>
        assert.strictEqual(found, severity)
      )
  )

  it.effect.each(places.filter(({ kind }) => kind !== "datadog"))(
    "$kind, a word that nobody knows is named, and a source's own word is known: $fixture",
    ({ fixture, kind, path }) =>
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
