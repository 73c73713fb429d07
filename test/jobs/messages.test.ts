import * as SqlClient from "@effect/sql/SqlClient"
import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Exit, Layer, Metric } from "effect"
import { Begin, layer as beginLayer } from "../../adapters/workflow/Begin.ts"
import * as ClusterTables from "../../adapters/workflow/ClusterTables.ts"
import * as Upkeep from "../../adapters/workflow/Upkeep.ts"
import { JobStore } from "../../application/ports/JobStore.ts"
import { JobFailed } from "../../application/ports/JobHandlers.ts"
import { JobKind } from "../../domain/work/Job.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import * as Engine from "./Engine.ts"
import * as Queue from "./Queue.ts"

/** What begins jobs, without an engine that does them. */
const beginning = beginLayer.pipe(
  Layer.provide(Layer.effectDiscard(ClusterTables.create)),
  Layer.provideMerge(TestPostgres.layer)
)

const rows = (table: "messages" | "replies") =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{
        readonly count: number
      }>`SELECT count(*)::integer AS count FROM ${sql(`${ClusterTables.prefix}_${table}`)}`,
      ([row]) => row?.count
    )
  )

const statuses = (workspace: Parameters<typeof Queue.all>[0]) =>
  Effect.map(Queue.all(workspace), (jobs) => jobs.map(({ status }) => status))

/** What the gauge shows while this engine is kept up. */
const shown = (lag: Duration.Duration) =>
  Effect.gen(function* () {
    yield* Metric.set(Upkeep.age, -1)
    yield* Upkeep.start({ lag: Effect.succeed(lag), purge: () => Effect.void })
    const { value } = yield* Engine.eventually(Metric.value(Upkeep.age), (state) => state.value >= 0)
    return value
  }).pipe(Effect.scoped)

layer(beginning, { timeout: "60 seconds", excludeTestServices: true })("the engine's messages", (it) => {
  it.scoped("are written with the jobs or not at all", () =>
    Effect.gen(function* () {
      const { id, slug } = yield* Queue.workspace
      const store = yield* JobStore
      const begin = yield* Begin
      yield* Queue.put({ slug }, ["tell_agent", "tell_agent"])
      const exit = yield* Effect.exit(
        store.take(JobKind.literals, 10, (errands) =>
          Effect.zipRight(begin(errands), Effect.dieMessage("the transaction comes to nothing"))
        )
      )
      assert.isTrue(Exit.isFailure(exit))
      assert.deepStrictEqual([yield* rows("messages"), yield* statuses(id)], [0, ["queued", "queued"]])

      assert.strictEqual(yield* store.take(JobKind.literals, 10, begin), 2)
      assert.deepStrictEqual([yield* rows("messages"), yield* statuses(id)], [2, ["running", "running"]])
      assert.isAbove(Duration.toMillis(yield* ClusterTables.lag), 0)

      const calls: Array<string> = []
      yield* Engine.start({ tell_agent: ({ job }) => Effect.sync(() => void calls.push(job.id)) })
      yield* Engine.eventually(statuses(id), (all) => all.every((status) => status === "done"))
      assert.strictEqual(calls.length, 2)
      assert.deepStrictEqual(yield* ClusterTables.lag, Duration.zero)
    })
  )

  it.effect("and jobs that are due show in a gauge by the age of the oldest", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* shown(Duration.minutes(5)), 300)
      const { slug } = yield* Queue.workspace
      yield* Queue.put({ slug }, ["write_story"], { days: 1 })
      assert.approximately(yield* shown(Duration.minutes(5)), 86_400, 60)
      yield* (yield* JobStore).take([], 10, () => Effect.void)
      assert.strictEqual(yield* shown(Duration.zero), 0)
    })
  )

  it.scoped("are forgotten when their job is over, and kept while it waits", () =>
    Effect.gen(function* () {
      const { id, slug } = yield* Queue.workspace
      const busy = new JobFailed({ reason: "busy", isFinal: false })
      yield* Engine.start({ tell_agent: () => Effect.void, open_revert: () => busy }, { firstWait: Duration.hours(1) })
      yield* ClusterTables.purge(0)
      assert.deepStrictEqual([yield* rows("messages"), yield* rows("replies")], [0, 0])

      yield* Queue.put({ slug }, ["tell_agent", "open_revert"])
      // A round and its try each, and the alarm clock of the one that waits; all but the clock have been answered.
      const all = Effect.all([rows("messages"), rows("replies")])
      yield* Engine.eventually(all, ([messages, replies]) => messages === 5 && replies === 4)
      yield* ClusterTables.purge(1)
      assert.deepStrictEqual(yield* all, [5, 4])
      yield* ClusterTables.purge(0)
      assert.deepStrictEqual(yield* all, [3, 2])
      assert.deepStrictEqual(yield* statuses(id), ["running", "done"])
    })
  )
})
