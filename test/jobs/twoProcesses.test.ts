import * as SqlClient from "@effect/sql/SqlClient"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { scopedWorkshop } from "../support/Process.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import * as Engine from "./Engine.ts"
import * as Queue from "./Queue.ts"

/** No test waits long for a dead process; the takeover at the real pace is measured elsewhere. */
const settings = { LEASE: "5 seconds" }
const [jobs, kills] = inject("full") ? [10_000, 20] : [400, 1]

/** Tries that a process runs at the same time of one kind. */
const atOnce = 10

const chunksOf = (count: number) =>
  Array.from({ length: Math.ceil(count / 500) }, (_, index) =>
    Array.from({ length: Math.min(500, count - index * 500) }, () => "tell_agent" as const)
  )

layer(TestPostgres.layer, { timeout: "60 seconds", excludeTestServices: true })("two processes", (it) => {
  it.scoped(
    "that know nothing of each other do every job, though one after the other is killed in the middle",
    ({ task }) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE handed_over (job uuid NOT NULL, process integer NOT NULL)`
        const { worker } = yield* scopedWorkshop
        const env = { DATABASE_URL: yield* TestPostgres.address, ...settings }
        const start = Effect.promise(() => worker("jobs", env))
        let [next, other] = [yield* start, yield* start]

        const { slug } = yield* Queue.workspace
        const put = yield* Effect.forEach(chunksOf(jobs), (kinds) => Queue.put({ slug }, kinds))
        const deliveries = sql<{ readonly job: string; readonly process: number }>`SELECT job, process FROM handed_over`
        const by = (pid: number) =>
          Effect.map(
            sql<{ readonly count: number }>`SELECT count(*)::int AS count FROM handed_over WHERE process = ${pid}`,
            ([row]) => row?.count ?? 0
          )
        for (let kill = 0; kill < kills; kill++) {
          yield* Engine.eventually(by(next.pid), (count) => count > jobs / 10 / kills)
          next.signal("SIGKILL")
          const fresh = kill < kills - 1 ? yield* start : other
          ;[next, other] = [other, fresh]
        }

        yield* Engine.eventually(
          Effect.map(
            sql<{ readonly count: number }>`SELECT count(*)::int AS count FROM jobs WHERE status = 'done'`,
            ([row]) => row?.count ?? 0
          ),
          (done) => done === jobs,
          inject("full") ? 420 : 60
        )
        const rows = yield* deliveries
        assert.deepStrictEqual([...new Set(rows.map((row) => row.job))].toSorted(), put.flat().toSorted())
        // Only a job that a killed process had in hand is done again, by another one and under the same id.
        assert.strictEqual(new Set(rows.map((row) => `${row.job} ${row.process}`)).size, rows.length)
        assert.isAtMost(rows.length - jobs, kills * atOnce)
        task.meta.figures = `${jobs.toLocaleString("en")} jobs, ${kills} kills: 0 lost, ${rows.length - jobs} done again under their own id`
        assert.isAbove(yield* by(other.pid), 0)

        other.signal("SIGTERM")
        assert.strictEqual((yield* Effect.promise(() => other.ended())).code, 0)
      }),
    600_000
  )
})
