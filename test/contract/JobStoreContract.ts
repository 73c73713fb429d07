import { everyKind, ids, pass, settle, statuses, take } from "./scenes/JobScene.ts"
import { assert, it } from "@effect/vitest"
import { Duration, Effect, type Layer } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { JobStore, type Progress } from "../../application/ports/JobStore.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { type JobId, JobView } from "../../domain/work/Job.ts"
import * as Queue from "../jobs/Queue.ts"
import type { Stores } from "../support/World.ts"
import { rounds } from "../support/Range.ts"

export const jobStoreContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`JobStore (${adapter})`, (it) => {
    /** Workers take the jobs of all workspaces, so a test begins with none left of the others. */
    const place = Effect.zipRight(settle, Queue.workspace)

    it.effect("lists jobs newest first, a page at a time, of all or one status", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const [first, second, third] = yield* Queue.put({ slug }, ["tell_agent", "write_story", "open_revert"])
        yield* take(["write_story"])
        const store = yield* JobStore
        const { items, next } = yield* store.page(id, { status: null }, { limit: 2, before: null })
        const read = Json.decoder(JobView)
        assert.deepStrictEqual(
          Json.each(items).map((item) => read(item).id),
          [third, second]
        )
        assert.deepStrictEqual(
          Json.each(items),
          Json.each(items).map((item) => Json.encoder(JobView)(read(item)))
        )
        const rest = yield* store.page(id, { status: null }, { limit: 2, before: next })
        assert.deepStrictEqual([Json.each(rest.items).map((item) => read(item).id), rest.next], [[first], null])
        assert.deepStrictEqual(
          (yield* Queue.all(id, "running")).map((job) => job.id),
          [second]
        )
        assert.deepStrictEqual(
          (yield* Queue.all(id, "no_adapter")).map((job) => job.id),
          [third, first]
        )
      })
    )

    it.effect("hands out jobs oldest first and no more than asked for, and marks them running", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const put = yield* Queue.put({ slug }, ["tell_agent", "write_story", "open_revert"])
        const begun = yield* take(everyKind, 2)
        assert.deepStrictEqual(ids(begun), put.slice(0, 2))
        assert.deepStrictEqual([begun[0]?.workspace, begun[0]?.job.status], [id, "running"])
        assert.deepStrictEqual(begun[0]?.job.payload, { number: 0 })
        assert.deepStrictEqual(yield* statuses(id), ["running", "running", "queued"])
        assert.deepStrictEqual(ids(yield* take()), put.slice(2))
        assert.deepStrictEqual(yield* take(), [])
      })
    )

    it.effect("a job that nobody can do rests until somebody can, and then goes before younger ones", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const [resting, other] = yield* Queue.put({ slug }, ["tell_agent", "write_story"])
        assert.deepStrictEqual(yield* take([]), [])
        assert.deepStrictEqual(yield* statuses(id), ["no_adapter", "no_adapter"])
        const [young] = yield* Queue.put({ slug }, ["tell_agent"])
        assert.deepStrictEqual(ids(yield* take(["tell_agent"], 1)), [resting])
        assert.deepStrictEqual(ids(yield* take(["tell_agent"])), [young])
        assert.deepStrictEqual(yield* statuses(id), ["running", "no_adapter", "running"])
        assert.deepStrictEqual(ids(yield* take(["write_story"])), [other])
      })
    )

    it.effect("a job whose own system is not connected rests for a while, and keeps the reason", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const [job] = yield* Queue.put({ slug }, ["open_revert"])
        const store = yield* JobStore
        yield* take()
        const rest = {
          status: "no_adapter",
          tries: 0,
          error: "No code host is connected.",
          wait: Duration.minutes(3)
        } as const
        yield* store.note(id, job as JobId, Queue.holder, rest)
        const seen = Effect.map(Queue.all(id), ([row]) => [row?.status, row?.tries, row?.error])
        assert.deepStrictEqual(yield* seen, ["no_adapter", 0, rest.error])
        yield* pass(2)
        assert.deepStrictEqual(yield* take(), [])
        yield* pass(2)
        assert.deepStrictEqual(ids(yield* take()), [job])
        yield* store.note(id, job as JobId, Queue.holder, rest)
        yield* store.wake((yield* Queue.workspace).id)
        assert.deepStrictEqual(yield* take(), [])
        yield* store.wake(id)
        assert.deepStrictEqual(ids(yield* take()), [job])
      })
    )

    it.effect("first tries go before retries, no kind takes more than its room, and all that changed is counted", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const store = yield* JobStore
        const kinds = ["tell_agent", "tell_agent", "tell_agent", "open_revert", "write_story"] as const
        const [retry, first, second, revert] = yield* Queue.put({ slug }, kinds)
        assert.deepStrictEqual(ids(yield* take(everyKind, 1)), [retry])
        yield* store.note(id, retry as JobId, Queue.holder, {
          status: "running",
          tries: 1,
          error: "busy",
          wait: Duration.zero
        })
        const handled = ["tell_agent", "open_revert"] as const
        const batch = yield* store.take(Queue.lease, handled, 10, { tell_agent: 1 })
        assert.deepStrictEqual([ids(batch.jobs), batch.seen], [[first, revert], 3])
        assert.deepStrictEqual(ids(yield* take(handled, 10, Queue.lease, { tell_agent: 0 })), [])
        assert.deepStrictEqual(ids(yield* take(handled, 1)), [second])
        assert.deepStrictEqual(ids(yield* take(handled)), [retry])
      })
    )

    it.effect(
      "a job that is to be tried again is taken by anybody when its wait is over, and counts its failures",
      () =>
        Effect.gen(function* () {
          const { id, slug } = yield* place
          const [job] = yield* Queue.put({ slug }, ["tell_agent"])
          assert.isDefined(job)
          const store = yield* JobStore
          yield* take()
          yield* store.note(id, job, Queue.holder, {
            status: "running",
            tries: 1,
            error: "busy",
            wait: Duration.minutes(2)
          })
          yield* pass(1)
          assert.deepStrictEqual(yield* take(), [])
          yield* pass(2)
          assert.approximately(Duration.toSeconds(yield* store.lag), 60, 30)
          const [again] = yield* take(everyKind, 10, { holder: crypto.randomUUID(), duration: Duration.days(1) })
          assert.deepStrictEqual([again?.job.id, again?.job.tries, again?.failures], [job, 1, 1])
        })
    )

    it.effect("of many takers at once exactly one begins each job", () =>
      Effect.gen(function* () {
        const { slug } = yield* place
        // Later rounds find the connections already open, so the takers truly overlap.
        for (const _ of rounds(10)) {
          const put = yield* Queue.put(
            { slug },
            Array.from({ length: 20 }, () => "tell_agent" as const)
          )
          const takers = yield* Effect.replicateEffect(take(everyKind, 5), 8, { concurrency: "unbounded" })
          const begun = [...takers.flat(), ...(yield* take())]
          assert.deepStrictEqual(ids(begun).toSorted(), put.toSorted())
        }
      })
    )

    it.effect("a job of a deleted workspace is not taken", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        yield* Queue.put({ slug }, ["tell_agent"])
        yield* Workspaces.remove(bySystem, { slug, confirm: slug })
        assert.deepStrictEqual(yield* take(), [])
        const [job] = yield* Queue.all(id)
        assert.deepStrictEqual([job?.status, job?.error], ["failed", "The workspace was deleted."])
      })
    )

    it.effect("a job is found, and the outcome of a try written, in its own workspace alone", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const other = yield* Queue.workspace
        const [job] = yield* Queue.put({ slug }, ["tell_agent"])
        assert.isDefined(job)
        yield* take()
        const store = yield* JobStore
        assert.deepStrictEqual(yield* store.find(other.id, [job]), [])
        assert.strictEqual((yield* store.find(id, [job])).length, 1)
        yield* store.note(other.id, job, Queue.holder, { status: "done", tries: 1 })
        assert.deepStrictEqual(yield* statuses(id), ["running"])
      })
    )

    it.effect("keeps the outcome of each try, and a job that is done stays done", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const [job] = yield* Queue.put({ slug }, ["tell_agent"])
        assert.isDefined(job)
        yield* take()
        const store = yield* JobStore
        const note = (progress: Progress) => store.note(id, job, Queue.holder, progress)
        const seen = Effect.map(Queue.all(id), ([row]) => [row?.status, row?.tries, row?.error])
        yield* note({ status: "running", tries: 1, error: "busy", wait: Duration.zero })
        assert.deepStrictEqual(yield* seen, ["running", 1, "busy"])
        yield* take()
        yield* note({ status: "failed", tries: 2, error: "gone" })
        assert.deepStrictEqual(yield* seen, ["failed", 2, "gone"])
        yield* note({ status: "done", tries: 3 })
        assert.deepStrictEqual(yield* seen, ["done", 3, null])
        yield* note({ status: "failed", tries: 4, error: "late" })
        yield* note({ status: "running", tries: 4, error: null, wait: Duration.zero })
        assert.deepStrictEqual(yield* seen, ["done", 3, null])
        assert.deepStrictEqual(yield* take(), [])
      })
    )

    it.effect("a job whose adapter went away in the middle rests with its tries, and begins a new round", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const [job] = yield* Queue.put({ slug }, ["tell_agent"])
        assert.isDefined(job)
        const store = yield* JobStore
        yield* take()
        yield* store.note(id, job, Queue.holder, { status: "running", tries: 3, error: "busy", wait: Duration.zero })
        assert.deepStrictEqual(yield* take([]), [])
        assert.deepStrictEqual(yield* statuses(id), ["no_adapter"])
        const [again] = yield* take()
        assert.deepStrictEqual([again?.job.id, again?.job.tries, again?.failures], [job, 3, 0])
      })
    )

    it.effect("forgets what was done long ago, and nothing else", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        yield* Queue.put({ slug }, ["tell_agent"], { days: 8, status: "done" })
        yield* Queue.put({ slug }, ["tell_agent"], { days: 6, status: "done" })
        for (const status of ["failed", "no_adapter", "running", "queued"] as const)
          yield* Queue.put({ slug }, ["tell_agent"], { days: 8, status })
        const store = yield* JobStore
        yield* store.purge(7)
        assert.deepStrictEqual(yield* statuses(id), ["done", "failed", "no_adapter", "running", "queued"])
      })
    )

    it.effect("tells how long the oldest queued job has waited", () =>
      Effect.gen(function* () {
        const { slug } = yield* place
        const store = yield* JobStore
        assert.deepStrictEqual(yield* store.lag, Duration.zero)
        yield* Queue.put({ slug }, ["tell_agent"], { days: 2 })
        yield* Queue.put({ slug }, ["tell_agent"], { days: 1 })
        assert.approximately(Duration.toSeconds(yield* store.lag), 2 * 24 * 3600, 60)
        yield* take([])
        assert.deepStrictEqual(yield* store.lag, Duration.zero)
      })
    )
  })
