import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Duration, Effect } from "effect"
import type { WorkspaceJob } from "../../application/ports/JobStore.ts"
import { type Handler, JobFailed } from "../../application/ports/JobHandlers.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { Job } from "../../domain/work/Job.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import * as Engine from "./Engine.ts"
import * as Queue from "./Queue.ts"
import { long } from "../support/Long.ts"

const told = ({ error, status, tries }: Job) => [status, tries, error]

/** Final states of a workspace's jobs, oldest first. */
const outcome = (workspace: WorkspaceId) =>
  Effect.map(
    Engine.eventually(Queue.all(workspace), (jobs) =>
      jobs.every(({ status }) => status !== "queued" && status !== "running")
    ),
    (jobs) => jobs.toReversed().map(told)
  )

/** The only job of a workspace, once it has been tried. */
const tried = (workspace: WorkspaceId) =>
  Effect.map(
    Engine.eventually(Queue.all(workspace), ([job]) => job !== undefined && job.tries > 0),
    (jobs) => jobs.map(told)
  )

const busy = new JobFailed({ reason: "busy", isFinal: false })

/** Keeps every call, and answers the first ones as told and the rest with success. */
const recorder = (...answers: ReadonlyArray<Effect.Effect<void, JobFailed>>) => {
  const calls: Array<WorkspaceJob> = []
  const handler: Handler = (errand) => Effect.suspend(() => answers[calls.push(errand) - 1] ?? Effect.void)
  return { calls, handler, ids: () => calls.map(({ job }) => job.id) }
}

layer(TestPostgres.layer, { timeout: "60 seconds", excludeTestServices: true })("the engine", (it) => {
  it.scoped("does a job once, and tells the handler what it is about", () =>
    Effect.gen(function* () {
      const { id, slug } = yield* Queue.workspace
      const { calls, handler, ids } = recorder()
      yield* Engine.start({ tell_agent: handler })
      const put = yield* Queue.put({ slug }, ["tell_agent"], { payload: { text: "hello" } })
      assert.deepStrictEqual(yield* outcome(id), [["done", 1, null]])
      assert.deepStrictEqual(ids(), put)
      assert.deepStrictEqual([calls[0]?.workspace, calls[0]?.job.payload], [id, { text: "hello" }])
    })
  )

  it.scoped("tries again after a failure or a defect, each time with the same id", () =>
    Effect.gen(function* () {
      const { id, slug } = yield* Queue.workspace
      const { handler, ids } = recorder(busy, Effect.die(new TypeError("a bug")))
      yield* Engine.start({ tell_agent: handler })
      const put = yield* Queue.put({ slug }, ["tell_agent"])
      assert.deepStrictEqual(yield* outcome(id), [["done", 3, null]])
      assert.deepStrictEqual(ids(), [...put, ...put, ...put])
    })
  )

  it.scoped("does not repeat what can never succeed", () =>
    Effect.gen(function* () {
      const { id, slug } = yield* Queue.workspace
      const { handler, ids } = recorder(new JobFailed({ reason: "The pull request was closed.", isFinal: true }))
      yield* Engine.start({ merge_pull_request: handler })
      const put = yield* Queue.put({ slug }, ["merge_pull_request"])
      assert.deepStrictEqual(yield* outcome(id), [["failed", 1, "The pull request was closed."]])
      assert.deepStrictEqual(ids(), put)
    })
  )

  long(() => {
    it.scoped("gives up after 20 tries", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Queue.workspace
        yield* Engine.start({ tell_agent: () => busy }, { firstWait: Duration.micros(1n) })
        yield* Queue.put({ slug }, ["tell_agent"])
        assert.deepStrictEqual(yield* outcome(id), [["failed", 20, "busy"]])
      })
    )
  })

  it.scoped("keeps the reason of a failed try while it waits for the next", () =>
    Effect.gen(function* () {
      const { id, slug } = yield* Queue.workspace
      const { handler } = recorder(Effect.die(new TypeError("half \ud800 and nothing \0")))
      yield* Engine.start({ tell_agent: handler }, { firstWait: Duration.hours(1) })
      yield* Queue.put({ slug }, ["tell_agent"])
      assert.deepStrictEqual(yield* tried(id), [["running", 1, "half � and nothing �"]])
    })
  )

  it.scoped("takes a handler that does not answer for a failed try", () =>
    Effect.gen(function* () {
      const { id, slug } = yield* Queue.workspace
      const { handler } = recorder(Effect.never)
      yield* Engine.start({ tell_agent: handler }, { patience: Duration.millis(200), firstWait: Duration.hours(1) })
      yield* Queue.put({ slug }, ["tell_agent"])
      assert.deepStrictEqual(yield* tried(id), [["running", 1, "No answer within 200ms."]])
    })
  )

  it.scoped("does not go on for a workspace that was deleted", () =>
    Effect.gen(function* () {
      const { id, slug } = yield* Queue.workspace
      yield* Engine.start({ tell_agent: () => busy }, { firstWait: Duration.millis(500) })
      yield* Queue.put({ slug }, ["tell_agent"])
      yield* tried(id)
      yield* Workspaces.remove(bySystem, { slug, confirm: slug })
      const [[status, , error] = []] = yield* outcome(id)
      assert.deepStrictEqual([status, error], ["failed", "The workspace was deleted."])
    })
  )
})

/** Each starts one engine after another, which takes its time: side by side, on databases of their own. */
describe.concurrent("the engine", () => {
  it.live("a job that nobody can do waits for the start that connects somebody", () =>
    Effect.gen(function* () {
      const { id, slug } = yield* Queue.workspace
      const put = yield* Queue.put({ slug }, ["tell_agent", "write_story"])
      const resting = ["no_adapter", 0, null]
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Engine.start({})
          assert.deepStrictEqual(yield* outcome(id), [resting, resting])
        })
      )
      const { handler, ids } = recorder()
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Engine.start({ tell_agent: handler })
          yield* Engine.eventually(Queue.all(id, "done"), (jobs) => jobs.length === 1)
        })
      )
      assert.deepStrictEqual(yield* outcome(id), [["done", 1, null], resting])
      assert.deepStrictEqual(ids(), put.slice(0, 1))
    }).pipe(Effect.provide(TestPostgres.layer))
  )

  long(() => {
    it.live("a job goes on in the next engine where the last one left it", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Queue.workspace
        const { handler, ids } = recorder(busy)
        const put = yield* Queue.put({ slug }, ["tell_agent"])
        const patiently = { firstWait: Duration.seconds(3) }
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* Engine.start({ tell_agent: handler }, patiently)
            assert.deepStrictEqual(yield* tried(id), [["running", 1, "busy"]])
          })
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* Engine.start({ tell_agent: handler }, patiently)
            assert.deepStrictEqual(yield* outcome(id), [["done", 2, null]])
          })
        )
        assert.deepStrictEqual(ids(), [...put, ...put])
      }).pipe(Effect.provide(TestPostgres.layer))
    )
  })

  long(() => {
    it.live("a shutdown in the middle of a try does not count as one", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Queue.workspace
        const isBegun = yield* Deferred.make<void>()
        const { handler, ids } = recorder(Effect.zipRight(Deferred.succeed(isBegun, undefined), Effect.never))
        const put = yield* Queue.put({ slug }, ["tell_agent"])
        const patiently = { patience: Duration.minutes(1) }
        yield* Effect.scoped(Effect.zipRight(Engine.start({ tell_agent: handler }, patiently), Deferred.await(isBegun)))
        assert.deepStrictEqual((yield* Queue.all(id)).map(told), [["running", 0, null]])
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* Engine.start({ tell_agent: handler }, patiently)
            assert.deepStrictEqual(yield* outcome(id), [["done", 1, null]])
          })
        )
        assert.deepStrictEqual(ids(), [...put, ...put])
      }).pipe(Effect.provide(TestPostgres.layer))
    )
  })

  long(() => {
    it.live("a job rests when its adapter is gone in the middle, and begins a new round when it is back", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Queue.workspace
        const { handler } = recorder(busy)
        yield* Queue.put({ slug }, ["tell_agent"])
        const patiently = { firstWait: Duration.seconds(3) }
        const during = <A, E, R>(kinds: Parameters<typeof Engine.start>[0], look: Effect.Effect<A, E, R>) =>
          Effect.scoped(Effect.zipRight(Engine.start(kinds, patiently), look))
        assert.deepStrictEqual(yield* during({ tell_agent: handler }, tried(id)), [["running", 1, "busy"]])
        assert.deepStrictEqual(yield* during({ write_story: handler }, outcome(id)), [["no_adapter", 1, "busy"]])
        const done = Engine.eventually(Queue.all(id, "done"), (jobs) => jobs.length === 1)
        assert.deepStrictEqual((yield* during({ tell_agent: handler }, done)).map(told), [["done", 2, null]])
      }).pipe(Effect.provide(TestPostgres.layer))
    )
  })
})
