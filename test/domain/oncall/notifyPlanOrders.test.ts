import { assert, describe, it } from "@effect/vitest"
import { DateTime, FastCheck, Schema } from "effect"
import { Follow, follow, foldSeconds, followUp, quietMinutes } from "../../../domain/oncall/NotifyPlan.ts"
import { Incident } from "../../../domain/oncall/Incident.ts"
import type { Job, JobId } from "../../../domain/work/Job.ts"
import type { Notice, NoticeEvent } from "../../../domain/oncall/Notice.ts"
import type { Notification } from "../../../domain/oncall/InboxEntry.ts"
import { followed, incident, jobs, linkTo, members, uuid } from "./NotifyScene.ts"
import { at } from "./TriageScene.ts"
import { isLong } from "../../support/Long.ts"

type Happening = "fires" | "joins" | "recovers" | "is asked about" | "is worked on"

interface Step {
  readonly seconds: number
  readonly what: Happening
}

interface Word {
  readonly at: DateTime.Utc
  readonly event: Notification["event"]
}

/** An incident and its queued jobs, run as late and in the order that the steps give. */
const life = (steps: ReadonlyArray<Step>) => {
  const firstly = incident({ notifiedAt: null })
  let [clock, about, fresh]: [DateTime.Utc, Incident | null, number] = [at(0), null as Incident | null, 0]
  let queue: ReadonlyArray<Job> = []
  const laneWords = new Map<string, Array<Word>>()
  const inbox = new Map<string, Array<Word>>()
  const nextId = () => uuid(4, ++fresh)

  const add = (into: Map<string, Array<Word>>, name: string, event: Word["event"]) =>
    void into.set(name, [...(into.get(name) ?? []), { at: clock, event }])

  const enqueue = (event: NoticeEvent, of: Incident, dueAt?: DateTime.Utc) => {
    queue = [...queue, followUp(nextId() as JobId, of, event, clock, dueAt && { dueAt })]
  }

  /** Runs the first due job of its lane. */
  const work = (): boolean => {
    const job = queue.find(({ dueAt }) => dueAt === null || DateTime.lessThanOrEqualTo(dueAt, clock))
    if (job === undefined || about === null) return false
    const told = Schema.decodeUnknownSync(Follow)(job.payload)
    const given = { incident: about, now: clock, job, freshIds: Array.from({ length: 12 }, nextId) }
    const plan = follow(followed(told.event, given), told, linkTo)
    about = plan.changed.incidents?.[0] ?? about
    queue = [...queue.filter(({ id }) => id !== job.id), ...jobs(plan).filter(({ kind }) => kind === "follow_incident")]
    for (const { lane, payload } of jobs(plan))
      if (payload["notice"]) add(laneWords, lane ?? "", (payload["notice"] as Notice).event)
    for (const { event, member } of plan.added.notifications ?? []) add(inbox, member, event)
    return true
  }

  const happen: Record<Happening, () => void> = {
    fires: () => {
      if (about?.status === "open") return
      const event = about === null ? "opened" : "reopened"
      about = new Incident({ ...(about ?? firstly), status: "open" })
      enqueue(event, about)
    },
    joins: () => {
      if (about?.status !== "open") return
      if (about.updateDueAt !== null && DateTime.greaterThan(about.updateDueAt, clock)) return
      about = new Incident({ ...about, updateDueAt: DateTime.add(clock, { seconds: foldSeconds }) })
      enqueue("updated", about, about.updateDueAt ?? clock)
    },
    recovers: () => {
      if (about?.status !== "open") return
      about = new Incident({ ...about, status: "resolved" })
      enqueue("resolved", about)
    },
    "is asked about": () => {
      if (about !== null) enqueue("asked", about)
    },
    "is worked on": () => void work()
  }

  const pass = (seconds: number) => void (clock = DateTime.add(clock, { seconds }))
  for (const { seconds, what } of steps) {
    pass(seconds)
    happen[what]()
  }
  for (let rounds = 0; queue.length > 0 && rounds < 100; rounds++) {
    while (work());
    pass(60)
  }
  assert.deepStrictEqual(queue, [], "everything is done in the end")
  return { incident: about as Incident | null, inbox, lanes: laneWords }
}

describe("whatever happens, and however late the work is done", () => {
  const step = FastCheck.record({
    seconds: FastCheck.constantFrom(0, 1, 14, 60, 299, 600),
    what: FastCheck.constantFrom<Happening>(
      "fires",
      "fires",
      "recovers",
      "recovers",
      "joins",
      "is asked about",
      "is worked on",
      "is worked on"
    )
  })
  const always = (rule: (end: ReturnType<typeof life>) => void) =>
    FastCheck.assert(
      FastCheck.property(FastCheck.array(step, { maxLength: 40 }), (steps) => rule(life(steps))),
      { numRuns: isLong ? 100 : 30 }
    )

  it(`members are notified of a reopening at most once in ${quietMinutes} minutes`, () =>
    always(({ inbox }) => {
      for (const words of inbox.values()) {
        const woken = words.filter(({ event }) => event === "reopened").map((word) => word.at.epochMillis)
        for (const [index, moment] of woken.entries())
          assert.isAtLeast(moment - (woken[index - 1] ?? -Infinity), quietMinutes * 60_000)
      }
    }))

  it("members hear of the first reopening after a notice of its end as soon as it is followed", () => {
    const steps: ReadonlyArray<Step> = [
      { seconds: 0, what: "fires" },
      { seconds: 1, what: "is worked on" },
      { seconds: 1, what: "recovers" },
      { seconds: 1, what: "is worked on" },
      { seconds: 1, what: "fires" },
      { seconds: 1, what: "is worked on" }
    ]
    const [first] = life(steps).inbox.values()
    assert.deepStrictEqual(
      first?.map(({ at: moment, event }) => [event, (moment.epochMillis - at(0).epochMillis) / 1000]),
      [
        ["opened", 1],
        ["resolved", 3],
        ["reopened", 5]
      ]
    )
  })

  it("members hear that it is open and that it is over in turn, and in the end how it stands", () =>
    always(({ inbox, incident: about }) => {
      assert.deepStrictEqual([...inbox.keys()], about === null ? [] : [uuid(1, 1), uuid(1, 2)])
      for (const words of inbox.values()) {
        const heard = words.map(({ event }) => event === "resolved")
        assert.deepStrictEqual(
          heard,
          heard.map((_, index) => index % 2 === 1)
        )
        assert.strictEqual(heard.at(-1), about?.status === "resolved")
      }
    }))

  it("what is mailed is what the inbox keeps, in one lane for each member", () =>
    always(({ inbox, lanes: all }) => {
      for (const { id } of members) assert.deepStrictEqual(all.get(`mail inc-aaaa ${id}`), inbox.get(id))
    }))

  it("places hear first that it opened, once, and last how it stands, all of them the same", () =>
    always(({ incident: about, lanes: all }) => {
      const [ops, chat] = ["ops", "chat"].map((name) => all.get(`post inc-aaaa ${name}`) ?? [])
      assert.deepStrictEqual(ops, chat)
      const heard = (ops ?? []).map(({ event }) => event)
      assert.strictEqual(heard.indexOf("opened"), about === null ? -1 : 0)
      assert.strictEqual(heard.lastIndexOf("opened"), about === null ? -1 : 0)
      const last = heard.findLast((event) => event !== "updated" && event !== "asked")
      assert.strictEqual(last === "resolved", about?.status === "resolved")
    }))
})
