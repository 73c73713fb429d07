import { has, kinds, lanes, mails, postedTo, toldTo } from "./NotifyPlanSteps.ts"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { acknowledge } from "../../../domain/oncall/AcknowledgeInSource.ts"
import type { Rows } from "../../../domain/Change.ts"
import { Follow, quietMinutes } from "../../../domain/oncall/NotifyPlan.ts"
import type { IncidentKey } from "../../../domain/value/IncidentKey.ts"
import type { Email } from "../../../domain/workspace/Member.ts"
import { Notice } from "../../../domain/oncall/Notice.ts"
import { SignalSource } from "../../../domain/oncall/SignalSource.ts"
import {
  ago,
  checkout,
  followed,
  incident,
  jobs,
  members,
  now,
  pager,
  people,
  place,
  planned,
  settings,
  uuid
} from "./NotifyScene.ts"
import { at, service, source } from "./TriageScene.ts"

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

  const acknowledged = (given: Parameters<typeof planned>[1] = {}) => acknowledge(followed("opened", given))
  const over = incident({ status: "resolved" })

  it("are told that it is looked after and that it is over: those we can act in, which are still connected", () => {
    const sources = [pager, silent, deleted]
    assert.deepStrictEqual(updates(acknowledged({ sources })), [[pager.id, "acknowledged"]])
    assert.deepStrictEqual(updates(planned("resolved", { sources, incident: over })), [[pager.id, "resolved"]])
    assert.deepStrictEqual(updates(acknowledged({ sources: [silent, deleted] })), [])
  })

  it("are acknowledged by the first notice that gets through, once, while the incident is open", () => {
    const first = acknowledged()
    assert.deepStrictEqual(
      first.changed.incidents?.map(({ reachedAt }) => reachedAt),
      [now]
    )
    const [reached] = first.changed.incidents ?? []
    assert.isDefined(reached)
    const nothing = { added: {}, changed: {} }
    assert.deepStrictEqual(acknowledged({ incident: reached }), nothing)
    assert.deepStrictEqual(acknowledged({ incident: over }), nothing)
  })

  it.each([
    [true, false, 1],
    [true, true, 0],
    [false, false, 0],
    [false, true, 0]
  ])("with acknowledgeInSource %s and observeOnly %s are told %i times", (acknowledge, observe, times) => {
    const one = with_(acknowledge, observe)
    assert.strictEqual(updates(acknowledged({ service: one })).length, times)
    assert.strictEqual(updates(planned("resolved", { service: one, incident: over })).length, times)
  })

  it("are not told what people are told besides", () => {
    for (const event of ["opened", "reopened", "updated", "asked"] as const)
      assert.deepStrictEqual(updates(planned(event)), [], event)
  })
})

it("observing only, members and places are told and the cause is looked for all the same", () => {
  const plan = planned("opened", { service: service(1, "checkout", { ...settings, observeOnly: true }) })
  assert.deepStrictEqual(kinds(plan), ["notify_member", "post_to_place", "investigate_incident"])
})
