import { everyKind, finish, ids, inMinutes, pass, putIn, settle, statuses, take } from "./scenes/JobScene.ts"
import { assert, it } from "@effect/vitest"
import { Duration, Effect, type Layer } from "effect"
import { JobStore } from "../../application/ports/JobStore.ts"
import { type JobId } from "../../domain/work/Job.ts"
import * as Queue from "../jobs/Queue.ts"
import type { Stores } from "../support/World.ts"
import { isLong } from "../support/Long.ts"

export const jobLaneContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`JobStore, lanes (${adapter})`, (it) => {
    /** Workers take the jobs of all workspaces, so a test begins with none left of the others. */
    const place = Effect.zipRight(settle, Queue.workspace)
    const wait = Duration.minutes(60)

    it.effect(
      "jobs of one lane are begun one after the other, oldest first, and those of none or another at once",
      () =>
        Effect.gen(function* () {
          const here = yield* place
          const [a1, a2, a3, b1, n1, n2] = yield* putIn(here, ["a", "a", "a", "b", null, null])
          assert.deepStrictEqual(ids(yield* take()), [a1, b1, n1, n2])
          assert.deepStrictEqual(yield* take(), [])
          yield* finish(here, b1)
          assert.deepStrictEqual(yield* take(), [])
          yield* finish(here, a1)
          assert.deepStrictEqual(ids(yield* take()), [a2])
          const [a4] = yield* putIn(here, ["a"])
          assert.deepStrictEqual(yield* take(), [])
          yield* finish(here, a2)
          assert.deepStrictEqual(ids(yield* take()), [a3])
          yield* finish(here, a3)
          assert.deepStrictEqual(ids(yield* take()), [a4])
        })
    )

    it.effect("a lane waits while one of it is tried again and again, and goes on once that failed for good", () =>
      Effect.gen(function* () {
        const here = yield* place
        const store = yield* JobStore
        const [first, second] = yield* putIn(here, ["a", "a"])
        assert.isDefined(first)
        assert.deepStrictEqual(ids(yield* take()), [first])
        yield* store.note(here.id, first, Queue.holder, { status: "running", tries: 3, error: "busy", wait })
        assert.deepStrictEqual(yield* take(), [])
        yield* store.note(here.id, first, Queue.holder, { status: "failed", tries: 4, error: "gone" })
        assert.deepStrictEqual(ids(yield* take()), [second])
      })
    )

    for (const status of ["failed", "done", "no_adapter"] as const)
      it.effect(`a lane does not wait for one that is ${status}`, () =>
        Effect.gen(function* () {
          const here = yield* place
          yield* putIn(here, ["a"], { status }, "write_story")
          const [after] = yield* putIn(here, ["a"])
          assert.deepStrictEqual(ids(yield* take(["tell_agent"])), [after])
        })
      )

    it.effect("a lane is of one workspace", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* place, yield* place]
        const [first, second] = yield* putIn(one, ["a", "a"])
        const [third] = yield* putIn(other, ["a"])
        assert.deepStrictEqual(ids(yield* take()), [first, third])
        yield* finish(other, third)
        assert.deepStrictEqual(yield* take(), [])
        yield* finish(one, first)
        assert.deepStrictEqual(ids(yield* take()), [second])
      })
    )

    it.effect("a job is begun when it is due, not before, and nobody of its lane waits for it until then", () =>
      Effect.gen(function* () {
        const here = yield* place
        const [later] = yield* putIn(here, ["a"], { dueAt: yield* inMinutes(here, 10) })
        const [soon] = yield* putIn(here, ["a"])
        assert.deepStrictEqual(ids(yield* take()), [soon])
        yield* finish(here, soon)
        assert.deepStrictEqual(yield* take(), [])
        yield* pass(9)
        assert.deepStrictEqual(yield* take(), [])
        yield* pass(2)
        const [last] = yield* putIn(here, ["a"])
        assert.deepStrictEqual(ids(yield* take()), [later])
        yield* finish(here, later)
        assert.deepStrictEqual(ids(yield* take()), [last])
        assert.deepStrictEqual(yield* statuses(here.id), ["done", "done", "running"])
      })
    )

    it.effect("a job that becomes due while a later one of its lane runs waits for it", () =>
      Effect.gen(function* () {
        const here = yield* place
        const [later] = yield* putIn(here, ["a"], { dueAt: yield* inMinutes(here, 10) })
        const [soon] = yield* putIn(here, ["a"])
        assert.deepStrictEqual(ids(yield* take()), [soon])
        yield* pass(11)
        assert.deepStrictEqual(yield* take(), [])
        yield* finish(here, soon)
        assert.deepStrictEqual(ids(yield* take()), [later])
      })
    )

    it.effect("a job that is not due yet does not rest when nobody can do it", () =>
      Effect.gen(function* () {
        const here = yield* place
        yield* putIn(here, [null], { dueAt: yield* inMinutes(here, 10) })
        yield* take([])
        assert.deepStrictEqual(yield* statuses(here.id), ["queued"])
        yield* pass(11)
        yield* take([])
        assert.deepStrictEqual(yield* statuses(here.id), ["no_adapter"])
      })
    )

    it.effect("what is not due yet, or waits for its lane, does not count as waiting", () =>
      Effect.gen(function* () {
        const here = yield* place
        const store = yield* JobStore
        yield* putIn(here, [null], { dueAt: yield* inMinutes(here, 10) })
        assert.deepStrictEqual(yield* store.lag, Duration.zero)
        yield* pass(13)
        assert.approximately(Duration.toSeconds(yield* store.lag), 3 * 60, 30)
        yield* take()
        assert.deepStrictEqual(yield* store.lag, Duration.zero)
        const [running] = yield* putIn(here, ["a"])
        yield* take()
        yield* putIn(here, ["a"])
        yield* pass(5)
        assert.deepStrictEqual(yield* store.lag, Duration.zero)
        yield* finish(here, running)
        assert.isAbove(Duration.toSeconds(yield* store.lag), 4 * 60)
      })
    )

    it.effect("of many takers at once, none begins one of a lane while another of it runs", () =>
      Effect.gen(function* () {
        const here = yield* place
        const lanes = ["a", "b", "c", "d"]
        const put = new Map<string, ReadonlyArray<JobId>>()
        for (const lane of lanes)
          put.set(
            lane,
            yield* putIn(
              here,
              Array.from({ length: 8 }, () => lane)
            )
          )
        const [running, begun] = [new Map<string, JobId>(), new Map<string, Array<JobId>>()]
        const store = yield* JobStore
        const round = Effect.gen(function* () {
          const errands = yield* take(everyKind, 3)
          for (const { job } of errands) {
            const lane = job.lane ?? ""
            assert.strictEqual(running.get(lane), undefined, `${lane} runs already`)
            running.set(lane, job.id)
            begun.set(lane, [...(begun.get(lane) ?? []), job.id])
          }
          // Somebody else may come between.
          yield* Queue.all(here.id)
          for (const { job } of errands) {
            running.delete(job.lane ?? "")
            yield* store.note(here.id, job.id, Queue.holder, { status: "done", tries: 1 })
          }
          return errands.length
        })
        yield* Effect.replicateEffect(Effect.repeatN(round, isLong ? 19 : 5), 8, { concurrency: "unbounded" })
        while ((yield* round) > 0);
        assert.deepStrictEqual(begun, put)
      })
    )

    it.effect("jobs of a lane that rested are begun one after the other too, once somebody can do them", () =>
      Effect.gen(function* () {
        const here = yield* place
        const [first, second] = yield* putIn(here, ["a", "a"])
        yield* take([])
        yield* take([])
        const [third] = yield* putIn(here, ["a"])
        for (const job of [first, second, third]) {
          assert.deepStrictEqual(ids(yield* take()), [job])
          yield* finish(here, job)
        }
      })
    )
  })
