import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import type { Rows } from "../../domain/Change.ts"
import { Follow, follow, quietMinutes } from "../../domain/Following.ts"
import type { IncidentKey } from "../../domain/IncidentKey.ts"
import type { Email } from "../../domain/Member.ts"
import { Notice, NoticeEvent } from "../../domain/Notice.ts"
import { SignalSource } from "../../domain/SignalSource.ts"
import {
  ago,
  checkout,
  followed,
  incident,
  jobs,
  linkTo,
  members,
  now,
  pager,
  people,
  place,
  planned,
  settings,
  uuid
} from "./FollowScene.ts"
import { at, service, source } from "./TriageScene.ts"

/** Some of what an object holds. */
const has = (actual: object | undefined, expected: object) =>
  assert.deepInclude(actual ?? {}, expected as Partial<object>)

/** Who is told, where it is posted and what else is queued, in short. */
const lanes = (plan: { readonly added: Rows }) => jobs(plan).map(({ lane }) => lane ?? "")
const toldTo = (plan: { readonly added: Rows }) =>
  jobs(plan)
    .filter(({ kind }) => kind === "notify_member")
    .map(({ payload }) => payload["email"])
const postedTo = (plan: { readonly added: Rows }) =>
  jobs(plan)
    .filter(({ kind }) => kind === "post_to_place")
    .map(({ payload }) => payload["place"])
const kinds = (plan: { readonly added: Rows }) => [...new Set(jobs(plan).map(({ kind }) => kind))]

/** What members know before: nothing; that it is open, or over, and how long ago they were last woken. */
const known = {
  nothing: { told: null, notifiedAt: null },
  "open lately": { told: "open", notifiedAt: DateTime.add(ago(quietMinutes), { millis: 1 }) },
  "open long": { told: "open", notifiedAt: ago(quietMinutes) },
  "over lately": { told: "resolved", notifiedAt: DateTime.add(ago(quietMinutes), { millis: 1 }) },
  "over long": { told: "resolved", notifiedAt: ago(quietMinutes) }
} as const

/** What is done for everybody, and whether members are told now, later or never in each state of what they know. */
const rows = [
  ["opened", "open", "post source investigate", "now never never later now"],
  ["opened", "resolved", "post source investigate", "now never never later now"],
  ["reopened", "open", "post", "now never never later now"],
  ["reopened", "resolved", "void", ""],
  ["updated", "open", "post", "never never never never never"],
  ["updated", "resolved", "void", ""],
  ["asked", "open", "post", "never never never never never"],
  ["asked", "resolved", "post", "never never never never never"],
  ["resolved", "open", "void", ""],
  ["resolved", "resolved", "post source", "never now now never never"]
] as const

const lanesOf: Record<string, ReadonlyArray<string>> = {
  post: ["post inc-aaaa ops", "post inc-aaaa chat"],
  source: [`source inc-aaaa ${pager.id}`],
  investigate: ["investigate inc-aaaa"]
}
const mails = [`mail inc-aaaa ${uuid(1, 1)}`, `mail inc-aaaa ${uuid(1, 2)}`]

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
      const after = event === "resolved" ? { told: "resolved" } : { told: "open", notifiedAt: now }
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
    assert.strictEqual(ids.length, 2 + 2 + 2 + 1 + 2)
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

describe("members", () => {
  it.each<[string, Array<string>, Array<string>]>([
    ["nobody by default", [], []],
    ["those who are chosen", ["ann@acme.test", "cid@acme.test"], ["ann@acme.test", "cid@acme.test"]],
    ["in whatever case they were chosen", ["ANN@Acme.Test"], ["ann@acme.test"]],
    ["once who was chosen twice", ["ann@acme.test", "Ann@acme.test"], ["ann@acme.test"]],
    ["not who is no member", ["eve@acme.test", "bob@acme.test"], ["bob@acme.test"]]
  ])("are told: %s", (_, notify, told) => {
    const plan = planned("opened", { service: service(1, "checkout", { ...settings, notify }) })
    assert.deepStrictEqual(toldTo(plan), told)
    assert.strictEqual(plan.added.notifications?.length, told.length)
    const names = members.filter(({ email }) => told.includes(email)).map(({ name }) => name)
    for (const { kind, payload } of jobs(plan))
      if (kind === "post_to_place") assert.deepStrictEqual((payload["notice"] as Notice).notified, names)
  })

  it("whose addresses are kept in capitals are found", () => {
    const [ann] = people("Ann")
    assert.isDefined(ann)
    const plan = planned("opened", { members: [{ ...ann, email: "ANN@ACME.TEST" as Email }] })
    assert.deepStrictEqual(toldTo(plan), ["ANN@ACME.TEST"])
  })

  it("who were removed are told no more", () => {
    assert.deepStrictEqual(toldTo(planned("opened", { members: members.slice(1) })), ["bob@acme.test"])
    assert.deepStrictEqual(toldTo(planned("opened", { members: [] })), [])
  })

  it("get in their inbox what is mailed to them", () => {
    const plan = planned("opened")
    const [mail] = jobs(plan)
    const [kept] = plan.added.notifications ?? []
    has(mail, { kind: "notify_member", lane: mails[0] })
    const { notice, ...payload } = mail?.payload ?? {}
    assert.deepStrictEqual(payload, { incident: "inc-aaaa", member: uuid(1, 1), email: "ann@acme.test" })
    const told = Schema.decodeUnknownSync(Notice)(notice)
    has(told, { event: "opened", workspace: "acme", notified: ["Ann", "Bob"], decision: null })
    assert.strictEqual(told.incident.url, "https://acme.test/acme/inc-aaaa")
    has(kept, {
      member: uuid(1, 1),
      incident: "inc-aaaa",
      subject: "[high] cpu is wrong",
      createdAt: now,
      readAt: null
    })
    assert.include(kept?.text, "https://acme.test/acme/inc-aaaa")
  })

  it("who were woken lately are reminded when the quiet time is over, and no place with them", () => {
    const notifiedAt = ago(4)
    const about = incident({ told: "resolved", notifiedAt })
    const [later, ...more] = jobs(planned("reopened", { incident: about })).filter(
      ({ kind }) => kind === "follow_incident"
    )
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual(later?.dueAt, DateTime.add(notifiedAt, { minutes: quietMinutes }))
    const said = Schema.decodeUnknownSync(Follow)(later?.payload)
    assert.deepStrictEqual(said, {
      incident: "inc-aaaa" as IncidentKey,
      event: "reopened",
      decision: null,
      isLater: true
    })

    const due = { incident: about, now: later?.dueAt ?? now }
    const reminded = planned("reopened", due, true)
    assert.deepStrictEqual(lanes(reminded), mails)
    assert.deepStrictEqual(lanes(planned("reopened", { ...due, incident: incident({ status: "resolved" }) }, true)), [])
    const awake = incident({ told: "open", notifiedAt: ago(20) })
    assert.deepStrictEqual(lanes(planned("reopened", { ...due, incident: awake }, true)), [])
  })
})

describe("places", () => {
  const all = [place("ops"), place("chat"), place("shop", "web")]
  it.each<[string, Array<string> | null, Array<string>]>([
    ["all of the team by default", null, ["ops", "chat"]],
    ["none when none is chosen", [], []],
    ["those that are chosen", ["chat"], ["chat"]],
    ["none that is another team's", ["shop", "ops"], ["ops"]],
    ["none that is gone", ["gone"], []],
    ["none by a name in other letters", ["OPS"], []]
  ])("are posted to: %s", (_, chosen, posted) => {
    const plan = planned("updated", { places: all, service: service(1, "checkout", { places: chosen }) })
    assert.deepStrictEqual(postedTo(plan), posted)
    assert.deepStrictEqual(
      lanes(plan),
      posted.map((name) => `post inc-aaaa ${name}`)
    )
  })

  it("get the whole notice, with what is asked", () => {
    const options = [
      { id: "open_revert", label: "Open a revert", action: "open_revert" as const, recommended: true },
      { id: "decline_proposal", label: "Leave it", action: "decline_proposal" as const, recommended: false }
    ]
    const decision = { key: "dec-aaaa", title: "Revert it?", options, recommendation: "open_revert" }
    const plan = planned("asked", { decision: decision as never })
    for (const { payload } of jobs(plan))
      assert.deepStrictEqual(Schema.decodeUnknownSync(Notice)(payload["notice"]).decision, {
        ...decision,
        options: options.map(({ id, label }) => ({ id, label }))
      } as never)
  })
})

describe("sources", () => {
  const silent = new SignalSource({ ...source(2, "silent", [checkout]), credentials: null })
  const deleted = new SignalSource({ ...source(3, "deleted", [checkout]), credentials: "sealed", deletedAt: at(1) })
  const updates = (plan: { readonly added: Rows }) =>
    jobs(plan)
      .filter(({ kind }) => kind === "update_source")
      .map(({ payload }) => [payload["source"], payload["to"]])
  const with_ = (acknowledgeInSource: boolean, observeOnly: boolean) =>
    service(1, "checkout", { acknowledgeInSource, observeOnly })

  it("are told that it is looked after and that it is over: those we can act in, which are still connected", () => {
    const sources = [pager, silent, deleted]
    assert.deepStrictEqual(updates(planned("opened", { sources })), [[pager.id, "acknowledged"]])
    const over = incident({ status: "resolved" })
    assert.deepStrictEqual(updates(planned("resolved", { sources, incident: over })), [[pager.id, "resolved"]])
    assert.deepStrictEqual(updates(planned("opened", { sources: [silent, deleted] })), [])
  })

  it.each([
    [true, false, 1],
    [true, true, 0],
    [false, false, 0],
    [false, true, 0]
  ])("with acknowledgeInSource %s and observeOnly %s are told %i times", (acknowledge, observe, times) => {
    const one = with_(acknowledge, observe)
    assert.strictEqual(updates(planned("opened", { service: one })).length, times)
    const over = incident({ status: "resolved" })
    assert.strictEqual(updates(planned("resolved", { service: one, incident: over })).length, times)
  })

  it("are not told what people are told besides", () => {
    for (const event of ["reopened", "updated", "asked"] as const)
      assert.deepStrictEqual(updates(planned(event)), [], event)
  })
})

it("observing only, members and places are told and the cause is looked for all the same", () => {
  const plan = planned("opened", { service: service(1, "checkout", { ...settings, observeOnly: true }) })
  assert.deepStrictEqual(kinds(plan), ["notify_member", "post_to_place", "investigate_incident"])
})
