import { assert, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Runs from "../../application/work/Runs.ts"
import { stories, storyOf, stranger, writer } from "./Place.ts"
import { entries, issue, later, ready, written } from "./Mirrors.ts"

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
