import { assert, describe, it } from "@effect/vitest"
import * as Severity from "../../../domain/value/Severity.ts"

const said: Record<Severity.Severity, ReadonlyArray<string>> = {
  critical: ["critical", "CRITICAL", " Critical ", "P1", "p1", "SEV1", "SEV-1", "sev 1", "Sev_1", "major outage"],
  high: ["high", "HIGH", "error", "Error", "P2", "p2", "partial outage", "partial_outage", "Partial Outage"],
  medium: ["medium", "warning", "WARNING", "P3", "degraded performance", "degraded_performance"],
  low: ["low", "Low", "minor", "P4"],
  info: ["info", "INFO", "P5", "maintenance", "under_maintenance"]
}

const words = Object.entries(said).flatMap(([severity, all]) => all.map((word) => [word, severity]))

const unknown = [
  undefined,
  null,
  "",
  " ",
  "whatever",
  "sev",
  "p0",
  1,
  true,
  [],
  ["critical"],
  {},
  "toString",
  "__proto__"
]

describe("a severity", () => {
  it.each(words)("'%s' is %s", (word, severity) => assert.strictEqual(Severity.read(word).severity, severity))

  it.each(unknown.map((word) => [word]))("%j, which nobody knows, is medium", (word) =>
    assert.strictEqual(Severity.read(word).severity, "medium")
  )

  it.each([
    ["page", "page"],
    ["  Wake\n up ", "Wake up"],
    [7, "7"],
    ["x".repeat(100), `${"x".repeat(59)}…`],
    ["", null],
    [null, null],
    [["critical"], null],
    ["P1", null]
  ])("names the word that nobody knows: of %j, %j", (word, unknown) =>
    assert.strictEqual(Severity.read(word).unknown, unknown)
  )

  it("is by the first vocabulary that has the word", () => {
    const own = { page: "critical", p1: "low" } as const
    assert.deepStrictEqual(Severity.read("PAGE", own), { severity: "critical", unknown: null })
    assert.strictEqual(Severity.read("P1", own, { p1: "info" }).severity, "low")
    assert.strictEqual(Severity.read("P1", undefined, { p1: "info" }).severity, "info")
  })

  it("is by the tool's own words before those all share", () => {
    assert.strictEqual(Severity.read("SEV-1", { sev1: "high" }).severity, "high")
    assert.strictEqual(Severity.read("P1", { sev1: "high" }).severity, "critical")
    assert.strictEqual(Severity.read(2, { 2: "high" }).severity, "high")
  })

  it("is at least as bad as itself and all below", () => {
    const order = Severity.Severity.literals
    for (const [rank, severity] of order.entries())
      for (const [below, other] of order.entries()) {
        assert.strictEqual(Severity.atLeast(severity, other), rank <= below)
        assert.strictEqual(Severity.worst(severity, other), rank <= below ? severity : other)
      }
  })
})
