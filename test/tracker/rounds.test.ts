import { assert, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import { type Tracker, TrackerFailed, Trackers } from "../../application/ports/tracker/Trackers.ts"
import * as Bindings from "../../application/work/tracker/Bindings.ts"
import * as MirrorTracker from "../../application/work/tracker/MirrorTracker.ts"
import { mirrored, project, stories, stranger, team, writer } from "./Place.ts"
import { bound, later } from "./Mirrors.ts"

/** One round with a tracker that differs from the one in memory. */
const roundWith = (tracker: Tracker) =>
  Effect.provide(
    MirrorTracker.round(),
    Layer.succeed(Trackers, () => tracker)
  )

it.effect("a title that is longer than a story's is cut", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    const at = yield* bound(fake)
    yield* fake.people.open(stranger, { title: "😀".repeat(256) })
    yield* mirrored(fake)
    const [story] = yield* stories(at)
    assert.match(story?.title ?? "", /^(😀){249}…$/u)
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("a new issue is found behind a page that stays as it is", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make({ pageSize: 2 })
    const at = yield* bound(fake)
    for (const title of ["One", "Two", "Three", "Four"]) yield* fake.people.open(writer, { title })
    yield* mirrored(fake)
    yield* later(fake)
    yield* TestClock.adjust("30 seconds")
    yield* fake.people.open(writer, { title: "Five" })
    yield* later(fake)
    assert.strictEqual((yield* stories(at)).length, 5)
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("an issue that cannot be read stops no other, and is tried again later, unless that is in vain", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    const at = yield* bound(fake)
    yield* fake.people.open(stranger, { title: "Bad", labels: ["ready"] })
    yield* fake.people.open(writer, { title: "Good" })
    const store = yield* TrackerStore
    const gone = { id: "i9", key: "#9" }
    yield* store.hint(at.id, at.connection.id, project, gone)
    const failing: Tracker = {
      ...fake.tracker,
      get: (where, issue) =>
        issue.id === gone.id ? new TrackerFailed({ reason: "none", isFinal: true }) : fake.tracker.get(where, issue),
      trail: () => new TrackerFailed({ reason: "no answer", isFinal: false })
    }
    yield* roundWith(failing)
    assert.deepStrictEqual(
      (yield* stories(at)).map(({ title }) => title),
      ["Good"]
    )
    const { sync } = yield* Bindings.show(at.owner, team)
    assert.deepStrictEqual([sync.trouble, sync.sweptAt !== null], ["#9 cannot be read: none", true])
    yield* fake.people.open(writer, { title: "Later" })
    yield* TestClock.adjust("9 minutes")
    assert.deepStrictEqual((yield* store.due(0))[0]?.hints, [])
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(
      (yield* store.due(0))[0]?.hints.map(({ issue }) => issue.id),
      ["i1"]
    )
    yield* mirrored(fake)
    assert.deepStrictEqual(
      (yield* stories(at)).map(({ title }) => title),
      ["Bad", "Good", "Later"]
    )
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("an error in one project is its trouble and stops no other", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make()
    const [broken, other] = [yield* bound(fake), yield* bound(fake)]
    yield* fake.people.open(writer, { title: "Pay" })
    yield* roundWith({
      ...fake.tracker,
      page: (at, request) =>
        at.connection.id === broken.connection.id
          ? Effect.die("broken")
          : Effect.zipRight(Effect.yieldNow(), fake.tracker.page(at, request))
    })
    assert.strictEqual((yield* stories(other)).length, 1)
    const { sync } = yield* Bindings.show(broken.owner, team)
    assert.strictEqual(sync.trouble, "An error of the service, which its log shows.")
  }).pipe(Effect.provide(Memory.layer))
)
