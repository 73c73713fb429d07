import { assert, describe, it } from "@effect/vitest"
import { DateTime, FastCheck } from "effect"
import type { DecisionKey } from "../../../domain/work/Decision.ts"
import type { IncidentKey } from "../../../domain/value/IncidentKey.ts"
import { type Notice, NoticeEvent, subject, text } from "../../../domain/oncall/Notice.ts"
import type { TeamSlug } from "../../../domain/workspace/Team.ts"

const openedAt = DateTime.unsafeMake("2026-03-01T10:00:00.000Z")

type Given = Partial<Omit<Notice, "incident">> & { readonly incident?: Partial<Notice["incident"]> }

const notice = ({ incident, ...more }: Given = {}): Notice => ({
  event: "opened",
  workspace: "acme",
  incident: {
    key: "inc-aaaa" as IncidentKey,
    status: "open",
    severity: "critical",
    title: "Checkout is down",
    team: "payments" as TeamSlug,
    service: "checkout",
    environment: "prod",
    openedAt,
    resolvedAt: null,
    alerts: 1,
    firing: 1,
    url: "https://gatehouse.acme.test/acme/incidents/inc-aaaa",
    ...incident
  },
  alerts: [],
  notified: [],
  finding: null,
  decision: null,
  ...more
})

const decision = {
  key: "dec-aaaa" as DecisionKey,
  title: "inc-aaaa may come from a merge. Revert it?",
  options: [
    { id: "open_revert", label: "Open a revert" },
    { id: "decline_proposal", label: "Leave it" }
  ],
  recommendation: "open_revert"
}

const alert = (title: string, more: Partial<Notice["alerts"][number]> = {}) => ({
  title,
  severity: "high" as const,
  status: "firing",
  url: null,
  ...more
})

const resolved = { status: "resolved", resolvedAt: openedAt, firing: 0 } as const
const subjects: Record<NoticeEvent, readonly [Given, string]> = {
  opened: [{}, "[critical] Checkout is down"],
  reopened: [{}, "[critical] Again: Checkout is down"],
  updated: [{}, "[critical] Still open: Checkout is down"],
  asked: [{ decision }, "[critical] Asked about inc-aaaa: inc-aaaa may come from a merge. Revert it?"],
  resolved: [{ incident: resolved }, "[resolved] Checkout is down"]
}

it("names the cause on one line, once it is known", () => {
  assert.notInclude(text(notice()), "Cause")
  assert.include(
    text(notice({ finding: "run-aaaa is the likely cause:\nit was merged" })),
    "\nCause: run-aaaa is the likely cause: it was merged\n"
  )
})

describe("the subject of a notice", () => {
  it.each(NoticeEvent.literals)("says that the incident was %s", (event) => {
    const [given, expected] = subjects[event]
    const told = notice({ ...given, event })
    assert.strictEqual(subject(told), expected)
    assert.strictEqual(text(told).split("\n")[0], expected)
  })

  it("is one line whatever the title holds", () => {
    const title = "Down\r\nBcc: everybody@acme.test\n\n\tnow\u2028and then"
    for (const event of NoticeEvent.literals) {
      const line = subject(notice({ event, incident: { title }, decision: { ...decision, title } }))
      assert.notMatch(line, /[\r\n\t\u2028\u2029]/, event)
      assert.include(line, "Down Bcc: everybody@acme.test now and")
    }
  })

  it("is of at most 200 characters", () => {
    for (const event of NoticeEvent.literals) {
      const title = "x".repeat(500)
      const line = subject(notice({ event, incident: { title }, decision: { ...decision, title } }))
      assert.strictEqual(line.length, 200, event)
    }
    assert.strictEqual(subject(notice({ incident: { title: "x".repeat(189) } })).length, 200)
  })

  it("holds no half of a character where it is cut", () => {
    for (let before = 180; before <= 200; before++) {
      const title = `${"x".repeat(before)}${"🔥".repeat(20)}`
      assert.notMatch(subject(notice({ incident: { title } })), /\p{Surrogate}/u, `${before} before`)
    }
  })
})

describe("the text of a notice", () => {
  it("says which incident of what, its alerts, who was told and where to look, a line each", () => {
    const told = notice({
      incident: { alerts: 3, firing: 2 },
      alerts: [
        alert("cpu", { url: "https://board.example.com/cpu" }),
        alert("disk", { severity: "low", status: "resolved" }),
        alert("net", { severity: "critical" })
      ],
      notified: ["Ann", "Bob"]
    })
    assert.deepStrictEqual(text(told).split("\n"), [
      "[critical] Checkout is down",
      "inc-aaaa, checkout (prod), team payments: 3 alerts, 2 firing",
      "- cpu (high, firing) https://board.example.com/cpu",
      "- disk (low, resolved)",
      "- net (critical, firing)",
      "Notified: Ann, Bob",
      "https://gatehouse.acme.test/acme/incidents/inc-aaaa"
    ])
  })

  it("leaves out what there is not", () => {
    assert.deepStrictEqual(text(notice({ incident: { environment: null } })).split("\n"), [
      "[critical] Checkout is down",
      "inc-aaaa, checkout, team payments: 1 alert, 1 firing",
      "https://gatehouse.acme.test/acme/incidents/inc-aaaa"
    ])
  })

  it("of what is over counts what there was", () => {
    const lines = text(notice({ event: "resolved", incident: { ...resolved, alerts: 12 } })).split("\n")
    assert.deepStrictEqual(lines.slice(0, 2), [
      "[resolved] Checkout is down",
      "inc-aaaa, checkout (prod), team payments: 12 alerts"
    ])
  })

  it.each([
    [6, 5, ["and 1 more alert"]],
    [1005, 5, ["and 1,000 more alerts"]],
    [5, 5, []],
    [1, 1, []],
    [3, 0, []]
  ])("of %i alerts shows %i, and says how many more there are", (alerts, shown, said) => {
    const some = Array.from({ length: shown }, (_, index) => alert(`host-${index}`))
    const lines = text(notice({ incident: { alerts, firing: alerts }, alerts: some })).split("\n")
    assert.deepStrictEqual(lines.slice(2 + shown, -1), said)
    assert.include(lines[1], `${alerts.toLocaleString("en")} alert`)
  })

  it("of what is asked names the options, and which is recommended", () => {
    assert.deepStrictEqual(
      text(notice({ event: "asked", decision }))
        .split("\n")
        .slice(2, -1),
      [
        "dec-aaaa asks: inc-aaaa may come from a merge. Revert it?",
        "- open_revert: Open a revert (recommended)",
        "- decline_proposal: Leave it"
      ]
    )
  })

  it("has a line for each alert and one for the question, however many lines their titles have", () => {
    const title = "Down\nhttps://evil.example.com/login\r\nnow"
    const told = notice({
      event: "asked",
      incident: { title, alerts: 1 },
      alerts: [alert(title)],
      decision: { ...decision, title }
    })
    assert.strictEqual(text(told).split(/\r\n|[\r\n]/).length, 1 + 1 + 1 + 1 + decision.options.length + 1)
  })

  it("ends with the address of the incident, whatever it says", () => {
    const words = FastCheck.record({
      title: FastCheck.string({ maxLength: 300 }),
      alerts: FastCheck.nat(10_000),
      notified: FastCheck.array(FastCheck.string({ maxLength: 20 }), { maxLength: 3 }),
      event: FastCheck.constantFrom(...NoticeEvent.literals)
    })
    FastCheck.assert(
      FastCheck.property(words, ({ alerts, event, notified, title }) => {
        const told = notice({ event, notified, incident: { title, alerts }, alerts: [alert(title)] })
        assert.isTrue(text(told).endsWith(`\n${told.incident.url}`))
        assert.isAtMost(subject(told).length, 200)
      })
    )
  })
})
