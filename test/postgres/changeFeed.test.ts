import * as SqlClient from "@effect/sql/SqlClient"
import { assert, it } from "@effect/vitest"
import { Chunk, Context, Duration, Effect, Fiber, Layer, Queue, Schedule, Stream } from "effect"
import { inject } from "vitest"
import { ChangeLog } from "../../application/ports/ChangeLog.ts"
import * as ChangeFeed from "../../application/workspace/ChangeFeed.ts"
import { append, numbers } from "../contract/ChangeFeedContract.ts"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"

const [entries, kills] = inject("full") ? [5000, 50] : [200, 3]

const pace = Layer.succeed(ChangeFeed.FeedPace, {
  poll: Duration.millis(200),
  watch: Duration.seconds(1),
  pageSize: 50
})

it.live(
  "a follower of one instance gets every entry that another writes, once and in order, though its connections are killed",
  ({ task }) =>
    Effect.gen(function* () {
      const [here, there] = yield* TestPostgres.instances(2)
      if (here === undefined || there === undefined) return assert.fail("no instances")
      const reader = yield* Layer.build(ChangeFeed.layer.pipe(Layer.provideMerge(here), Layer.provide(pace)))
      const writer = yield* Layer.build(there)
      const { id } = yield* Effect.provide(Seed.workspace, writer)
      const feed = Context.get(reader, ChangeFeed.ChangeFeed)
      const begun = yield* feed.head(id)
      const follower = yield* feed.after(id, begun).pipe(
        Stream.take(entries),
        Stream.map(({ seq }) => seq),
        Stream.runCollect,
        Effect.fork
      )
      const own = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`
      )
      const [writing] = yield* Effect.provide(own, writer)
      const killed = Effect.provide(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid NOT IN (pg_backend_pid(), ${writing?.pid ?? 0})`
        ),
        writer
      )
      const share = Math.ceil(entries / kills)
      for (let kill = 0; kill < kills; kill++) {
        const names = numbers(Math.min(share, entries - kill * share), kill * share)
        // The writer's own connections are killed too: a write that was refused is sent again.
        yield* Effect.forEach(names, (name) =>
          Effect.retry(Effect.sandbox(Effect.provide(append(id, [name]), writer)), Schedule.spaced("20 millis"))
        )
        yield* Effect.retry(killed, Schedule.spaced("20 millis"))
      }
      const seqs = Chunk.toReadonlyArray(yield* Fiber.join(follower))
      assert.deepStrictEqual(
        seqs,
        Array.from({ length: entries }, (_, index) => begun + BigInt(index + 1))
      )
      task.meta.figures = `${entries.toLocaleString("en")} entries, all connections killed ${kills} times`
    }).pipe(Effect.scoped),
  { timeout: 600_000 }
)

it.live(
  "a change wakes the followers of its workspace by a notification, and an entry of a newer release is passed on",
  () =>
    Effect.gen(function* () {
      const seldom = Layer.succeed(ChangeFeed.FeedPace, {
        poll: Duration.hours(1),
        watch: Duration.hours(1),
        pageSize: 50
      })
      const context = yield* Layer.build(
        ChangeFeed.layer.pipe(Layer.provideMerge(TestPostgres.layer), Layer.provide(seldom))
      )
      const { id } = yield* Effect.provide(Seed.workspace, context)
      const feed = Context.get(context, ChangeFeed.ChangeFeed)
      const received = yield* Queue.unbounded<string | null>()
      yield* Stream.runForEach(feed.after(id, yield* feed.head(id)), ({ entry }) =>
        Queue.offer(received, entry?.entity.name ?? null)
      ).pipe(Effect.forkScoped)
      const write = (name: string) => Effect.provide(append(id, [name]), context)
      // Once an entry came, the connection listens and every later change is notified.
      const first = Effect.forever(Effect.zipRight(write("first"), Effect.sleep("50 millis")))
      yield* Effect.raceFirst(Queue.take(received), first)
      yield* write("last")
      yield* Effect.repeat(Queue.take(received), { until: (name) => name === "last" })
      const renamed = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql.withTransaction(
          Effect.zipRight(
            sql`SET LOCAL session_replication_role = replica`,
            sql`UPDATE audit_entries SET event = 'of_tomorrow' WHERE workspace_id = ${id} AND entity_name = 'last'`
          )
        )
      )
      yield* Effect.provide(renamed, context)
      const found = yield* Context.get(context, ChangeLog).since(new Map([[id, (yield* feed.head(id)) - 1n]]), 1)
      assert.deepStrictEqual(
        found.get(id)?.map(({ entry }) => entry),
        [null]
      )
    }).pipe(Effect.scoped),
  { timeout: 60_000 }
)
