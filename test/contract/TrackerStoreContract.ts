import { assert, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Either, type Layer, TestClock } from "effect"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import { keptDays, TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import * as Connections from "../../application/codehost/Connections.ts"
import * as Bindings from "../../application/work/tracker/Bindings.ts"
import * as Stories from "../../application/work/Stories.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Teams from "../../application/work/Teams.ts"
import * as ChangeBinding from "../../domain/tracker/ChangeBinding.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { newSync } from "../../domain/tracker/Binding.ts"
import { MirroredIssue } from "../../domain/tracker/MirroredIssue.ts"
import {
  bind,
  type Fake,
  mirrored,
  type Place,
  place,
  project,
  stories,
  storyOf,
  team,
  to,
  writer
} from "../tracker/Place.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { Stores } from "../support/World.ts"

const bound = (fake: Fake) =>
  Effect.gen(function* () {
    const at = yield* place
    const binding = yield* Effect.provide(bind(at), to(fake))
    return { ...at, binding }
  })

const own = (at: Place) => (all: ReadonlyArray<{ readonly workspace: string }>) =>
  all.filter(({ workspace }) => workspace === at.id)

export const trackerStoreContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`TrackerStore (${adapter})`, (it) => {
    it.effect("keeps a binding, its new mapping, and no more than one for a team", () =>
      Effect.gen(function* () {
        const fake = MemoryTracker.make()
        const at = yield* bound(fake)
        const store = yield* TrackerStore
        const state = { sync: newSync, mirrored: 0, unwritten: 0, drafts: 0 }
        assert.deepStrictEqual(yield* store.list(at.id), [{ binding: at.binding, ...state }])
        const again = yield* Effect.provide(bind(at, { sizes: { Gross: "l" } }), to(fake))
        assert.strictEqual(again.id, at.binding.id)
        assert.deepStrictEqual((yield* store.list(at.id))[0]?.binding, again)
        const other = { team, connection: "tracker", project: "acme/other", mapping: again.mapping }
        const moved = yield* Effect.provide(Bindings.bind(at.owner, other), to(fake))
        assert.deepStrictEqual(yield* store.list(at.id), [{ binding: moved, ...state }])
        const { kept } = yield* Bindings.unbind(at.owner, team)
        assert.strictEqual(kept, 0)
        assert.deepStrictEqual(yield* store.list(at.id), [])
        assert.strictEqual((yield* Effect.flip(Bindings.unbind(at.owner, team)))._tag, "TeamNotBound")
      })
    )

    it.effect("mirrors issues, keeps their rows, and leaves the stories when the binding ends", () =>
      Effect.gen(function* () {
        const fake = MemoryTracker.make({ pageSize: 2 })
        const at = yield* bound(fake)
        const store = yield* TrackerStore
        for (const title of ["One", "Two", "Three"])
          yield* fake.people.open(writer, { title, body: `Text of ${title}.`, labels: ["ready"] })
        yield* mirrored(fake)
        const found = yield* stories(at)
        assert.deepStrictEqual(
          found.map(({ column, key, title, tracker }) => [key, title, column.role, tracker?.key]),
          [
            ["PAY-1", "One", "ready", "#1"],
            ["PAY-2", "Two", "ready", "#2"],
            ["PAY-3", "Three", "ready", "#3"]
          ]
        )
        const [row] = yield* store.issues(at.id, at.binding.id, ["i2", "i9"])
        assert.deepStrictEqual(
          [row?.key, row?.story as string, row?.shown, row?.settled],
          ["#2", "PAY-2", "ready", "ready"]
        )
        assert.deepStrictEqual(row?.labels, ["ready"])
        assert.strictEqual((yield* store.list(at.id))[0]?.mirrored, 3)
        const other = yield* place
        assert.deepStrictEqual(yield* store.issues(other.id, at.binding.id, ["i2"]), [])
        yield* store.change(at.id, team, (context) =>
          ChangeBinding.unbind(bySystem)({ ...context, now: DateTime.subtract(context.now, { days: keptDays + 1 }) })
        )
        yield* store.purge
        assert.deepStrictEqual(yield* store.issues(at.id, at.binding.id, ["i2"]), [])
        assert.strictEqual((yield* stories(at)).length, 3)
        yield* Effect.provide(bind(at), to(fake))
        yield* mirrored(fake)
        assert.strictEqual((yield* stories(at)).length, 3)
      })
    )

    it.effect("finds the stories of issues whose project was renamed", () =>
      Effect.gen(function* () {
        const fake = MemoryTracker.make()
        const at = yield* bound(fake)
        yield* fake.people.open(writer, { title: "Pay", labels: ["ready"] })
        yield* mirrored(fake)
        const kept = fake.issues.get("i1")
        const url = "https://tracker.example.com/new/issues/1"
        if (kept !== undefined) kept.snapshot = { ...kept.snapshot, key: "new#1", url }
        const renamed = { team, connection: "tracker", project: "acme/new", mapping: at.binding.mapping }
        yield* Effect.provide(Bindings.bind(at.owner, renamed), to(fake))
        yield* (yield* TrackerStore).purge
        yield* mirrored(fake)
        assert.deepStrictEqual(
          (yield* stories(at)).map(({ column, key, tracker }) => [key, column.role, tracker?.url]),
          [["PAY-1", "ready", url]]
        )
      })
    )

    it.effect("is due at once, after its wait, and at once with a hint, which is followed once", () =>
      Effect.gen(function* () {
        const at = yield* bound(MemoryTracker.make())
        const store = yield* TrackerStore
        const due = Effect.map(store.due(3600), own(at))
        assert.strictEqual((yield* due).length, 1)
        assert.strictEqual((yield* due).length, 0)
        const sync = { ...newSync, swept: 3, trouble: "no answer" }
        yield* store.progress(at.id, at.binding, sync, Duration.zero)
        assert.strictEqual((yield* due).length, 1)
        assert.deepStrictEqual((yield* store.list(at.id))[0]?.sync, sync)
        const issue = { id: "i7", key: "#7" }
        yield* store.hint(at.id, at.connection.id, project.toUpperCase(), issue)
        yield* store.hint(at.id, at.connection.id, "acme/other", { id: "i8", key: "#8" })
        const found = (yield* store.due(3600)).find(({ workspace }) => workspace === at.id)
        assert.deepStrictEqual(
          found?.hints.map((one) => one.issue),
          [issue]
        )
        const [hint] = found?.hints ?? []
        if (hint === undefined) return assert.fail("no hint")
        yield* store.hint(at.id, at.connection.id, project, issue)
        yield* store.followed(at.id, at.binding.id, hint)
        const later = (yield* store.due(3600)).find(({ workspace }) => workspace === at.id)
        assert.deepStrictEqual(
          later?.hints.map((one) => one.issue),
          [issue]
        )
        for (const one of later?.hints ?? []) yield* store.followed(at.id, at.binding.id, one)
        yield* store.progress(at.id, at.binding, sync, Duration.zero)
        assert.deepStrictEqual((yield* store.due(3600)).find(({ workspace }) => workspace === at.id)?.hints, [])
        const other = yield* place
        yield* store.hint(other.id, at.connection.id, project, issue)
        yield* store.hint(at.id, at.connection.id, project, issue, Duration.hours(1))
        assert.strictEqual((yield* due).length, 0)
        yield* store.progress(at.id, at.binding, sync, Duration.zero)
        assert.deepStrictEqual((yield* store.due(3600)).find(({ workspace }) => workspace === at.id)?.hints, [])
      })
    )

    it.effect("begins anew when it is bound again, whatever a look that is under way keeps", () =>
      Effect.gen(function* () {
        const fake = MemoryTracker.make()
        const at = yield* bound(fake)
        const store = yield* TrackerStore
        const sync = { ...newSync, swept: 3, trouble: "no answer" }
        yield* store.progress(at.id, at.binding, sync, Duration.hours(1))
        yield* TestClock.adjust("1 second")
        const again = yield* Effect.provide(bind(at, { sizes: { Gross: "l" } }), to(fake))
        assert.notDeepEqual(again.updatedAt, at.binding.updatedAt)
        yield* store.progress(at.id, at.binding, sync, Duration.hours(1))
        // Sweeps are counted on, since issues keep the number of theirs.
        assert.deepStrictEqual((yield* store.list(at.id))[0]?.sync, { ...newSync, swept: 3 })
        assert.strictEqual(own(at)(yield* store.due(3600)).length, 1)
        const sweep = { number: 4, cursor: null, read: 1, total: 7, isRead: false, startedAt: again.updatedAt }
        yield* store.progress(at.id, again, { ...sync, sweep }, Duration.hours(1))
        yield* Effect.provide(bind(at), to(fake))
        assert.strictEqual((yield* store.list(at.id))[0]?.sync.swept, 4)
      })
    )

    it.effect("knows the issues that a sweep has not seen", () =>
      Effect.gen(function* () {
        const fake = MemoryTracker.make()
        const at = yield* bound(fake)
        const store = yield* TrackerStore
        for (const title of ["One", "Two", "Three"]) yield* fake.people.open(writer, { title })
        yield* mirrored(fake)
        yield* store.seen(at.id, at.binding.id, 7, ["i1", "i3"])
        assert.deepStrictEqual(yield* store.unseen(at.id, at.binding.id, 7, 10), [{ id: "i2", key: "#2" }])
        assert.deepStrictEqual(yield* store.unseen((yield* place).id, at.binding.id, 7, 10), [])
      })
    )

    it.effect("names a moved story and its run until they are written, and leases them to one", () =>
      Effect.gen(function* () {
        const fake = MemoryTracker.make()
        const at = yield* bound(fake)
        const store = yield* TrackerStore
        yield* fake.people.open(writer, { title: "One", labels: ["ready"] })
        yield* mirrored(fake)
        const take = Effect.map(store.unwritten(Duration.minutes(5), 10), (all) =>
          all.filter(({ workspace }) => workspace === at.id)
        )
        assert.deepStrictEqual(yield* take, [])
        const { key } = yield* storyOf(at, "#1")
        yield* Runs.start(at.owner, key)
        assert.strictEqual((yield* store.list(at.id))[0]?.unwritten, 1)
        const [found] = yield* take
        assert.strictEqual(found?.story.column.role, "in_progress")
        assert.strictEqual(found?.runs.length, 1)
        assert.isNull(found?.runs[0]?.comment)
        assert.deepStrictEqual(yield* take, [])
        if (found === undefined || found.runs[0] === undefined) return assert.fail("nothing to write")
        // A reading of the issue meanwhile is to be made again.
        const target = { binding: at.binding.id, issue: found.issue, url: null, story: null }
        const writing = yield* store.mirror(at.id, target, ({ isWriting }) => Either.left(isWriting)).pipe(Effect.flip)
        assert.isTrue(writing)
        const settled = new MirroredIssue({ ...found.issue, settled: "in_progress" })
        const earlier = DateTime.subtract(found.issue.syncedAt, { days: 1 })
        yield* store.wrote(at.id, settled, new MirroredIssue({ ...found.issue, syncedAt: earlier }))
        assert.strictEqual((yield* store.issues(at.id, at.binding.id, ["i1"]))[0]?.settled, "ready")
        yield* store.wrote(at.id, settled, found.issue)
        yield* store.commented(at.id, found.issue, { ...found.runs[0], comment: "c1" })
        yield* store.release(at.id, found.issue, Duration.zero)
        assert.deepStrictEqual(yield* take, [])
        assert.strictEqual((yield* store.list(at.id))[0]?.unwritten, 0)
        yield* Runs.stop(at.owner, found.runs[0].run)
        const [again] = yield* take
        assert.strictEqual(again?.runs[0]?.comment, "c1")
      })
    )

    it.effect("names a part of the issues of each connection", () =>
      Effect.gen(function* () {
        const fake = MemoryTracker.make()
        const store = yield* TrackerStore
        const places = [yield* bound(fake), yield* bound(fake)]
        for (const title of ["One", "Two", "Three"]) yield* fake.people.open(writer, { title })
        yield* mirrored(fake)
        for (const at of places)
          for (const { key } of yield* stories(at)) yield* Stories.move(at.owner, key as StoryKey, "refining")
        const taken = yield* store.unwritten(Duration.minutes(5), 2)
        assert.deepStrictEqual(
          places.map((at) => own(at)(taken).length),
          [2, 2]
        )
        const rest = yield* store.unwritten(Duration.minutes(5), 2)
        assert.deepStrictEqual(
          places.map((at) => own(at)(rest).length),
          [1, 1]
        )
      })
    )

    it.effect("gives every write its own turn, after the wait that the tracker asked for", () =>
      Effect.gen(function* () {
        const at = yield* bound(MemoryTracker.make())
        const store = yield* TrackerStore
        const turn = Effect.map(store.reserve(at.id, at.connection.id, Duration.seconds(10)), Duration.toSeconds)
        const seconds = Effect.sync(() => performance.now() / 1000)
        const turns = yield* Effect.replicateEffect(Effect.all([seconds, turn, seconds]), 4)
        for (const [index, [, wait, after]] of turns.entries()) {
          // Turns are kept in milliseconds, rounded.
          assert.isAtMost(wait, index * 10 + 0.001)
          const [before, last] = turns[index - 1] ?? [-Infinity, 0]
          assert.isAtLeast(after + wait - before - last, 9.99)
        }
        yield* store.delay(at.id, at.connection.id, Duration.minutes(5))
        const later = yield* turn
        assert.isAbove(later, 240)
        assert.isAtMost(yield* turn, later)
        const other = yield* place
        yield* store.delay(other.id, at.connection.id, Duration.hours(5))
        assert.isAtMost(yield* turn, later)
        assert.strictEqual(
          yield* store.reserve(other.id, other.connection.id, Duration.seconds(1)).pipe(Effect.map(Duration.toMillis)),
          0
        )
      })
    )

    it.effect("mirrors nothing for a removed connection or a deleted team", () =>
      Effect.gen(function* () {
        const store = yield* TrackerStore
        const [one, other] = [yield* bound(MemoryTracker.make()), yield* bound(MemoryTracker.make())]
        yield* Connections.remove(one.owner, "tracker")
        yield* Teams.remove(other.owner, team, team)
        const due = yield* store.due(3600)
        assert.deepStrictEqual([...own(one)(due), ...own(other)(due)], [])
        assert.deepStrictEqual(yield* store.list(other.id), [])
        const target = { binding: other.binding.id, issue: { id: "i1", key: "#1" }, url: null, story: null }
        assert.isNull(yield* Effect.flip(store.mirror(other.id, target, () => Either.left("unchanged" as const))))
      })
    )
  })
