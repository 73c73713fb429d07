import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { inject } from "vitest"
import * as Postgres from "../../adapters/postgres/Postgres.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { system } from "../../domain/workspace/Actor.ts"
import * as Audit from "../../domain/workspace/Audit.ts"
import { isLong } from "../support/Long.ts"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"

const writers = isLong ? 64 : 16
const rounds = inject("full") ? 50 : 2

const layer = Postgres.layer.pipe(Layer.provideMerge(TestPostgres.client(writers + 1)))

it.layer(layer, { timeout: "60 seconds" })("writers on connections of their own", (it) => {
  it.effect(
    `${writers} at once leave no gap, no fork and no step back in time, and whoever verifies meanwhile sees a log that holds`,
    ({ task }) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const log = yield* AuditLog
        const { id } = yield* Seed.workspace
        const { entries } = yield* log.verify(id)
        const entity = { type: "audit_export", id: "export", name: "export" } as const
        const fact = Audit.fact({ actor: system, requestId: null }, "audit_exported", entity)
        let seen = 0
        const watching = yield* Effect.fork(
          Effect.forever(
            Effect.map(log.verify(id), (verdict) => {
              assert.isNull(verdict.firstBad, `after ${seen} verdicts`)
              seen++
            })
          )
        )
        const write = Effect.replicateEffect(log.append(id, { audit: [fact, fact] }), rounds, { discard: true })
        const before = performance.now()
        yield* Effect.raceFirst(
          Effect.replicateEffect(write, writers, { concurrency: "unbounded", discard: true }),
          Fiber.join(watching)
        )
        const took = performance.now() - before
        yield* Fiber.interrupt(watching)

        const written = entries + 2 * writers * rounds
        assert.deepStrictEqual(yield* log.verify(id), { entries: written, firstBad: null })
        const [row] = yield* sql`
          SELECT count(*)::int AS count, min(seq)::int AS first, max(seq)::int AS last, count(DISTINCT hash)::int AS hashes,
            count(*) FILTER (WHERE "timestamp" < before)::int AS "backInTime"
          FROM (SELECT *, lag("timestamp") OVER (ORDER BY seq) AS before FROM audit_entries WHERE workspace_id = ${id}) e`
        assert.deepStrictEqual(row, { count: written, first: 1, last: written, hashes: written, backInTime: 0 })
        if (inject("full")) assert.isAbove(seen, 0)
        task.meta.figures = `${written.toLocaleString("en")} entries in ${(took / 1000).toFixed(1)} s, verified ${seen} times meanwhile`
      }),
    300_000
  )
})
