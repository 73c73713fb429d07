import { assert, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import { type Tracker, Trackers } from "../../application/ports/tracker/Trackers.ts"
import * as Bindings from "../../application/work/tracker/Bindings.ts"
import * as MirrorTracker from "../../application/work/tracker/MirrorTracker.ts"
import { mirrored, stories, stranger, team, writer } from "./Place.ts"
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
