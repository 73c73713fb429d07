import * as SqlClient from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Duration, Effect, Layer, Schema } from "effect"
import { JobStore } from "../../../application/ports/JobStore.ts"
import { Job, type JobKind, type JobStatus, type JobView } from "../../../domain/work/Job.ts"
import { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { page } from "../reads/PageReads.ts"
import * as Records from "../rows/Records.ts"
import { orDie, transaction } from "../connection/Transactions.ts"

const Waiting = Schema.Struct({
  seq: Schema.BigInt,
  workspace: WorkspaceId,
  isDeleted: Schema.Boolean,
  job: Job
})
const decodeWaiting = Schema.decodeUnknownSync(Schema.Array(Waiting))
type Waiting = typeof Waiting.Type
const decodeJobs = Schema.decodeUnknownSync(Schema.Array(Job))

const isDue = (alias: string) => `(${alias}.due_at IS NULL OR ${alias}.due_at <= statement_timestamp())`

/**
 * One waits for its time, for those of its lane that came due before it, also if they rested until somebody could do
 * them, and merges for a main branch that is red.
 */
const mayGo = (handled: ReadonlyArray<JobKind>) => `
  ${isDue("j")} AND (j.lane IS NULL OR NOT EXISTS (
    SELECT FROM jobs e WHERE e.workspace_id = j.workspace_id AND e.lane = j.lane AND e.seq < j.seq AND ${isDue("e")}
      AND (e.status IN ('queued', 'running')
        OR e.status = 'no_adapter' AND e.kind = ANY (ARRAY[${handled.map((kind) => `'${kind}'`).join(", ")}]::text[])))) AND
  (j.kind <> 'merge_pull_request' OR ${Records.mergeHold("j.workspace_id", "j.team")} IS NULL)`

export const layer = Layer.effect(
  JobStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const jobs = page<JobView>(sql, yield* Effect.runtime(), {
      from: "jobs j",
      alias: "j",
      json: Records.object(Records.jobView),
      // What a deleted team left to do is still done, so it is still shown.
      ofDeletedTeams: true,
      filters: { status: "j.status = q.status", run: "j.run_key = q.run" }
    })

    /** Locks what waits; what another instance has locked is its to take. */
    const lock = (where: Statement.Fragment, handled: ReadonlyArray<JobKind>, limit: number) =>
      Effect.map(
        sql`
          SELECT j.seq, j.workspace_id AS workspace, w.deleted_at IS NOT NULL AS "isDeleted",
            (SELECT row_to_json(o) FROM (SELECT ${sql.literal(Records.job)}) o) AS job
          FROM jobs j JOIN workspaces w ON w.id = j.workspace_id
          WHERE ${where} AND ${sql.literal(mayGo(handled))} ORDER BY j.seq LIMIT ${limit} FOR NO KEY UPDATE OF j SKIP LOCKED`,
        decodeWaiting
      )

    const mark = (rows: ReadonlyArray<Waiting>, status: JobStatus, error: string | null) => {
      const keys = rows.map(({ job, workspace }) => ({ workspace, id: job.id }))
      return sql`
        UPDATE jobs j SET status = ${status}, error = coalesce(${error}, j.error), updated_at = clock_timestamp()
        FROM json_to_recordset(${JSON.stringify(keys)}::json) AS k(workspace uuid, id uuid)
        WHERE j.workspace_id = k.workspace AND j.id = k.id`.pipe(Effect.when(() => keys.length > 0))
    }

    return JobStore.of({
      page: (workspace, { run = null, status }, request) =>
        Effect.orDie(jobs(workspace, null, { status, run }, request)),
      take: (handled, limit, begin) =>
        Effect.gen(function* () {
          const queued = yield* lock(sql`j.status = 'queued'`, handled, limit)
          const resting =
            handled.length === 0
              ? []
              : yield* lock(sql`j.status = 'no_adapter' AND ${sql.in("j.kind", handled)}`, handled, limit)
          const waiting = [...queued, ...resting].sort((a, b) => (a.seq < b.seq ? -1 : 1)).slice(0, limit)
          const alive = waiting.filter((row) => !row.isDeleted)
          const able = alive.filter((row) => handled.includes(row.job.kind))
          yield* mark(
            waiting.filter((row) => row.isDeleted),
            "failed",
            "The workspace was deleted."
          )
          yield* mark(
            alive.filter((row) => !handled.includes(row.job.kind)),
            "no_adapter",
            null
          )
          if (able.length === 0) return 0
          yield* mark(able, "running", null)
          yield* begin(able.map(({ job, workspace }) => ({ workspace, job: new Job({ ...job, status: "running" }) })))
          return able.length
        }).pipe(transaction, Effect.provideService(SqlClient.SqlClient, sql)),
      find: (workspace, id) =>
        Effect.map(
          orDie(sql`
            SELECT ${sql.literal(Records.job)} FROM jobs j JOIN workspaces w ON w.id = j.workspace_id
            WHERE j.workspace_id = ${workspace} AND j.id = ${id} AND w.deleted_at IS NULL`),
          (rows) => decodeJobs(rows)[0] ?? null
        ),
      note: (workspace, id, progress) =>
        orDie(sql`
          UPDATE jobs SET status = ${progress.status}, tries = ${progress.tries},
            error = ${"error" in progress ? progress.error : null}, updated_at = clock_timestamp()
          WHERE workspace_id = ${workspace} AND id = ${id} AND status <> 'done'`),
      purge: (days) =>
        orDie(sql`DELETE FROM jobs WHERE status = 'done' AND updated_at <= now() - ${days} * interval '1 day'`),
      lag: Effect.map(
        orDie(sql<{ readonly seconds: number }>`
          SELECT coalesce(extract(epoch FROM clock_timestamp() - greatest(j.created_at, j.due_at)), 0)::float8 AS seconds
          FROM jobs j WHERE j.status = 'queued' AND ${sql.literal(mayGo([]))} ORDER BY seq LIMIT 1`),
        ([oldest]) => Duration.seconds(Math.max(0, oldest?.seconds ?? 0))
      )
    })
  })
)
