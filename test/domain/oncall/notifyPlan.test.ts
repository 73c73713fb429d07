import { has, lanes, mails } from "./NotifyPlanSteps.ts"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { follow, quietMinutes } from "../../../domain/oncall/NotifyPlan.ts"
import { NoticeEvent } from "../../../domain/oncall/Notice.ts"
import { SignalSource } from "../../../domain/oncall/SignalSource.ts"
import { ago, followed, incident, jobs, linkTo, members, now, pager, planned, settings, uuid } from "./NotifyScene.ts"
import { service, source } from "./TriageScene.ts"

const lately = DateTime.add(ago(quietMinutes), { millis: 1 })

/** State last notified to members, and the time of the last notice of a reopening. */
const known = {
  nothing: { told: null, notifiedAt: null },
  open: { told: "open", notifiedAt: null },
  "reopened lately": { told: "open", notifiedAt: lately },
  "over, never reopened": { told: "resolved", notifiedAt: null },
  "over, reopened lately": { told: "resolved", notifiedAt: lately },
  "over, reopened long ago": { told: "resolved", notifiedAt: ago(quietMinutes) }
} as const

/** Jobs for everybody, and whether members are notified now, later or never, for each known state. */
const rows = [
  ["opened", "open", "post investigate", "now never never now later now"],
  ["opened", "resolved", "post investigate", "now never never now later now"],
  ["reopened", "open", "post", "now never never now later now"],
  ["reopened", "resolved", "void", ""],
  ["updated", "open", "post", "never never never never never never"],
  ["updated", "resolved", "void", ""],
  ["asked", "open", "post", "never never never never never never"],
  ["asked", "resolved", "post", "never never never never never never"],
  ["resolved", "open", "void", ""],
  ["resolved", "resolved", "post source", "never now now never never never"]
] as const

const lanesOf: Record<string, ReadonlyArray<string>> = {
  post: ["post inc-aaaa ops", "post inc-aaaa chat"],
  source: [`source inc-aaaa ${pager.id}`],
  investigate: ["investigate inc-aaaa"]
}

const cases = rows.flatMap(([event, status, everybody, hears]) =>
  Object.entries(known).map(([before, state], index) => ({
    event,
    status,
    before,
    state,
    everybody,
    hears: hears.split(" ")[index] ?? "never"
  }))
)

describe("what follows an event of an incident", () => {
  it("is said of every event, however the incident stands", () => {
    assert.deepStrictEqual(
      rows.map(([event, status]) => `${event} ${status}`).toSorted(),
      NoticeEvent.literals.flatMap((event) => [`${event} open`, `${event} resolved`]).toSorted()
    )
  })

  it.each(cases)(
    "$event of one that is $status, while members know $before: told $hears",
    ({ event, everybody, hears, state, status }) => {
      const about = incident({ ...state, status, resolvedAt: status === "open" ? null : ago(1) })
      const plan = planned(event, { incident: about })
      if (everybody === "void") {
        assert.deepStrictEqual(plan.added, {})
        assert.deepStrictEqual(Object.keys(plan.changed), ["jobs"])
        return
      }
      assert.deepStrictEqual(lanes(plan), [
        ...(hears === "now" ? mails : []),
        ...everybody.split(" ").flatMap((part) => lanesOf[part] ?? []),
        ...(hears === "later" ? ["follow inc-aaaa"] : [])
      ])
      assert.deepStrictEqual(
        plan.added.notifications?.map((one) => [one.member, one.event]),
        hears === "now"
          ? [
              [uuid(1, 1), event],
              [uuid(1, 2), event]
            ]
          : []
      )
      const after = {
        told: event === "resolved" ? "resolved" : "open",
        ...(event === "reopened" && { notifiedAt: now })
      }
      assert.deepStrictEqual<unknown>(
        plan.changed.incidents?.map((one) => ({ ...one })),
        hears === "now" ? [{ ...about, ...after }] : undefined
      )
    }
  )

  it("is done once: the job itself is done with it, also when it became void", () => {
    for (const status of ["open", "resolved"] as const)
      for (const event of NoticeEvent.literals) {
        const given = followed(event, { incident: incident({ status }) })
        const { changed } = follow(given, { event, isLater: false }, linkTo)
        assert.deepStrictEqual(
          changed.jobs?.map((job) => ({ ...job })),
          [{ ...given.job, status: "done", tries: 1, error: null, updatedAt: now }]
        )
      }
  })

  it("is queued at once, for the team, under ids that all differ", () => {
    const plan = planned("opened", { sources: [pager, new SignalSource({ ...pager, id: source(2, "b", []).id })] })
    for (const job of jobs(plan))
      has(job, {
        status: "queued",
        team: "payments",
        story: null,
        runKey: null,
        decision: null,
        tries: 0,
        dueAt: null,
        createdAt: now
      })
    const ids = [...jobs(plan), ...(plan.added.notifications ?? [])].map(({ id }) => id)
    assert.strictEqual(ids.length, 2 + 2 + 1 + 2)
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("needs no more ids than two for each member, one for each place and source, and two", () => {
    const everybody = service(1, "checkout", { ...settings, notify: members.map(({ email }) => email) })
    for (const state of Object.values(known)) {
      const freshIds = Array.from({ length: 2 * members.length + 2 + 1 + 2 }, (_, index) => uuid(3, index))
      assert.doesNotThrow(() => planned("opened", { service: everybody, incident: incident(state), freshIds }))
    }
    assert.throws(() => planned("opened", { freshIds: [] }), "fewer fresh ids")
  })
})
