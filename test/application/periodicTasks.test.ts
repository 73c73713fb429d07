import { assert, it } from "@effect/vitest"
import { Duration, Effect, Layer, Logger, TestClock } from "effect"
import { CheckStore } from "../../application/ports/CheckStore.ts"
import { PullRequestStore } from "../../application/ports/codehost/PullRequestStore.ts"
import { ConnectionStore } from "../../application/ports/connection/ConnectionStore.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { IdentityStore } from "../../application/ports/identity/IdentityStore.ts"
import { Inbox } from "../../application/ports/Inbox.ts"
import { JobStore } from "../../application/ports/JobStore.ts"
import { Notifiers } from "../../application/ports/Notifier.ts"
import { RunnerStore } from "../../application/ports/runner/RunnerStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import { Retention } from "../../application/jobs/Retention.ts"
import * as PeriodicTasks from "../../application/jobs/PeriodicTasks.ts"
import { isLong } from "../support/Long.ts"
import * as Equipment from "../support/Equipment.ts"

/** Stores that only count the calls of each periodic task. */
const counting = (
  calls: Record<string, number>,
  outcome: <A>(name: string, answer: A) => Effect.Effect<A> = (_, answer) => Effect.succeed(answer)
) => {
  const called = <A>(name: string, answer: A) =>
    Effect.suspend(() => {
      calls[name] = (calls[name] ?? 0) + 1
      return outcome(name, answer)
    })
  return Layer.mergeAll(
    Layer.mock(DecisionStore, {
      due: () => called("expires decisions", []),
      purgeKept: called("forgets kept answers", undefined)
    }),
    Layer.mock(ConnectionStore, {
      due: () => called("looks through connections", []),
      purge: called("forgets ids of webhooks", undefined)
    }),
    Layer.mock(PullRequestStore, {}),
    Layer.mock(TrackerStore, {
      due: () => called("mirrors trackers", []),
      unwritten: () => called("writes to trackers", []),
      purge: called("forgets issues of ended bindings", undefined)
    }),
    Layer.mock(RunStore, { lapsed: () => called("ends lapsed leases", []) }),
    Layer.mock(RunnerStore, {
      silent: Effect.succeed([]),
      purge: (days) => called(`forgets removed runners after ${days} days`, undefined)
    }),
    Layer.mock(TeamStore, { withRoom: called("schedules runs", []) }),
    Layer.mock(CheckStore, { claim: () => called("checks uptime", []) }),
    Layer.mock(SignalStore, { purge: (days) => called(`forgets bodies of deliveries after ${days} days`, undefined) }),
    Layer.mock(JobStore, {
      lag: called("measures how long jobs wait", Duration.zero),
      purge: (days) => called(`forgets finished jobs after ${days} days`, undefined)
    }),
    Layer.mock(IdentityStore, { purge: called("forgets ended sessions", undefined) }),
    Layer.succeed(Notifiers, { mail: null, places: {} as never }),
    Layer.mock(Inbox, {
      noticeExpiring: () => called("notifies of expiring tokens", []),
      purge: (days) => called(`forgets read notifications after ${days} days`, undefined)
    }),
    Layer.succeed(Retention, { deliveryBodies: 3, finishedJobs: 4, readNotifications: 5 }),
    Equipment.layer
  )
}

const everyLook = ["expires decisions", "schedules runs", "ends lapsed leases", "checks uptime"]
const everyHour = [
  "forgets kept answers",
  "forgets bodies of deliveries after 3 days",
  "forgets finished jobs after 4 days",
  "forgets ended sessions",
  "forgets ids of webhooks",
  "forgets issues of ended bindings",
  "notifies of expiring tokens",
  "forgets removed runners after 7 days",
  "forgets read notifications after 5 days"
]

const times = (look: number, tenSeconds: number, hour: number) =>
  Object.fromEntries([
    ...everyLook.map((name) => [name, look]),
    ["measures how long jobs wait", tenSeconds],
    ["looks through connections", tenSeconds],
    ["mirrors trackers", tenSeconds],
    ["writes to trackers", tenSeconds],
    ...everyHour.map((name) => [name, hour])
  ])

it.scoped("every instance does each task at once, then every two seconds or every hour", () =>
  Effect.gen(function* () {
    const calls: Record<string, number> = {}
    yield* Layer.build(Layer.provide(PeriodicTasks.layer, counting(calls)))
    yield* TestClock.adjust(0)
    assert.deepStrictEqual(calls, times(1, 1, 1))
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(calls, times(6, 2, 1))
  })
)

it.scoped("a task that hangs holds up no other", () =>
  Effect.gen(function* () {
    const calls: Record<string, number> = {}
    const hanging = counting(calls, (name, answer) =>
      everyLook.includes(name) ? Effect.never : Effect.succeed(answer)
    )
    yield* Layer.build(Layer.provide(PeriodicTasks.layer, hanging))
    const minutes = isLong ? 60 : 2
    yield* TestClock.adjust(Duration.minutes(minutes))
    assert.deepStrictEqual(calls, times(1, minutes * 6 + 1, isLong ? 2 : 1))
  })
)

it.scoped("a round that fails is logged once, and the next is done all the same", () =>
  Effect.gen(function* () {
    const calls: Record<string, number> = {}
    const logged: Array<unknown> = []
    const logger = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message }) => void logged.push(message))
    )
    yield* Layer.build(
      Layer.provide(PeriodicTasks.layer, [counting(calls, () => Effect.dieMessage("the database is away")), logger])
    )
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(calls, times(6, 2, 1))
    assert.lengthOf(logged, 17)
  }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))
)
