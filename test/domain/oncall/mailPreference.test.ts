import { assert, it } from "vitest"
import { isMailed, kindOf, type MailKind } from "../../../domain/oncall/MailPreference.ts"
import type { Notice } from "../../../domain/oncall/Notice.ts"

const notice = (event: Notice["event"], severity: string) => ({ event, incident: { severity } }) as Notice

it.each<[Notice["event"], string, ReadonlyArray<MailKind>, boolean]>([
  ["opened", "high", [], true],
  ["opened", "high", ["incident_opened"], false],
  ["opened", "high", ["incident_resolved", "token_expires"], true],
  ["reopened", "medium", ["incident_opened"], false],
  ["opened", "critical", ["incident_opened"], true],
  ["reopened", "critical", ["incident_opened"], true],
  ["resolved", "critical", ["incident_resolved"], false],
  ["resolved", "high", ["incident_opened"], true]
])("%s of severity %s without %j is mailed: %s", (event, severity, off, expected) =>
  assert.strictEqual(isMailed(off, notice(event, severity)), expected)
)

it("each event has its kind", () => {
  assert.strictEqual(kindOf({ event: "asked" }), "incident_opened")
  assert.strictEqual(kindOf({ event: "resolved" }), "incident_resolved")
})
