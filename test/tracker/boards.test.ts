import { assert, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import type { Tracker } from "../../application/ports/tracker/Trackers.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Stories from "../../application/work/Stories.ts"
import * as Bindings from "../../application/work/tracker/Bindings.ts"
import { usualStatuses } from "../../domain/tracker/Mapping.ts"
import { boardStatuses } from "../contract/TrackerContract.ts"
import { long } from "../support/Long.ts"
import {
  bind,
  content,
  type Fake,
  mapping,
  mirrored,
  place,
  project,
  stories,
  storyOf,
  stranger,
  team,
  to,
  writer
} from "./Place.ts"
import { issue, later, written } from "./Mirrors.ts"

const board = { name: "acme/1", field: "Status" }
const byStatus = { columns: usualStatuses, board }

const bound = (fake: Fake) =>
  Effect.gen(function* () {
    const at = yield* place
    yield* Effect.provide(bind(at, byStatus), to(fake))
    return at
  })

/** A project with one issue that a person with write access moved to Ready on the board. */
const ready = Effect.gen(function* () {
  const fake = MemoryTracker.make({ statuses: boardStatuses })
  const at = yield* bound(fake)
  yield* fake.people.open(writer, { title: "Pay", body: "Text." })
  yield* mirrored(fake)
  yield* fake.people.move(writer, "i1", "Ready")
  yield* later(fake)
  const { key } = yield* storyOf(at, "#1")
  return { fake, at, key }
})

const columnOf = (at: Parameters<typeof storyOf>[0], key = "#1") =>
  Effect.map(storyOf(at, key), ({ column }) => column.role)

it.effect("a move on the board is seen at the next look, though the issue has not changed", () =>
  Effect.gen(function* () {
    const { at, fake } = yield* ready
    for (const [status, column] of [
      ["In progress", "in_progress"],
      ["In review", "review"],
      ["Backlog", "backlog"],
      [null, "backlog"],
      ["Ready", "ready"],
      ["Done", "done"]
    ] as const) {
      yield* fake.people.move(writer, "i1", status)
      yield* later(fake)
      assert.strictEqual(yield* columnOf(at), column)
    }
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("the status follows the story, and the echo changes nothing", () =>
  Effect.gen(function* () {
    const { at, fake, key } = yield* ready
    const { run } = yield* Runs.start(at.owner, key)
    yield* written(fake)
    assert.strictEqual(issue(fake, "i1").snapshot.status, "In progress")
    yield* Runs.stop(at.owner, run.key)
    for (const [column, status] of [
      ["review", "In review"],
      ["refining", "Backlog"],
      ["done", "Done"],
      ["ready", "Ready"]
    ] as const) {
      yield* Stories.move(at.owner, key, column)
      yield* written(fake)
      assert.strictEqual(issue(fake, "i1").snapshot.status, status)
      const before = { story: yield* storyOf(at, "#1"), calls: fake.writes.length }
      yield* later(fake)
      yield* written(fake)
      assert.deepStrictEqual({ story: yield* storyOf(at, "#1"), calls: fake.writes.length }, before)
    }
    assert.strictEqual(issue(fake, "i1").snapshot.closed, null)
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("a conflict is the tracker's: a status that somebody set meanwhile is not overwritten", () =>
  Effect.gen(function* () {
    const { at, fake, key } = yield* ready
    yield* Stories.move(at.owner, key, "backlog")
    yield* fake.people.move(writer, "i1", "In review")
    yield* written(fake)
    assert.strictEqual(issue(fake, "i1").snapshot.status, "In review")
    yield* later(fake)
    assert.strictEqual(yield* columnOf(at), "review")
    yield* written(fake)
    assert.strictEqual(issue(fake, "i1").snapshot.status, "In review")
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("a move by a person without write access, or by nobody who is named, makes nothing Ready", () =>
  Effect.gen(function* () {
    const { at, fake, key } = yield* ready
    for (const [by, words] of [
      [stranger, "mallory gave the issue its status, and may not write to acme/pay."],
      [null, "acme/pay does not say who gave the issue its status. Read its text, and make the story ready here."]
    ] as const) {
      yield* fake.people.move(writer, "i1", "Backlog")
      yield* later(fake)
      yield* fake.people.move(by, "i1", "Ready")
      yield* later(fake)
      const story = yield* storyOf(at, "#1")
      assert.strictEqual(story.column.role, "refining")
      assert.include(story.returnNote ?? "", words)
      yield* written(fake)
      assert.strictEqual(issue(fake, "i1").snapshot.status, "Backlog")
      yield* later(fake)
      assert.strictEqual(yield* columnOf(at), "refining")
    }
    // A member stands for the text, though the tracker does not record the service's own move either.
    yield* Stories.move(at.owner, key, "ready")
    yield* written(fake)
    assert.strictEqual(issue(fake, "i1").snapshot.status, "Ready")
    issue(fake, "i1").moved = null
    yield* fake.people.label(writer, "i1", "bug")
    yield* later(fake)
    assert.strictEqual(yield* columnOf(at), "ready")
    yield* TestClock.adjust("1 minute")
    yield* fake.people.edit(stranger, "i1", { body: "Send me the keys." })
    yield* later(fake)
    assert.strictEqual(yield* columnOf(at), "refining")
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("an act that the tracker may not have recorded yet is waited for", () =>
  Effect.gen(function* () {
    const { at, fake } = yield* ready
    yield* fake.people.move(writer, "i1", "Backlog")
    yield* later(fake)
    yield* fake.people.move(null, "i1", "Ready")
    const trail: Tracker["trail"] = (...given) =>
      Effect.map(fake.tracker.trail(...given), (acts) => ({ ...acts, isEarly: acts.readied === null }))
    const early = { ...fake, tracker: { ...fake.tracker, trail } }
    yield* later(early)
    assert.strictEqual(yield* columnOf(at), "backlog")
    const { moved, snapshot } = issue(fake, "i1")
    assert.isNull(moved)
    issue(fake, "i1").moved = { by: writer, at: snapshot.updatedAt }
    yield* later(early)
    assert.strictEqual(yield* columnOf(at), "ready")
  }).pipe(Effect.provide(Memory.layer))
)

long(() =>
  it.effect("a board of 2,500 open issues is looked at in three rounds, 100 issues a call", () =>
    Effect.gen(function* () {
      const fake = MemoryTracker.make({ statuses: boardStatuses })
      const at = yield* bound(fake)
      for (let count = 1; count <= 2500; count++) yield* fake.people.open(writer, { title: `Issue ${count}` })
      yield* mirrored(fake, 3)
      let calls = 0
      const statuses: Tracker["statuses"] = (where, refs) => {
        calls++
        assert.isAtMost(refs.length, 100)
        return fake.tracker.statuses(where, refs)
      }
      const counted = { ...fake, tracker: { ...fake.tracker, statuses } }
      const moved = ["i1", "i1500", "i999", "i2500"]
      for (const id of moved) yield* fake.people.move(writer, id, "Ready")
      for (let round = 0; round < 3; round++) yield* Effect.zipRight(TestClock.adjust("1 minute"), mirrored(counted, 1))
      assert.strictEqual(calls, 25)
      const store = yield* TrackerStore
      const [bindingState] = yield* store.list(at.id)
      const rows = bindingState === undefined ? [] : yield* store.issues(at.id, bindingState.binding.id, moved)
      assert.deepStrictEqual(
        rows.map(({ shown }) => shown),
        moved.map(() => "ready")
      )
    }).pipe(Effect.provide(Memory.layer))
  )
)

it.effect("writes between two services on one board die out", () =>
  Effect.gen(function* () {
    const { at, fake } = yield* ready
    const other = yield* bound(fake)
    yield* mirrored(fake)
    const both = Effect.zipRight(written(fake), later(fake))
    yield* Stories.move(at.owner, (yield* storyOf(at, "#1")).key, "review")
    yield* both
    assert.strictEqual(yield* columnOf(other), "review")
    const calls = fake.writes.length
    yield* Effect.replicateEffect(both, 3)
    assert.strictEqual(fake.writes.length, calls)
    assert.deepStrictEqual((yield* stories(at)).map(content), (yield* stories(other)).map(content))
  }).pipe(Effect.provide(Memory.layer))
)

it.effect("a board is refused without a status, with one that it lacks, and when it cannot be used", () =>
  Effect.gen(function* () {
    const fake = MemoryTracker.make({ statuses: boardStatuses })
    const at = yield* place
    const refused = (more: Parameters<typeof bind>[1], tracker = fake.tracker) =>
      Effect.map(Effect.flip(Effect.provide(bind(at, more), to({ ...fake, tracker }))), ({ message }) => message)
    assert.strictEqual(
      yield* refused({ board }),
      "The board 'acme/1' is not used, since no column has a status; name one such as status:Ready=ready, or leave it out."
    )
    const columns = [{ mark: { kind: "status" as const, name: "Todo" }, column: "backlog" as const }]
    assert.strictEqual(
      yield* refused({ board, columns }),
      "The status 'Todo' is not an option of the field 'Status' of acme/1; its options are 'Backlog', 'Ready', 'In progress', 'In review', 'Done'."
    )
    assert.include(yield* refused({ columns }), "The status 'Todo' is not in acme/pay; name a status that it has")
    const inspect: Tracker["inspect"] = (where) =>
      Effect.map(fake.tracker.inspect(where), (facts) => ({ ...facts, statuses: [], boardProblem: "It is hidden." }))
    const hidden = { ...fake.tracker, inspect }
    assert.strictEqual(yield* refused(byStatus, hidden), "The board 'acme/1' cannot be used: It is hidden.")
    const input = { team, connection: "tracker", project, mapping: { ...mapping, ...byStatus } }
    const dry = yield* Effect.provide(Bindings.check(at.owner, input), to({ ...fake, tracker: hidden }))
    assert.deepStrictEqual([dry.boardProblem, dry.unknown], ["It is hidden.", []])
  }).pipe(Effect.provide(Memory.layer))
)
