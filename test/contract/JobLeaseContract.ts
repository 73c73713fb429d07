import { assert, it } from "@effect/vitest"
import { Duration, Effect, type Layer } from "effect"
import { JobStore } from "../../application/ports/JobStore.ts"
import type { JobId } from "../../domain/work/Job.ts"
import * as Queue from "../jobs/Queue.ts"
import type { Stores } from "../support/World.ts"
import { everyKind, finish, ids, pass, settle, take } from "./scenes/JobScene.ts"

/** Leases of jobs: their end, renewal, release and loss. */
export const jobLeaseContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`JobStore, leases (${adapter})`, (it) => {
    /** Workers take the jobs of all workspaces, so a test begins with none left of the others. */
    const place = Effect.zipRight(settle, Queue.workspace)

    it.effect("a job is another's to take when its lease has lapsed, and not while it is renewed", () =>
      Effect.gen(function* () {
        const { slug } = yield* place
        const [job] = yield* Queue.put({ slug }, ["tell_agent"])
        const store = yield* JobStore
        const lease = { holder: crypto.randomUUID(), duration: Duration.minutes(3) }
        assert.deepStrictEqual(ids(yield* take(everyKind, 10, lease)), [job])
        yield* pass(2)
        yield* store.renew(lease, [job as JobId])
        yield* pass(2)
        assert.deepStrictEqual(yield* take(), [])
        yield* pass(2)
        const [taken] = yield* take()
        assert.deepStrictEqual([taken?.job.id, taken?.job.tries, taken?.failures], [job, 0, 0])
        yield* store.renew(lease, [job as JobId])
        assert.deepStrictEqual(yield* take(), [])
      })
    )

    it.effect("a lease is renewed for the named jobs alone", () =>
      Effect.gen(function* () {
        const here = yield* place
        const { slug } = here
        const [kept, lost] = yield* Queue.put({ slug }, ["tell_agent", "tell_agent"])
        const store = yield* JobStore
        const lease = { holder: crypto.randomUUID(), duration: Duration.minutes(3) }
        yield* take(everyKind, 10, lease)
        yield* pass(2)
        yield* store.renew(lease, [kept as JobId])
        yield* pass(2)
        assert.deepStrictEqual(ids(yield* take()), [lost])
        for (const job of [kept, lost]) yield* finish(here, job)
      })
    )

    it.effect("a lease that is released frees its jobs at once, and no other's", () =>
      Effect.gen(function* () {
        const { slug } = yield* place
        const [first, second] = yield* Queue.put({ slug }, ["tell_agent", "tell_agent"])
        const store = yield* JobStore
        const lease = { holder: crypto.randomUUID(), duration: Duration.days(1) }
        assert.deepStrictEqual(ids(yield* take(everyKind, 1, lease)), [first])
        assert.deepStrictEqual(ids(yield* take()), [second])
        // A moment that is rounded up to a whole millisecond frees a job too late, half of the time.
        for (const _ of Array.from({ length: 200 })) {
          yield* store.release(lease.holder)
          assert.deepStrictEqual(ids(yield* take(everyKind, 10, lease)), [first])
        }
      })
    )

    it.effect("a process that lost its lease writes nothing over the one that has it, but that the job is done", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        const [job] = yield* Queue.put({ slug }, ["tell_agent"])
        assert.isDefined(job)
        const store = yield* JobStore
        const late = { holder: crypto.randomUUID(), duration: Duration.minutes(1) }
        yield* take(everyKind, 10, late)
        yield* pass(2)
        assert.deepStrictEqual(ids(yield* take()), [job])
        const seen = Effect.map(Queue.all(id), ([row]) => [row?.status, row?.tries, row?.error])
        yield* store.note(id, job, late.holder, { status: "failed", tries: 1, error: "late" })
        yield* store.note(id, job, late.holder, { status: "running", tries: 1, error: "late", wait: Duration.zero })
        assert.deepStrictEqual(yield* seen, ["running", 0, null])
        yield* store.note(id, job, Queue.holder, { status: "failed", tries: 1, error: "gone" })
        yield* store.note(id, job, late.holder, { status: "running", tries: 2, error: "late", wait: Duration.zero })
        assert.deepStrictEqual(yield* seen, ["failed", 1, "gone"])
        yield* store.note(id, job, late.holder, { status: "done", tries: 1 })
        assert.deepStrictEqual(yield* seen, ["done", 1, null])
      })
    )
  })
