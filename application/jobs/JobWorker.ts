import { Array as Arrays, Duration, Effect, FiberSet, Layer, Queue, Schedule, Stream } from "effect"
import type { JobId, JobKind } from "../../domain/work/Job.ts"
import { handledBy, JobHandlers } from "../ports/JobHandlers.ts"
import { JobStore, type Lease, type Room, type TakenJob } from "../ports/JobStore.ts"
import { whenDue } from "./DueWork.ts"
import { JobPace } from "./JobPace.ts"
import * as JobTry from "./JobTry.ts"
import * as OutageLog from "./OutageLog.ts"

/**
 * Takes due jobs and tries them with the connected handlers. A notification wakes it, and a poll in case one was lost.
 * Processes share the work through leases in the database alone.
 */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const store = yield* JobStore
    const kinds = handledBy(yield* JobHandlers)
    const { atOnce, eachKind, farewell, lease: duration, poll } = yield* JobPace
    const lease: Lease = { holder: crypto.randomUUID(), duration }
    const attempt = yield* JobTry.make(lease.holder)
    const [tries, waits] = [yield* FiberSet.make<void>(), yield* FiberSet.make<void>()]
    const bell = yield* Queue.sliding<void>(1)
    const ring = Queue.offer(bell, undefined)

    const { failed, succeeded } = OutageLog.failuresOf("jobs wait: they cannot be taken right now")
    const fine = succeeded(Effect.logInfo("jobs are taken again"))

    /** Looks again as soon as a short wait is over; the poll finds the ends of long ones. */
    const tried = (job: TakenJob) =>
      Effect.flatMap(attempt(job), (outcome) =>
        outcome.status === "running" && Duration.lessThan(outcome.wait, "10 seconds")
          ? FiberSet.run(waits, Effect.delay(Effect.asVoid(ring), outcome.wait))
          : Effect.void
      )

    const running = new Map<JobId, JobKind>()
    const room = (): Room => {
      const used = Arrays.groupBy([...running.values()], (kind) => kind)
      return Object.fromEntries(kinds.map((kind) => [kind, eachKind - (used[kind]?.length ?? 0)]))
    }

    const turn = Effect.gen(function* () {
      const free = atOnce - running.size
      if (free <= 0) return
      const { jobs, seen } = yield* store.take(lease, kinds, free, room())
      yield* fine
      for (const one of jobs) {
        running.set(one.job.id, one.job.kind)
        // The end of a try frees a slot, and the next job of its lane.
        const ended = Effect.zipRight(
          Effect.sync(() => running.delete(one.job.id)),
          ring
        )
        yield* FiberSet.run(tries, Effect.ensuring(tried(one), ended))
      }
      if (seen === free) yield* ring
    }).pipe(Effect.catchAllCause(failed))

    // With every slot taken nothing is taken: the renewal notices that the database is away.
    const renew = Effect.suspend(() =>
      running.size === 0 ? Effect.void : Effect.zipRight(store.renew(lease, [...running.keys()]), fine)
    ).pipe(Effect.catchAllCause(failed))

    const leave = Effect.gen(function* () {
      yield* FiberSet.awaitEmpty(tries).pipe(Effect.disconnect, Effect.timeoutOption(farewell))
      yield* FiberSet.clear(tries).pipe(Effect.disconnect, Effect.timeoutOption("1 second"))
      yield* store.release(lease.holder).pipe(Effect.disconnect, Effect.timeoutOption("1 second"))
    }).pipe(
      Effect.interruptible,
      Effect.catchAllCause(() => Effect.void)
    )

    yield* Effect.addFinalizer(() => leave)
    const words = Effect.catchAllCause(
      Stream.runForEach(store.added, () => ring),
      () => Effect.void
    )
    yield* Effect.forkScoped(Effect.repeat(words, Schedule.spaced("1 second")))
    const look = Effect.catchAllCause(whenDue("jobs", ring), () => ring)
    yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(poll)))
    // A job that rested may have been freed by another process.
    yield* Effect.forkScoped(Effect.repeat(ring, Schedule.spaced("10 seconds")))
    yield* Effect.forkScoped(Effect.repeat(renew, Schedule.spaced(Duration.unsafeDivide(duration, 3))))
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Queue.take(bell), turn)))
  })
)
