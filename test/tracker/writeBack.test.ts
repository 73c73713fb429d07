import { assert, inject, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, TestClock } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { TrackerFailed, Trackers } from "../../application/ports/tracker/Trackers.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Stories from "../../application/work/Stories.ts"
import * as Bindings from "../../application/work/tracker/Bindings.ts"
import * as MirrorTracker from "../../application/work/tracker/MirrorTracker.ts"
import * as WriteTracker from "../../application/work/tracker/WriteTracker.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import { isLong } from "../support/Long.ts"
import * as Seed from "../support/Seed.ts"
import { content, mirrored, stories, storyOf, stranger, team, to, writer } from "./Place.ts"
import { bound, decodeEntries, issue, later, ready, written } from "./Mirrors.ts"

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

it.effect("the label of a run leaves an issue that a person closes; a label of people stays", () =>
  Effect.gen(function* () {
    const { at, fake, key } = yield* ready()
    yield* Runs.start(at.owner, key)
    yield* written(fake)
    yield* fake.people.open(writer, { title: "By hand", labels: ["doing"] })
    yield* later(fake)
    for (const id of ["i1", "i2"]) yield* fake.people.close(id, "not_planned")
    yield* later(fake)
    yield* written(fake)
    assert.deepStrictEqual(
      ["i1", "i2"].map((id) => [issue(fake, id).snapshot.closed, ...issue(fake, id).snapshot.labels]),
      [["not_planned"], ["not_planned", "doing"]]
    )
    const calls = fake.writes.length
    yield* later(fake)
    yield* written(fake)
    assert.strictEqual(fake.writes.length, calls)
    assert.strictEqual((yield* storyOf(at, "#1")).column.role, "done")
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

it.effect("parts that an issue states are edited in the tracker alone, and all of it after the team is unbound", () =>
  Effect.gen(function* () {
    const { at, fake, key } = yield* ready()
    yield* TestClock.adjust("1 minute")
    yield* fake.people.edit(writer, "i1", { body: "Text.\n\n## Test plan\n\nClick it." })
    yield* later(fake)
    const refused = yield* Effect.flip(Stories.edit(at.owner, key, { testPlan: "Mine." }))
    assert.include(refused.message, `The test plan of ${key} is kept in the tracker. Change it there: https://`)
    yield* Stories.edit(at.owner, key, { acceptanceCriteria: ["It adds up"] })
    yield* Bindings.unbind(at.owner, team)
    const mine = { title: "Mine", description: "Mine.", testPlan: "Mine." }
    assert.deepInclude(yield* Stories.edit(at.owner, key, mine), mine)
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

it.effect("a tracker that does not answer keeps no other one from being written to", () =>
  Effect.gen(function* () {
    const [dead, fake] = [MemoryTracker.make(), MemoryTracker.make()]
    const [one, other] = [yield* bound(dead), yield* bound(fake)]
    const both = Layer.succeed(Trackers, ({ id }) =>
      id === one.connection.id ? { ...dead.tracker, update: () => Effect.never } : fake.tracker
    )
    for (const title of ["One", "Two", "Three", "Four"]) yield* dead.people.open(writer, { title, labels: ["ready"] })
    yield* fake.people.open(writer, { title: "Pay", labels: ["ready"] })
    yield* Effect.replicateEffect(Effect.provide(MirrorTracker.round(), both), 3)
    for (const { key } of yield* stories(one)) yield* Stories.move(one.owner, key as StoryKey, "in_progress")
    yield* TestClock.adjust("1 minute")
    yield* Stories.move(other.owner, (yield* storyOf(other, "#1")).key, "in_progress")
    const writing = yield* Effect.fork(Effect.provide(WriteTracker.round(), both))
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(issue(fake, "i1").snapshot.labels, ["doing"])
    yield* Fiber.interrupt(writing)
  }).pipe(Effect.provide(Memory.layer))
)

const storm = inject("full") ? 5000 : isLong ? 500 : 20

it.effect(
  `${storm} moved stories are written at no more than 80 calls a minute, and none is lost`,
  ({ task }) =>
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
      const spread = ((fake.writes.at(-1) ?? 0) - (fake.writes[0] ?? 0)) / 60_000
      task.meta.figures = `${storm.toLocaleString("en")} stories moved at once: ${storm.toLocaleString("en")} calls over ${Math.round(spread)} minutes, with a pause of 10 minutes in it`
    }).pipe(Effect.provide(Memory.layer)),
  1_800_000
)
