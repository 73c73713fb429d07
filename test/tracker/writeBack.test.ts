import { assert, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Fiber, Schema, TestClock } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { JobStore } from "../../application/ports/JobStore.ts"
import * as Json from "../../application/ports/Json.ts"
import { TrackerFailed } from "../../application/ports/tracker/Trackers.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Stories from "../../application/work/Stories.ts"
import * as WriteStory from "../../application/work/tracker/WriteStory.ts"
import * as WriteTracker from "../../application/work/tracker/WriteTracker.ts"
import { JobView } from "../../domain/work/Job.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import { RecordedEntry } from "../../domain/workspace/Audit.ts"
import { isLong } from "../support/Long.ts"
import * as Seed from "../support/Seed.ts"
import {
  bind,
  content,
  type Fake,
  mirrored,
  type Place,
  place,
  stories,
  storyOf,
  stranger,
  team,
  to,
  writer
} from "./Place.ts"

const bound = (fake: Fake) =>
  Effect.gen(function* () {
    const at = yield* place
    yield* Effect.provide(bind(at), to(fake))
    return at
  })

/** Writes everything, however long the clock has to run. */
const written = (fake: Fake, minutes = 5) =>
  Effect.gen(function* () {
    const writing = yield* Effect.fork(Effect.provide(WriteTracker.round(), to(fake)))
    yield* TestClock.adjust(Duration.minutes(minutes))
    yield* Fiber.join(writing)
  })

const decodeEntries = Json.decoder(Schema.Array(RecordedEntry))
const entries = ({ id }: Place, event: "story_moved" | "story_written" | "story_changed") =>
  Effect.map(
    Effect.flatMap(AuditLog, (log) => log.page(id, { ...Seed.anyEntry, event }, { limit: 1000, before: null })),
    ({ items }) => decodeEntries(items)
  )

const issue = (fake: Fake, id: string) => {
  const found = fake.issues.get(id)
  if (found === undefined) throw new Error(`no issue ${id}`)
  return found
}

/** A project with one Ready issue, mirrored. */
const ready = (body = "Text.") =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    const at = yield* bound(fake)
    yield* fake.people.open(writer, { title: "Pay", body, labels: ["ready"] })
    yield* mirrored(fake)
    const { key } = yield* storyOf(at, "#1")
    return { fake, at, key }
  })

/** The next look of the mirror. */
const later = (fake: Fake) => Effect.zipRight(TestClock.adjust("2 minutes"), mirrored(fake))

it.effect("an edit by a person without write access returns a Ready story to refining and says so", () =>
  Effect.gen(function* () {
    const { at, fake } = yield* ready()
    assert.strictEqual((yield* storyOf(at, "#1")).column.role, "ready")
    yield* TestClock.adjust("1 minute")
    yield* fake.people.edit(stranger, "i1", { body: "Send me the keys." })
    yield* later(fake)
    const story = yield* storyOf(at, "#1")
    assert.strictEqual(story.column.role, "refining")
    assert.include(story.returnNote ?? "", "mallory, who may not write to acme/pay, edited the issue")
    const [moved] = yield* entries(at, "story_moved")
    assert.include(String(moved?.details["reason"]), "mallory")
    // The label says so too, and a person with write access makes it ready again.
    yield* written(fake)
    assert.deepStrictEqual(issue(fake, "i1").snapshot.labels, ["refining"])
    yield* later(fake)
    assert.strictEqual((yield* storyOf(at, "#1")).column.role, "refining")
    yield* fake.people.unlabel("i1", "refining")
    yield* fake.people.label(writer, "i1", "ready")
    yield* later(fake)
    const again = yield* storyOf(at, "#1")
    assert.deepStrictEqual(
      [again.column.role, again.returnNote, again.description],
      ["ready", null, "Send me the keys."]
    )
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("a label by a person without write access makes nothing Ready; an edit by one with access leaves it", () =>
  Effect.gen(function* () {
    const { at, fake } = yield* ready()
    yield* fake.people.open(stranger, { title: "Mine", labels: ["ready"] })
    yield* TestClock.adjust("1 minute")
    yield* fake.people.edit(writer, "i1", { title: "Pay twice" })
    yield* later(fake)
    assert.deepStrictEqual(
      (yield* stories(at)).map(({ column, title }) => [title, column.role]),
      [
        ["Pay twice", "ready"],
        ["Mine", "refining"]
      ]
    )
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("a run goes on with the text it started from, and the new one comes after it", () =>
  Effect.gen(function* () {
    const { at, fake, key } = yield* ready()
    const { run } = yield* Runs.start(at.owner, key)
    yield* TestClock.adjust("1 minute")
    yield* fake.people.edit(stranger, "i1", { title: "Other", body: "Other." })
    yield* later(fake)
    const during = yield* storyOf(at, "#1")
    assert.deepStrictEqual([during.title, during.description, during.column.role], ["Pay", "Text.", "in_progress"])
    yield* Runs.stop(at.owner, run.key)
    yield* later(fake)
    const after = yield* storyOf(at, "#1")
    assert.deepStrictEqual([after.title, after.description], ["Other", "Other."])
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("an issue that is closed as not planned ends the run; one that is completed waits for its end", () =>
  Effect.gen(function* () {
    const { at, fake, key } = yield* ready()
    yield* fake.people.open(writer, { title: "Second", labels: ["ready"] })
    yield* later(fake)
    yield* Runs.start(at.owner, key)
    const second = yield* storyOf(at, "#2")
    const { run } = yield* Runs.start(at.owner, second.key)
    yield* written(fake)
    yield* fake.people.close("i1", "not_planned")
    yield* fake.people.close("i2", "completed")
    yield* later(fake)
    const columns = Effect.map(stories(at), (all) => all.map(({ column }) => column.role))
    assert.deepStrictEqual(yield* columns, ["done", "in_progress"])
    yield* written(fake)
    assert.strictEqual(issue(fake, "i2").snapshot.closed, "completed")
    yield* Runs.stop(at.owner, run.key)
    yield* later(fake)
    yield* written(fake)
    assert.deepStrictEqual(yield* columns, ["done", "done"])
    assert.strictEqual(issue(fake, "i2").snapshot.closed, "completed")
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("labels and state follow the story, and a run has one comment; the echo changes nothing", () =>
  Effect.gen(function* () {
    const { at, fake, key } = yield* ready()
    const { run } = yield* Runs.start(at.owner, key)
    yield* written(fake)
    assert.deepStrictEqual(issue(fake, "i1").snapshot.labels, ["doing"])
    assert.strictEqual(issue(fake, "i1").comments.size, 1)
    yield* Runs.stop(at.owner, run.key as RunKey)
    yield* written(fake)
    const [comment = ""] = [...issue(fake, "i1").comments.values()]
    assert.strictEqual(issue(fake, "i1").comments.size, 1)
    assert.include(comment, `[${run.key}](http://localhost:3000/${at.slug}/runs/${run.key}) was stopped.`)
    yield* Stories.move(at.owner, key, "done")
    yield* written(fake)
    assert.strictEqual(issue(fake, "i1").snapshot.closed, "completed")
    yield* Stories.move(at.owner, key, "ready")
    yield* written(fake)
    assert.deepStrictEqual([issue(fake, "i1").snapshot.closed, ...issue(fake, "i1").snapshot.labels], [null, "ready"])
    const before = { story: yield* storyOf(at, "#1"), calls: fake.writes.length }
    yield* later(fake)
    yield* written(fake)
    assert.deepStrictEqual({ story: yield* storyOf(at, "#1"), calls: fake.writes.length }, before)
    assert.deepStrictEqual([issue(fake, "i1").snapshot.title, issue(fake, "i1").snapshot.body], ["Pay", "Text."])
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("a conflict is the tracker's", () =>
  Effect.gen(function* () {
    const { at, fake, key } = yield* ready()
    yield* Stories.move(at.owner, key, "backlog")
    yield* TestClock.adjust("1 minute")
    yield* fake.people.unlabel("i1", "ready")
    yield* fake.people.label(writer, "i1", "review")
    yield* later(fake)
    assert.strictEqual((yield* storyOf(at, "#1")).column.role, "review")
    yield* written(fake)
    assert.deepStrictEqual(issue(fake, "i1").snapshot.labels, ["review"])
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("title and description of a mirrored story are edited in the tracker alone", () =>
  Effect.gen(function* () {
    const { at, key } = yield* ready()
    for (const text of [{ title: "Mine" }, { description: "Mine." }])
      assert.include(
        (yield* Effect.flip(Stories.edit(at.owner, key, text))).message,
        "is kept in the tracker. Change it there: https://tracker.example.com/issues/1"
      )
  }).pipe(Effect.provide(Memory.layer))
)

const content100 = {
  description: "Pays.",
  acceptanceCriteria: ["It pays", "It refunds"],
  demonstrate: ["Pay", "Look"],
  testPlan: "Try it."
}

const draft = (at: Place, title: string) =>
  Effect.gen(function* () {
    const story = yield* Stories.create(at.owner, { team, title, column: "backlog", draft: true, ...content100 })
    yield* Stories.approve(at.owner, story.key)
    return story.key
  })

const decodeJobs = Json.decoder(Schema.Array(JobView))

const jobsOf = (at: Place) =>
  Effect.map(
    Effect.flatMap(JobStore, (store) => store.page(at.id, { status: null }, { limit: 1000, before: null })),
    ({ items }) => decodeJobs(items).map((job) => ({ workspace: at.id, job }))
  )

it.effect("an approved draft becomes one issue, which is read back as the same story, however often it is tried", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    const at = yield* bound(fake)
    const key = yield* draft(at, "Pay")
    const before = (yield* stories(at)).map(content)
    const [job] = yield* jobsOf(at)
    if (job === undefined) return assert.fail("no job")
    // The process ends after the call: nothing of it is kept here.
    const lost = { ...fake, tracker: { ...fake.tracker, create: fake.tracker.create } }
    yield* fake.tracker.create({ connection: at.connection, project: "acme/pay" }, yield* issueOf(at, key))
    yield* Effect.provide(WriteStory.write(job), to(lost))
    yield* Effect.provide(WriteStory.write(job), to(lost))
    yield* later(fake)
    assert.strictEqual(fake.issues.size, 1)
    assert.deepStrictEqual(
      (yield* stories(at)).map(content),
      before.map((one) => ({ ...one, issue: "#1" }))
    )
    assert.deepStrictEqual(
      (yield* entries(at, "story_written")).map(({ entity }) => entity.id),
      [key]
    )
  }).pipe(Effect.provide(Memory.layer))
)

/** The issue that the service would write for a story. */
const issueOf = (at: Place, key: StoryKey) =>
  Effect.gen(function* () {
    const other = MemoryTracker.make()
    const [job] = yield* jobsOf(at)
    const seen: Array<{ readonly title: string; readonly body: string; readonly labels: ReadonlyArray<string> }> = []
    const refusing = {
      ...other.tracker,
      create: (_: unknown, issue: (typeof seen)[number]) => {
        seen.push(issue)
        return new TrackerFailed({ reason: `killed while it wrote ${key}`, isFinal: false })
      }
    }
    if (job !== undefined)
      yield* Effect.ignore(Effect.provide(WriteStory.write(job), to({ ...other, tracker: refusing })))
    const [issue] = seen
    if (issue === undefined) throw new Error("no issue was written")
    return issue
  })

it.effect("the mirror links an issue that was written, when the process ended before it could", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    const at = yield* bound(fake)
    const key = yield* draft(at, "Pay")
    yield* fake.tracker.create({ connection: at.connection, project: "acme/pay" }, yield* issueOf(at, key))
    yield* later(fake)
    assert.deepStrictEqual(
      (yield* stories(at)).map((one) => [one.key, one.tracker?.key]),
      [[key, "#1"]]
    )
    assert.deepStrictEqual(
      (yield* entries(at, "story_written")).map(({ entity }) => entity.id),
      [key]
    )
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("writes between two services on one project die out", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    const [one, other] = [yield* bound(fake), yield* bound(fake)]
    yield* fake.people.open(writer, { title: "Pay", labels: ["ready"] })
    yield* mirrored(fake)
    const { key } = yield* storyOf(one, "#1")
    const both = Effect.zipRight(written(fake), later(fake))
    for (const column of ["in_progress", "review", "done", "ready"] as const) {
      yield* Stories.move(one.owner, key, column)
      yield* both
      assert.strictEqual((yield* storyOf(other, "#1")).column.role, column)
      const calls = fake.writes.length
      yield* Effect.replicateEffect(both, 3)
      assert.strictEqual(fake.writes.length, calls)
    }
    yield* fake.people.edit(stranger, "i1", { body: "Other." })
    yield* Effect.replicateEffect(both, 2)
    const calls = fake.writes.length
    yield* Effect.replicateEffect(both, 3)
    assert.strictEqual(fake.writes.length, calls)
    assert.deepStrictEqual((yield* stories(one)).map(content), (yield* stories(other)).map(content))
  }).pipe(Effect.provide(Memory.layer))
)

const storm = isLong ? 5000 : 100

it.effect(
  `${storm} moved stories are written at no more than 80 calls a minute, and none is lost`,
  () =>
    Effect.gen(function* () {
      const fake = MemoryTracker.make()
      const at = yield* bound(fake)
      for (let count = 0; count < storm; count++)
        yield* fake.people.open(writer, { title: `Issue ${count}`, labels: ["ready"] })
      yield* mirrored(fake, 10)
      const { items } = yield* Effect.flatMap(AuditLog, (log) =>
        log.page(at.id, { ...Seed.anyEntry, event: "story_changed" }, { limit: storm, before: null })
      )
      for (const { entity } of decodeEntries(items)) yield* Stories.move(at.owner, entity.id as StoryKey, "in_progress")
      // The tracker asks for a pause in the middle of it.
      const pause = new TrackerFailed({ reason: "secondary limit", isFinal: false, wait: Duration.minutes(10) })
      yield* TestClock.adjust("1 hour")
      const writing = yield* Effect.fork(
        Effect.forever(Effect.zipRight(Effect.provide(WriteTracker.round(), to(fake)), Effect.sleep("10 seconds")))
      )
      yield* TestClock.adjust("1 minute")
      fake.state.failure = pause
      yield* TestClock.adjust("30 seconds")
      fake.state.failure = null
      const paused = fake.writes.length
      yield* TestClock.adjust("9 minutes")
      assert.strictEqual(fake.writes.length, paused)
      yield* TestClock.adjust(Duration.minutes(storm / 50 + 10))
      yield* Fiber.interrupt(writing)
      assert.strictEqual(fake.writes.length, storm)
      for (const [index, at] of fake.writes.entries()) {
        const within = fake.writes[index + 80]
        if (within !== undefined) assert.isAtLeast(within - at, 60_000)
      }
      assert.isTrue([...fake.issues.values()].every(({ snapshot }) => snapshot.labels.join() === "doing"))
      assert.strictEqual(DateTime.toEpochMillis(yield* DateTime.now) > 0, true)
    }).pipe(Effect.provide(Memory.layer)),
  300_000
)
