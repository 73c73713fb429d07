import * as SqlClient from "@effect/sql/SqlClient"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { scopedWorkshop } from "../support/Process.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import * as Engine from "./Engine.ts"
import * as Queue from "./Queue.ts"

/** In the long form with the real pace, in the short one without waiting long for a dead process. */
const [jobs, settings] = inject("full") ? [1000, {}] : [40, { LEASE: "5 seconds" }]

const address = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly name: string }>`SELECT current_database() AS name`
  const { host, port, username } = inject("postgres")
  return `postgres://${username}@localhost:${port}/${row?.name}?host=${encodeURIComponent(host)}`
})

layer(TestPostgres.layer, { timeout: "60 seconds", excludeTestServices: true })("two processes", (it) => {
  it.scoped(
    "that know nothing of each other do every job, though one is killed in the middle",
    ({ task }) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE handed_over (job uuid NOT NULL, process integer NOT NULL)`
        const { launch } = yield* scopedWorkshop
        const env = { DATABASE_URL: yield* address, ...settings }
        const start = () => launch(process.execPath, ["dist/workers/jobs.js"], env)
        const [first, second] = [start(), start()]
        yield* Effect.promise(() => Promise.all([first.says(/working/), second.says(/working/)]))

        const { id, slug } = yield* Queue.workspace
        const put = yield* Queue.put(
          { slug },
          Array.from({ length: jobs }, () => "tell_agent" as const)
        )
        const deliveries = sql<{ readonly job: string; readonly process: number }>`SELECT job, process FROM handed_over`
        const by = (pid: number) => Effect.map(deliveries, (rows) => rows.filter((row) => row.process === pid).length)
        const busy = Effect.map(Effect.all([by(first.pid), by(second.pid)]), (counts) =>
          counts.findIndex((count) => count > jobs / 10)
        )
        const [killed, other] =
          (yield* Engine.eventually(busy, (index) => index >= 0)) === 0 ? [first, second] : [second, first]
        killed.signal("SIGKILL")

        yield* Engine.eventually(
          Effect.map(Queue.all(id, "done"), (done) => done.length),
          (done) => done === jobs,
          240
        )
        const rows = yield* deliveries
        assert.deepStrictEqual([...new Set(rows.map((row) => row.job))].toSorted(), [...put].toSorted())
        // Only a job that the killed process had in hand is done again, by the other one.
        assert.strictEqual(new Set(rows.map((row) => `${row.job} ${row.process}`)).size, rows.length)
        task.meta.figures = `${jobs} jobs, ${rows.length - jobs} of them done again after the kill`
        assert.isAbove(yield* by(other.pid), 0)

        other.signal("SIGTERM")
        assert.strictEqual((yield* Effect.promise(() => other.ended())).code, 0)
      }),
    300_000
  )
})
