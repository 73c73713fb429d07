import { assert, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { boardStatuses, pages, present, type TrackerPlace } from "./TrackerContract.ts"

/** Rules that every tracker with a board keeps. */
export const trackerBoardContract = (name: string, place: Effect.Effect<TrackerPlace, never, Scope.Scope>) => {
  const rule = (what: string, test: (place: TrackerPlace) => Effect.Effect<void, unknown, Scope.Scope>) =>
    it.scoped(`${name}: ${what}`, () => Effect.flatMap(place, test))

  rule("an issue has the status of its board, and none without it", (here) =>
    Effect.gen(function* () {
      const { at, onBoard, people, tracker } = here
      const ref = yield* people.open("writer", { title: "Fees" })
      const other = yield* people.open("writer", { title: "Other" })
      yield* people.move("writer", ref, "Ready")
      assert.strictEqual(present(yield* tracker.get(onBoard, ref)).status, "Ready")
      assert.strictEqual(present(yield* tracker.get(at, ref)).status, null)
      const listed = yield* pages({ at: onBoard, tracker }, null)
      assert.sameDeepMembers(
        listed.map(({ status, title }) => [title, status]),
        [
          ["Fees", "Ready"],
          ["Other", null]
        ]
      )
      const gone = yield* people.open("writer", { title: "Gone" })
      yield* people.leave(gone, "deleted")
      yield* people.move("writer", ref, null)
      assert.deepStrictEqual(
        [...(yield* tracker.statuses(onBoard, [ref, other, gone]))].map(([id, { status }]) => [id, status]),
        [
          [ref.id, null],
          [other.id, null]
        ]
      )
      assert.deepStrictEqual((yield* tracker.inspect(onBoard)).statuses, boardStatuses)
      assert.deepStrictEqual((yield* tracker.inspect(at)).statuses, [])
    })
  )

  rule("the trail names who set the status, where the tracker knows it", ({ onBoard, people, second, tracker }) =>
    Effect.gen(function* () {
      const ref = yield* people.open("writer", { title: "Fees" })
      const trail = Effect.map(
        tracker.trail(onBoard, ref, [{ kind: "status", name: "ready" }]),
        ({ readied }) => readied?.by.mayWrite ?? null
      )
      assert.isNull(yield* trail)
      yield* people.label("writer", ref, "ready")
      assert.isNull(yield* trail)
      yield* people.move("stranger", ref, "Ready")
      assert.isFalse(yield* trail)
      yield* Effect.replicateEffect(second, 10)
      yield* people.move("writer", ref, "Backlog")
      assert.isNull(yield* trail)
      yield* people.move("writer", ref, "Ready")
      assert.isTrue(yield* trail)
      // An older act of the same status says nothing about the present one.
      yield* Effect.replicateEffect(second, 10)
      yield* people.move(null, ref, "Backlog")
      yield* people.move(null, ref, "Ready")
      assert.isNull(yield* trail)
    })
  )

  rule("a status is set, taken away, and set for an issue that was not on the board", (here) =>
    Effect.gen(function* () {
      const { onBoard, people, tracker } = here
      const ref = yield* people.open("writer", { title: "Fees" })
      const change = { addLabels: [], removeLabels: [] }
      for (const status of ["In progress", "Done", null, "Ready"]) {
        const after = present(yield* tracker.update(onBoard, ref, { ...change, status }))
        assert.strictEqual(after.status, status)
        assert.strictEqual((yield* tracker.statuses(onBoard, [ref])).get(ref.id)?.status, status)
      }
      const { readied } = yield* tracker.trail(onBoard, ref, [{ kind: "status", name: "Ready" }])
      assert.isTrue(readied?.by.isOwn)
      const closed = present(yield* tracker.update(onBoard, ref, { ...change, closed: "completed", status: "Done" }))
      assert.deepStrictEqual([closed.closed, closed.status], ["completed", "Done"])
    })
  )
}
