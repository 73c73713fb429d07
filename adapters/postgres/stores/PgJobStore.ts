import * as SqlClient from "@effect/sql/SqlClient"
import { Array as Arrays, Duration, Effect, Either, Layer, Schema, Stream } from "effect"
import * as Json from "../../../application/ports/Json.ts"
import { JobStore } from "../../../application/ports/JobStore.ts"
import { Job, type JobView } from "../../../domain/work/Job.ts"
import { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { page } from "../reads/PageReads.ts"
import * as DecisionRows from "../rows/DecisionRows.ts"
import * as JobRows from "../rows/JobRows.ts"
import * as Table from "../rows/Table.ts"
import { channels, Notifications } from "../connection/Notifications.ts"
import { orDie } from "../connection/Transactions.ts"

const decodeTaken = Schema.decodeUnknownEither(
  Schema.Struct({ workspace: WorkspaceId, failures: Schema.Int, job: Job })
)

const isDue = (alias: string) => `(${alias}.due_at IS NULL OR ${alias}.due_at <= statement_timestamp())`

/** A lease of nobody, as a retry has it, lapses when the wait is over. */
const isLapsed = "(j.leased_until IS NULL OR j.leased_until <= statement_timestamp())"

/** A job waits until it is due, for its lane to be free and its earlier due jobs, and as a merge for a red main branch. */
export const mayGo = (handled: string) => `
  ${isDue("j")} AND (j.lane IS NULL OR NOT EXISTS (
    SELECT FROM jobs e WHERE e.workspace_id = j.workspace_id AND e.lane = j.lane AND e.id <> j.id AND (
      e.status = 'running' OR e.seq < j.seq AND ${isDue("e")}
        AND (e.status = 'queued' OR e.status = 'no_adapter' AND e.kind = ANY (${handled}))))) AND
  (j.kind <> 'merge_pull_request' OR ${DecisionRows.mergeHold("j.workspace_id", "j.team")} IS NULL)`

/** Locks due jobs of kinds with room; rows that another process has locked are left to it. */
const locked = (where: string, isRetry: boolean) => `
  SELECT j.workspace_id, j.id, j.seq, j.kind, ${isRetry} AS retry FROM jobs j
  WHERE ${where} AND coalesce(($5::json->>j.kind)::int, 1) > 0
  ORDER BY j.seq LIMIT $2 FOR NO KEY UPDATE OF j SKIP LOCKED`

/**
 * Parameters: the handled kinds, how many, the holder, seconds of the lease, room by kind. First tries come before
 * retries, so that retries of a system that hangs do not hold up new work.
 */
const take = `
  WITH queued AS (${locked(`j.status = 'queued' AND ${mayGo("$1::text[]")}`, false)}),
  rested AS (${locked(`j.status = 'no_adapter' AND j.kind = ANY ($1::text[]) AND ${mayGo("$1::text[]")}`, false)}),
  lapsed AS (${locked(`j.status = 'running' AND ${isLapsed}`, true)}),
  ranked AS (
    SELECT u.*, row_number() OVER (PARTITION BY u.kind ORDER BY u.retry, u.seq) AS place
    FROM (TABLE queued UNION ALL TABLE rested UNION ALL TABLE lapsed) u
  ),
  picked AS (
    SELECT r.* FROM ranked r WHERE r.place <= coalesce(($5::json->>r.kind)::int, $2)
    ORDER BY r.retry, r.seq LIMIT $2
  ),
  judged AS (
    SELECT p.workspace_id, p.id, CASE WHEN w.deleted_at IS NOT NULL THEN 'failed'
      WHEN p.kind = ANY ($1::text[]) THEN 'running' ELSE 'no_adapter' END AS verdict
    FROM picked p JOIN workspaces w ON w.id = p.workspace_id
  ),
  marked AS (
    UPDATE jobs j SET status = g.verdict,
      error = CASE g.verdict WHEN 'failed' THEN 'The workspace was deleted.' ELSE j.error END,
      holder = CASE g.verdict WHEN 'running' THEN $3::uuid END,
      leased_until = CASE g.verdict WHEN 'running' THEN statement_timestamp() + $4 * interval '1 second' END,
      round_start = CASE j.status WHEN 'running' THEN j.round_start ELSE j.tries END,
      updated_at = clock_timestamp()
    FROM judged g WHERE j.workspace_id = g.workspace_id AND j.id = g.id
    RETURNING j.*
  )
  SELECT j.workspace_id AS workspace, j.id, j.status, j.tries - j.round_start AS failures,
    (SELECT row_to_json(o) FROM (SELECT ${JobRows.job}) o) AS job
  FROM marked j ORDER BY j.seq`

interface Marked {
  readonly workspace: string
  readonly id: string
  readonly status: string
}

export const layer = Layer.effect(
  JobStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const notifications = yield* Notifications
    const jobs = page<JobView>(sql, yield* Effect.runtime(), {
      from: "jobs j",
      alias: "j",
      json: Table.object(JobRows.jobView),
      // Jobs of a deleted team are still done, so they are still shown.
      ofDeletedTeams: true,
      filters: { status: "j.status = q.status", run: "j.run_key = q.run" }
    })

    return JobStore.of({
      page: (workspace, { run = null, status }, request) =>
        Effect.orDie(jobs(workspace, null, { status, run }, request)),
      find: (workspace, ids) =>
        Effect.map(
          orDie(sql<{ readonly json: string }>`
            SELECT ${sql.literal(Table.object(JobRows.jobView))} AS json FROM jobs j
            WHERE j.workspace_id = ${workspace} AND j.id = ANY (${ids}::uuid[]) ORDER BY j.seq`),
          (rows) => rows.map(({ json }) => Json.trust<JobView>(json))
        ),
      take: ({ duration, holder }, handled, limit, room = {}) =>
        Effect.gen(function* () {
          const given = [handled, limit, holder, Duration.toSeconds(duration), JSON.stringify(room)]
          const marked = yield* orDie(sql.unsafe<Marked>(take, given))
          const [unreadable, jobs] = Arrays.partitionMap(
            marked.filter(({ status }) => status === "running"),
            (row) => Either.mapLeft(decodeTaken(row), () => row)
          )
          for (const { id, workspace } of unreadable)
            yield* orDie(sql`
            UPDATE jobs SET status = 'failed', error = 'The job cannot be read.', holder = NULL, leased_until = NULL
            WHERE workspace_id = ${workspace} AND id = ${id} AND holder = ${holder}`)
          return { jobs, seen: marked.length }
        }),
      renew: ({ duration, holder }, ids) =>
        orDie(sql`
          UPDATE jobs SET leased_until = statement_timestamp() + ${Duration.toSeconds(duration)} * interval '1 second'
          WHERE status = 'running' AND holder = ${holder} AND id = ANY (${ids}::uuid[])`),
      release: (holder) =>
        orDie(sql`
          UPDATE jobs SET leased_until = ${sql.literal(Table.moment)}, holder = NULL
          WHERE status = 'running' AND holder = ${holder}`),
      note: (workspace, id, holder, progress) => {
        const wait = progress.status === "running" ? Duration.toMillis(progress.wait) : null
        const rest = progress.status === "no_adapter" && progress.wait ? Duration.toMillis(progress.wait) : null
        const isDone = progress.status === "done"
        return orDie(sql`
          UPDATE jobs SET status = ${progress.status}, tries = ${progress.tries},
            error = ${"error" in progress ? (progress.error ?? null) : null}, holder = NULL,
            leased_until = ${sql.literal(Table.moment)} + ${wait}::float8 * interval '1 millisecond',
            due_at = coalesce(${sql.literal(Table.moment)} + ${rest}::float8 * interval '1 millisecond', due_at),
            updated_at = clock_timestamp()
          WHERE workspace_id = ${workspace} AND id = ${id} AND status <> 'done' AND (${isDone}
            OR status <> 'failed' AND (holder IS NULL OR holder = ${holder}))`)
      },
      wake: (workspace) =>
        orDie(sql`
          UPDATE jobs SET due_at = ${sql.literal(Table.moment)}
          WHERE workspace_id = ${workspace} AND status = 'no_adapter' AND due_at > statement_timestamp()`),
      purge: (days) =>
        orDie(sql`DELETE FROM jobs WHERE status = 'done' AND updated_at <= now() - ${days} * interval '1 day'`),
      lag: Effect.map(
        orDie(
          sql.unsafe<{ readonly seconds: number }>(`
            SELECT max(seconds)::float8 AS seconds FROM (
              (SELECT extract(epoch FROM clock_timestamp() - greatest(j.created_at, j.due_at)) AS seconds
              FROM jobs j WHERE j.status = 'queued' AND ${mayGo("'{}'::text[]")} ORDER BY seq LIMIT 1)
              UNION ALL
              (SELECT extract(epoch FROM clock_timestamp() - j.leased_until)
              FROM jobs j WHERE j.status = 'running' AND j.leased_until <= statement_timestamp()
              ORDER BY j.leased_until LIMIT 1)) x`)
        ),
        ([oldest]) => Duration.seconds(Math.max(0, oldest?.seconds ?? 0))
      ),
      added: Stream.as(notifications.on(channels.jobs), undefined)
    })
  })
)
