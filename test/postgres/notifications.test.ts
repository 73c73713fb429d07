import * as SqlClient from "@effect/sql/SqlClient"
import { assert, layer } from "@effect/vitest"
import { Effect, Queue, Stream } from "effect"
import { channels, Notifications } from "../../adapters/postgres/connection/Notifications.ts"
import { isLong } from "../support/Long.ts"
import * as TestPostgres from "../support/TestPostgres.ts"

layer(TestPostgres.client(), { timeout: "60 seconds", excludeTestServices: true })("notifications", (it) => {
  it.scoped("reach every subscriber by one connection, and again after it was lost", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { on } = yield* Notifications
      const subscribe = (channel: (typeof channels)[keyof typeof channels]) =>
        Effect.gen(function* () {
          const received = yield* Queue.unbounded<string>()
          yield* Effect.forkScoped(Stream.runForEach(on(channel), (payload) => Queue.offer(received, payload)))
          return {
            payload: Queue.take(received),
            opened: Effect.repeat(Queue.take(received), { until: (it) => it === "" })
          }
        })
      const jobs = [yield* subscribe(channels.jobs), yield* subscribe(channels.jobs)]
      const feed = yield* subscribe(channels.feed)
      yield* Effect.forEach([...jobs, feed], ({ opened }) => opened)
      const listeners = sql<{ readonly pid: number }>`
        SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'`
      assert.lengthOf(yield* listeners, 1)
      for (const round of isLong ? ["first", "second"] : ["first"]) {
        yield* sql`SELECT pg_notify(${channels.jobs}, ${round})`
        for (const { payload } of jobs) assert.strictEqual(yield* payload, round)
        const [listener] = yield* listeners
        yield* sql`SELECT pg_terminate_backend(${listener?.pid ?? 0})`
        yield* Effect.forEach([...jobs, feed], ({ opened }) => opened)
      }
    })
  )
})
