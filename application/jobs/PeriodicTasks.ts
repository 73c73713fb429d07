import { Cause, Duration, Effect, FiberSet, Layer, Metric, Queue, Schedule } from "effect"
import * as NoticeExpiry from "../oncall/NoticeExpiry.ts"
import * as WatchConnections from "../codehost/WatchConnections.ts"
import { ConnectionStore } from "../ports/connection/ConnectionStore.ts"
import * as UptimeChecks from "../oncall/UptimeChecks.ts"
import * as Runners from "../runner/Runners.ts"
import * as Decisions from "../work/Decisions.ts"
import * as DueWork from "./DueWork.ts"
import * as OutageLog from "./OutageLog.ts"
import { DecisionStore } from "../ports/DecisionStore.ts"
import { IdentityStore } from "../ports/identity/IdentityStore.ts"
import { Inbox } from "../ports/Inbox.ts"
import { JobStore } from "../ports/JobStore.ts"
import { RunnerStore } from "../ports/runner/RunnerStore.ts"
import { TrackerStore } from "../ports/tracker/TrackerStore.ts"
import { SignalStore } from "../ports/SignalStore.ts"
import { removedDays } from "../../domain/runner/Runner.ts"
import { Retention } from "./Retention.ts"
import * as MirrorTracker from "../work/tracker/MirrorTracker.ts"
import * as WriteTracker from "../work/tracker/WriteTracker.ts"
import * as Scheduler from "../work/Scheduler.ts"

/** Repeats a task; a failure is logged and the next round tries again. */
const repeated = <A, E, R>(
  name: string,
  round: Effect.Effect<A, E, R>,
  again: (round: Effect.Effect<void, never, R>) => Effect.Effect<unknown, never, R>
) => {
  const { failed, succeeded } = OutageLog.failuresOf(`${name} failed; it is retried`)
  return round.pipe(
    Effect.tap(() => succeeded()),
    Effect.catchAllCause((cause) => (Cause.isInterruptedOnly(cause) ? Effect.void : failed(cause))),
    Effect.asVoid,
    again,
    Effect.forkScoped
  )
}

const every = <A, E, R>(name: string, round: Effect.Effect<A, E, R>, pause: "10 seconds" | "1 hour") =>
  repeated(name, round, Effect.repeat(Schedule.spaced(pause)))

export const oldestDueJob = Metric.gauge("gatehouse_oldest_due_job_seconds", {
  description: "Time since the oldest job that waits for a worker became due."
})

/** Tasks that every instance repeats; each piece of work is done once, however many instances there are. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function* () {
    const running = yield* FiberSet.make<void>()
    const bells = yield* DueWork.DueBells
    const whenDue = <A, E, R>(name: string, kind: keyof DueWork.Due, round: Effect.Effect<A, E, R>) =>
      repeated(name, round, (again) => Effect.forever(Effect.zipRight(Queue.take(bells[kind]), again)))
    yield* whenDue("expiring decisions", "decisions", Decisions.expireDue())
    yield* whenDue("scheduling runs", "scheduling", Scheduler.tick())
    yield* whenDue("ending lapsed leases", "leases", Runners.sweep())
    yield* whenDue("checking uptime", "uptimeChecks", UptimeChecks.round(running))
    // One after the other, so that a start on a busy machine does not need a connection for each.
    const turn = yield* Effect.makeSemaphore(1)
    const hourly = <A, E, R>(name: string, round: Effect.Effect<A, E, R>) =>
      every(name, turn.withPermits(1)(round), "1 hour")
    const decisions = yield* DecisionStore
    yield* hourly("forgetting kept answers", decisions.purgeKept)
    const signals = yield* SignalStore
    const { deliveryBodies, finishedJobs, readNotifications } = yield* Retention
    const jobs = yield* JobStore
    const measured = Effect.flatMap(jobs.lag, (lag) => Metric.set(oldestDueJob, Duration.toSeconds(lag)))
    yield* every("measuring how long jobs wait", measured, "10 seconds")
    yield* hourly("forgetting finished jobs", jobs.purge(finishedJobs))
    yield* hourly("forgetting bodies of deliveries", signals.purge(deliveryBodies))
    const identities = yield* IdentityStore
    yield* hourly("forgetting ended sessions", identities.purge)
    yield* hourly("notifying of expiring tokens", NoticeExpiry.tokens())
    yield* every("looking through connections", WatchConnections.round(), "10 seconds")
    yield* every("mirroring trackers", MirrorTracker.round(), "10 seconds")
    yield* every("writing to trackers", WriteTracker.round(), "10 seconds")
    const trackers = yield* TrackerStore
    yield* hourly("forgetting issues of ended bindings", trackers.purge)
    const connections = yield* ConnectionStore
    yield* hourly("forgetting ids of webhooks", connections.purge)
    const runners = yield* RunnerStore
    yield* hourly("forgetting removed runners", runners.purge(removedDays))
    const inbox = yield* Inbox
    yield* hourly("forgetting read notifications", inbox.purge(readNotifications))
  })
).pipe(Layer.provide(DueWork.bells))
