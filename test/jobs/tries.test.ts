import { assert, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { JobStore } from "../../application/ports/JobStore.ts"
import { Outside } from "../../application/ports/JobHandlers.ts"
import { Pace } from "../../adapters/workflow/Pace.ts"
import * as Tries from "../../adapters/workflow/Tries.ts"
import { type Job, JobId, queued } from "../../domain/work/Job.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { WorkspaceId } from "../../domain/workspace/Workspace.ts"

const workspace = WorkspaceId.make("11111111-2222-4333-8444-555555555555")
const id = JobId.make("22222222-2222-4333-8444-555555555555")
const place = { team: "payments" as TeamSlug, story: null, runKey: null, decision: null, payload: {} }
const job = queued({ id, kind: "tell_agent", ...place }, DateTime.unsafeMake(0))

/** A store that has one job in a state, and what was noted of it. */
const store = (status: Job["status"], noted: Array<string> = []) =>
  Layer.mock(JobStore, {
    find: () => Effect.succeed({ ...job, status } as Job),
    note: (_, __, progress) => Effect.sync(() => void noted.push(progress.status))
  })

it.effect("a job that is done already is not done again", () =>
  Effect.gen(function* () {
    let done = 0
    const noted: Array<string> = []
    const handler = () => Effect.sync(() => void done++)
    const attempt = yield* Effect.provide(Tries.make, store("done", noted)).pipe(
      Effect.provideService(Outside, new Map([["tell_agent", handler]]))
    )
    assert.strictEqual(yield* attempt(workspace, id, 1, false), "over")
    assert.deepStrictEqual([done, noted], [0, []])
  })
)

it.effect("no more tries run at once than the pace allows; the next begins when one ends", () =>
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
    const pace = { ...(yield* Pace), atOnce }
    const attempt = yield* Effect.provide(Tries.make, store("running")).pipe(
      Effect.provideService(Outside, new Map([["tell_agent", handler]])),
      Effect.provideService(Pace, pace)
    )
    const tries = yield* Effect.fork(
      Effect.all(
        Array.from({ length: wanted }, (_, index) => attempt(workspace, id, index + 1, false)),
        { concurrency: "unbounded" }
      )
    )
    yield* Effect.repeat(Effect.yieldNow(), { until: () => begun >= atOnce })
    for (let turn = 0; turn < 100; turn++) yield* Effect.yieldNow()
    assert.strictEqual(begun, atOnce)
    yield* Deferred.succeed(release, undefined)
    yield* Fiber.join(tries)
    assert.deepStrictEqual([begun, most], [wanted, atOnce])
  })
)
