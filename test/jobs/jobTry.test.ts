import { assert, it } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Layer, Logger, TestClock } from "effect"
import { JobPace } from "../../application/jobs/JobPace.ts"
import * as JobTry from "../../application/jobs/JobTry.ts"
import * as JobWorker from "../../application/jobs/JobWorker.ts"
import { Unavailable } from "../../application/ports/Health.ts"
import { type Handler, JobFailed, JobHandlers, noHandlers, NotConnected } from "../../application/ports/JobHandlers.ts"
import { JobStore, type Progress, type TakenJob } from "../../application/ports/JobStore.ts"
import { JobId, type JobKind, queued } from "../../domain/work/Job.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as Equipment from "../support/Equipment.ts"
import { holder } from "./Queue.ts"

const workspace = WorkspaceId.make("11111111-2222-4333-8444-555555555555")
const place = { team: "payments" as TeamSlug, story: null, runKey: null, decision: null, payload: {} }

const taken = (failures: number, kind: JobKind = "tell_agent"): TakenJob => {
  const job = queued({ id: JobId.make(crypto.randomUUID()), kind, ...place }, DateTime.unsafeMake(0))
  return { workspace, job: { ...job, status: "running", tries: failures }, failures }
}

const outcome = (handler: Handler | undefined, job: TakenJob) =>
  Effect.gen(function* () {
    const noted: Array<Progress> = []
    const store = Layer.mock(JobStore, { note: (_, __, ___, progress) => Effect.sync(() => void noted.push(progress)) })
    const handlers = { ...noHandlers, [job.job.kind]: handler ?? null }
    const attempt = yield* JobTry.make(holder).pipe(Effect.provide(store), Effect.provideService(JobHandlers, handlers))
    yield* attempt(job)
    return noted
  })

const busy = new JobFailed({ reason: "busy", isFinal: false })
const again = (tries: number, seconds: number) => [
  { status: "running", tries, error: "busy", wait: Duration.seconds(seconds) }
]

it.effect.each([
  [0, "tell_agent", again(1, 1)],
  [1, "tell_agent", again(2, 2)],
  [12, "tell_agent", again(13, 3600)],
  [18, "tell_agent", again(19, 3600)],
  [19, "tell_agent", [{ status: "failed", tries: 20, error: "busy" }]],
  [19, "notify_member", again(20, 120)],
  [298, "notify_member", again(299, 120)],
  [299, "notify_member", [{ status: "failed", tries: 300, error: "busy" }]]
] as const)(
  "after %d failures of %s comes the next try, or the end",
  ([failures, kind, expected]) =>
  Effect.map(outcome(() => busy, taken(failures, kind)), (noted) => assert.deepStrictEqual<unknown>(noted, expected)) // oxfmt-ignore
)

it.effect("a final failure is not tried again, and a kind that nobody does rests without a try", () =>
  Effect.gen(function* () {
    const final = new JobFailed({ reason: "closed", isFinal: true })
    assert.deepStrictEqual(yield* outcome(() => final, taken(2)), [{ status: "failed", tries: 3, error: "closed" }])
    assert.deepStrictEqual(yield* outcome(undefined, taken(2)), [{ status: "no_adapter", tries: 2 }])
    const rest = { status: "no_adapter", tries: 2, error: "elsewhere", wait: Duration.hours(1) } as const
    assert.deepStrictEqual(yield* outcome(() => new NotConnected({ reason: "elsewhere" }), taken(2)), [rest])
  })
)

it.scoped("no more tries run at once than the pace allows; the next begins when one ends", () =>
  Effect.gen(function* () {
    const [atOnce, wanted] = [2, 5]
    const release = yield* Deferred.make<void>()
    let [running, most, begun] = [0, 0, 0]
    const handler = () =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          begun++
          most = Math.max(most, ++running)
        }),
        () => Deferred.await(release),
        () => Effect.sync(() => void running--)
      )
    const waiting = Array.from({ length: wanted }, () => taken(0))
    let noted = 0
    const store = Layer.mock(JobStore, {
      take: (_, __, limit) =>
        Effect.sync(() => {
          const jobs = waiting.splice(0, limit)
          return { jobs, seen: jobs.length }
        }),
      note: () => Effect.sync(() => void noted++),
      release: () => Effect.void
    })
    const pace = { ...(yield* JobPace), atOnce }
    yield* Layer.build(JobWorker.layer).pipe(
      Effect.provide(Layer.merge(store, Equipment.layer)),
      Effect.provideService(JobHandlers, { ...noHandlers, tell_agent: handler }),
      Effect.provideService(JobPace, pace)
    )
    yield* Effect.repeat(Effect.yieldNow(), { until: () => begun >= atOnce })
    for (let turn = 0; turn < 100; turn++) yield* Effect.yieldNow()
    assert.strictEqual(begun, atOnce)
    yield* Deferred.succeed(release, undefined)
    yield* Effect.repeat(Effect.yieldNow(), { until: () => noted >= wanted })
    assert.deepStrictEqual([begun, most], [wanted, atOnce])
  })
)

it.scoped("tries of one kind leave room for the others", () =>
  Effect.gen(function* () {
    const rooms: Array<number | undefined> = []
    const waiting = [taken(0), taken(0)]
    const store = Layer.mock(JobStore, {
      take: (_, __, ___, room) => {
        rooms.push(room?.tell_agent)
        return Effect.succeed({ jobs: waiting.splice(0, 1), seen: 1 })
      },
      release: () => Effect.void
    })
    yield* Layer.build(JobWorker.layer).pipe(
      Effect.provide(Layer.merge(store, Equipment.layer)),
      Effect.provideService(JobHandlers, { ...noHandlers, tell_agent: () => Effect.never }),
      Effect.provideService(JobPace, { ...(yield* JobPace), atOnce: 20, eachKind: 2, farewell: Duration.zero })
    )
    yield* TestClock.adjust("20 seconds")
    assert.deepStrictEqual(rooms.slice(0, 3), [2, 1, 0])
  })
)

it.scoped("a database that is away is logged once, also while every slot is taken", () =>
  Effect.gen(function* () {
    const waiting = [taken(0)]
    const store = Layer.mock(JobStore, {
      take: () =>
        Effect.sync(() => {
          const jobs = waiting.splice(0)
          return { jobs, seen: jobs.length }
        }),
      renew: () => Effect.die(new Unavailable()),
      release: () => Effect.void
    })
    const logged: Array<string> = []
    const logger = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ message }) => void logged.push(String(message)))
    )
    yield* Layer.build(JobWorker.layer).pipe(
      Effect.provide(Layer.mergeAll(store, Equipment.layer, logger)),
      Effect.provideService(JobHandlers, { ...noHandlers, tell_agent: () => Effect.never }),
      Effect.provideService(JobPace, { ...(yield* JobPace), atOnce: 1, farewell: Duration.zero })
    )
    yield* TestClock.adjust("40 seconds")
    assert.strictEqual(logged.filter((line) => line.startsWith("jobs wait")).length, 1, logged.join())
  })
)
