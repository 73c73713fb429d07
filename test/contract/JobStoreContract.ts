import { everyKind, ids, statuses, take } from "./scenes/JobScene.ts"
import { assert, it } from "@effect/vitest"
import { Duration, Effect, Exit, type Layer } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { JobStore } from "../../application/ports/JobStore.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { JobView } from "../../domain/work/Job.ts"
import * as Queue from "../jobs/Queue.ts"
import type { Stores } from "../support/World.ts"

export const jobStoreContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`JobStore (${adapter})`, (it) => {
    /** Jobs wait for one engine whosever they are, so a test begins with none left of the others. */
    const place = Effect.zipRight(take(), Queue.workspace)

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

    it.effect("when beginning fails, nothing has changed", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        yield* Queue.put({ slug }, ["tell_agent", "write_story"])
        const store = yield* JobStore
        const exit = yield* Effect.exit(store.take(["tell_agent"], 10, () => Effect.dieMessage("no engine")))
        assert.isTrue(Exit.isFailure(exit))
        assert.deepStrictEqual(yield* statuses(id), ["queued", "queued"])
      })
    )

    it.effect("of many takers at once exactly one begins each job", () =>
      Effect.gen(function* () {
        const { slug } = yield* place
        // Later rounds find the connections already open, so the takers truly overlap.
        for (let round = 0; round < 10; round++) {
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

    it.effect("a job of a deleted workspace is neither found nor begun", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const store = yield* JobStore
        const [put] = yield* Queue.put({ slug }, ["tell_agent"])
        assert.isDefined(put)
        assert.deepStrictEqual([yield* store.find(id, put)], yield* Queue.all(id))
        yield* Workspaces.remove(bySystem, { slug, confirm: slug })
        assert.strictEqual(yield* store.find(id, put), null)
        assert.deepStrictEqual(yield* take(), [])
        const [job] = yield* Queue.all(id)
        assert.deepStrictEqual([job?.status, job?.error], ["failed", "The workspace was deleted."])
      })
    )

    it.effect("a job of another workspace is not found", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const other = yield* Queue.workspace
        const [put] = yield* Queue.put({ slug }, ["tell_agent"])
        assert.isDefined(put)
        const store = yield* JobStore
        assert.strictEqual((yield* store.find(id, put))?.id, put)
        assert.strictEqual(yield* store.find(other.id, put), null)
      })
    )

    it.effect("keeps what became of each try, and what is done stays done", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const [job] = yield* Queue.put({ slug }, ["tell_agent"])
        assert.isDefined(job)
        yield* take()
        const store = yield* JobStore
        const seen = Effect.map(Queue.all(id), ([row]) => [row?.status, row?.tries, row?.error])
        yield* store.note(id, job, { status: "running", tries: 1, error: "busy" })
        assert.deepStrictEqual(yield* seen, ["running", 1, "busy"])
        yield* store.note(id, job, { status: "failed", tries: 2, error: "gone" })
        assert.deepStrictEqual(yield* seen, ["failed", 2, "gone"])
        yield* store.note(id, job, { status: "done", tries: 3 })
        assert.deepStrictEqual(yield* seen, ["done", 3, null])
        yield* store.note(id, job, { status: "failed", tries: 4, error: "late" })
        yield* store.note(id, job, { status: "running", tries: 4, error: null })
        assert.deepStrictEqual(yield* seen, ["done", 3, null])
        assert.deepStrictEqual(yield* take(), [])
      })
    )

    it.effect("a job whose adapter went away in the middle is taken again with its tries", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const [job] = yield* Queue.put({ slug }, ["tell_agent"])
        assert.isDefined(job)
        yield* take()
        const store = yield* JobStore
        yield* store.note(id, job, { status: "no_adapter", tries: 3 })
        const [again] = yield* take()
        assert.deepStrictEqual([again?.job.id, again?.job.tries, again?.job.status], [job, 3, "running"])
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
