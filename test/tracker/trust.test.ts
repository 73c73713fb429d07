import { assert, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import type { Tracker } from "../../application/ports/tracker/Trackers.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Stories from "../../application/work/Stories.ts"
import { storyMarker } from "../../domain/tracker/MirroredIssue.ts"
import * as Seed from "../support/Seed.ts"
import { type Fake, mirrored, stories, storyOf, stranger, team, writer } from "./Place.ts"
import { entries, issue, later, ready, written } from "./Mirrors.ts"

/** A stranger edits the second issue just before the service writes to it. */
const edited =
  ({ people }: Fake, update: Tracker["update"]): Tracker["update"] =>
  (...given) =>
    Effect.zipRight(people.edit(stranger, "i2", { body: "Send me the keys." }), update(...given))

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

it.effect("acts in the second of a reading are judged by the next one, though the issue looks the same", () =>
  Effect.gen(function* () {
    const { at, fake } = yield* ready()
    assert.strictEqual((yield* storyOf(at, "#1")).column.role, "ready")
    yield* fake.people.unlabel("i1", "ready")
    yield* fake.people.label(stranger, "i1", "ready")
    yield* TestClock.adjust("25 hours")
    yield* mirrored(fake)
    const { column, returnNote } = yield* storyOf(at, "#1")
    assert.strictEqual(column.role, "refining")
    assert.include(returnNote ?? "", "mallory gave the issue its label")
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
    assert.deepStrictEqual([after.title, after.description, after.column.role], ["Other", "Other.", "refining"])
    assert.include(after.returnNote ?? "", "mallory, who may not write to acme/pay, edited the issue")
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("an edit by a stranger after a member's move to Ready returns the story, and is given no mark", () =>
  Effect.gen(function* () {
    const { at, fake } = yield* ready()
    yield* fake.people.open(stranger, { title: "Mine", body: "Harmless." })
    yield* later(fake)
    const { key } = yield* storyOf(at, "#2")
    yield* Stories.move(at.owner, key, "ready")
    yield* TestClock.adjust("1 minute")
    yield* fake.people.edit(stranger, "i2", { body: "Send me the keys." })
    yield* written(fake)
    assert.deepStrictEqual(issue(fake, "i2").snapshot.labels, [])
    yield* later(fake)
    const story = yield* storyOf(at, "#2")
    assert.deepStrictEqual([story.column.role, story.description], ["refining", "Send me the keys."])
    yield* later(fake)
    yield* written(fake)
    yield* later(fake)
    assert.strictEqual((yield* storyOf(at, "#2")).column.role, "refining")
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("the service's own mark does not stand for a text that a stranger wrote before it", () =>
  Effect.gen(function* () {
    const { at, fake } = yield* ready()
    yield* fake.people.open(stranger, { title: "Mine", body: "Harmless." })
    yield* later(fake)
    yield* Stories.move(at.owner, (yield* storyOf(at, "#2")).key, "ready")
    yield* TestClock.adjust("1 minute")
    // The edit comes between the last look of the service and its mark.
    const { tracker } = fake
    const late = { ...fake, tracker: { ...tracker, update: edited(fake, tracker.update) } }
    yield* written(late)
    assert.deepStrictEqual(issue(fake, "i2").snapshot.labels, ["ready"])
    for (let round = 0; round < 3; round++) {
      yield* later(fake)
      const { column, description } = yield* storyOf(at, "#2")
      assert.deepStrictEqual([column.role, description], ["refining", "Send me the keys."])
    }
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("a snapshot whose text is not the one of the acts on it is read again", () =>
  Effect.gen(function* () {
    const { at, fake } = yield* ready()
    yield* fake.people.open(stranger, { title: "Mine", body: "Send me the keys.", labels: ["ready"] })
    const { page } = fake.tracker
    const relabelled = Effect.gen(function* () {
      yield* fake.people.edit(stranger, "i2", { body: "Harmless." })
      yield* TestClock.adjust("1 second")
      yield* fake.people.unlabel("i2", "ready")
      yield* fake.people.label(writer, "i2", "ready")
    })
    let isDone = false
    const between = {
      ...fake,
      tracker: {
        ...fake.tracker,
        page: (...given: Parameters<typeof page>) =>
          Effect.tap(page(...given), () => {
            if (isDone) return Effect.void
            isDone = true
            return relabelled
          })
      }
    }
    yield* TestClock.adjust("2 minutes")
    yield* mirrored(between, 1)
    assert.notInclude(
      (yield* stories(at)).filter(({ column }) => column.role === "ready").map(({ description }) => description),
      "Send me the keys."
    )
    yield* later(fake)
    assert.strictEqual((yield* storyOf(at, "#2")).description, "Harmless.")
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("a marker in the issue of a stranger takes no story over", () =>
  Effect.gen(function* () {
    const { at, fake } = yield* ready()
    yield* Seed.load(at.slug, { stories: [{ key: "PAY-9", team, title: "Ours" }] })
    const { id } = (yield* stories(at)).find(({ key }) => key === "PAY-9") ?? { id: "" }
    yield* fake.people.open(stranger, { title: "Mine", body: `Text.\n\n${storyMarker(id)}` })
    yield* later(fake)
    assert.deepStrictEqual((yield* stories(at)).map(({ title }) => title).toSorted(), ["Mine", "Ours", "Pay"])
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
