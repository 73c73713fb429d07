import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Schema } from "effect"
import { mostLogBytes, RunnerStore, RunnerView } from "../../../application/ports/runner/RunnerStore.ts"
import { Runner, silentSeconds } from "../../../domain/runner/Runner.ts"
import type { RunnerId } from "../../../domain/work/Lease.ts"
import { Run } from "../../../domain/work/Run.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { conclude } from "../rows/Commit.ts"
import * as RunnerRows from "../rows/RunnerRows.ts"
import * as RunRows from "../rows/RunRows.ts"
import * as Table from "../rows/Table.ts"
import { orDie, transaction } from "../connection/Transactions.ts"

const Context = Schema.Struct({
  now: Timestamp,
  runner: Schema.NullOr(Runner),
  held: Schema.Array(Run),
  registered: Schema.Int,
  idle: Schema.NullOr(Runner)
})
const decodeContext = Schema.decodeUnknownSync(Schema.Tuple(Context))
const decodeViews = Schema.decodeUnknownSync(Schema.Array(RunnerView))
const decodeRunners = Schema.decodeUnknownSync(Schema.Array(Runner))

/** $1 workspace, $2 id, $3 token, $4 name. */
const which = "u.workspace_id = $1 AND (u.id = $2 OR u.token = $3 AND u.name = $4)"

/** Registrations of a workspace take turns, so that none goes past the most there may be. */
const registration = "SELECT pg_advisory_xact_lock(hashtextextended('runners of ' || $1::uuid, 0))"

const lock = `SELECT u.id FROM runners u WHERE ${which} FOR NO KEY UPDATE`

const lockHeld = `
  SELECT FROM runs r WHERE r.workspace_id = $1 AND r.lease_runner = $2 ORDER BY r.seq FOR NO KEY UPDATE`

/** $1 workspace, $2 runner. */
const context = `
  SELECT iso8601(clock_timestamp()) AS now,
    (SELECT row_to_json(o) FROM (SELECT ${RunnerRows.runner} FROM runners u
      WHERE u.workspace_id = $1 AND u.id = $2) o) AS runner,
    ${Table.array(RunRows.run, "runs r WHERE r.workspace_id = $1 AND r.lease_runner = $2 ORDER BY r.seq")} AS held,
    (SELECT count(*)::int FROM runners u WHERE u.workspace_id = $1 AND u.removed_at IS NULL) AS registered,
    (SELECT row_to_json(o) FROM (SELECT ${RunnerRows.runner} FROM runners u
      WHERE u.workspace_id = $1 AND u.removed_at IS NULL AND u.offline_at IS NOT NULL AND NOT EXISTS (
        SELECT FROM runs r WHERE r.workspace_id = $1 AND r.lease_runner = u.id)
      ORDER BY u.offline_at, u.id LIMIT 1) o) AS idle`

const views = `
  SELECT ${RunnerRows.runner},
    ${Table.array(
      "r.key, r.story, r.stage",
      "runs r WHERE r.workspace_id = u.workspace_id AND r.lease_runner = u.id ORDER BY r.seq"
    )} AS runs
  FROM runners u WHERE u.workspace_id = $1 AND u.removed_at IS NULL ORDER BY u.name COLLATE "C", u.registered_at, u.id`

/** Parts are appended one after the other, since each begins where the one before it ends. */
const turn = "SELECT pg_advisory_xact_lock(hashtextextended('log of ' || $1::uuid || ' ' || $2::text, 0))"

/** $1 workspace, $2 run, $3 attempt, $4 lease, $5 number, $6 text. */
const append = `
  INSERT INTO run_logs (workspace_id, run_key, attempt, lease, seq, until, text)
  SELECT $1, $2, $3, $4, $5, octet_length($6) + coalesce((SELECT max(l.until) FROM run_logs l
    WHERE l.workspace_id = $1 AND l.run_key = $2 AND l.attempt = $3), 0), $6
  ON CONFLICT DO NOTHING`

const trim = `
  DELETE FROM run_logs l WHERE l.workspace_id = $1 AND l.run_key = $2 AND l.attempt = $3 AND l.until <= (
    SELECT max(m.until) - ${mostLogBytes} FROM run_logs m
    WHERE m.workspace_id = $1 AND m.run_key = $2 AND m.attempt = $3)`

export const layer = Layer.effect(
  RunnerStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    RunnerStore.of({
      change: (workspace, of, decide) =>
        Effect.gen(function* () {
          const given = "id" in of ? [of.id, null, null] : [null, of.token, of.name]
          if ("name" in of) yield* sql.unsafe(registration, [workspace])
          const [found] = yield* sql.unsafe<{ readonly id: RunnerId }>(lock, [workspace, ...given])
          const id = found?.id ?? null
          yield* sql.unsafe(lockHeld, [workspace, id])
          const [at] = decodeContext(yield* sql.unsafe(context, [workspace, id]))
          const { answer, change } = yield* decide(at)
          yield* conclude(workspace, at.now, change)
          return answer
        }).pipe(transaction, Effect.flatten, Effect.provideService(SqlClient.SqlClient, sql)),
      list: (workspace) => Effect.map(orDie(sql.unsafe(views, [workspace])), decodeViews),
      heard: (workspace, id, token) =>
        Effect.map(
          orDie(sql`
            UPDATE runners u SET last_seen_at = greatest(u.last_seen_at, statement_timestamp())
            WHERE u.workspace_id = ${workspace} AND u.id = ${id} AND u.token = ${token}
              AND u.removed_at IS NULL AND u.offline_at IS NULL
            RETURNING ${sql.literal(RunnerRows.runner)}`),
          (rows) => decodeRunners(rows)[0] ?? null
        ),
      online: (workspace, id) =>
        Effect.map(
          orDie(sql`
            SELECT ${sql.literal(RunnerRows.runner)} FROM runners u
            WHERE u.workspace_id = ${workspace} AND u.id = ${id} AND u.removed_at IS NULL AND u.offline_at IS NULL`),
          (rows) => decodeRunners(rows)[0] ?? null
        ),
      purge: (days) =>
        Effect.asVoid(
          orDie(sql`
            DELETE FROM runners u WHERE u.removed_at < statement_timestamp() - make_interval(days => ${days})
              AND NOT EXISTS (SELECT FROM runs r WHERE r.workspace_id = u.workspace_id AND r.lease_runner = u.id)`)
        ),
      silent: orDie(
        sql.unsafe<{ readonly workspace: WorkspaceId; readonly id: RunnerId }>(`
          SELECT u.workspace_id AS workspace, u.id FROM runners u
          WHERE u.offline_at IS NULL AND u.last_seen_at < statement_timestamp() - interval '${silentSeconds} seconds'
          ORDER BY u.last_seen_at LIMIT 100`)
      ),
      appendLog: (workspace, { attempt, lease, run, seq, text }) =>
        Effect.gen(function* () {
          yield* sql.unsafe(turn, [workspace, run])
          yield* sql.unsafe(append, [workspace, run, attempt, lease, seq, text])
          yield* sql.unsafe(trim, [workspace, run, attempt])
        }).pipe(transaction, Effect.provideService(SqlClient.SqlClient, sql)),
      log: (workspace, { after, attempt, most = mostLogBytes, run }) =>
        Effect.map(
          orDie(sql<{ readonly text: string; readonly until: string }>`
            SELECT l.text, l.until::text AS until FROM run_logs l
            WHERE l.workspace_id = ${workspace} AND l.run_key = ${run} AND l.attempt = ${attempt} AND l.until > ${after}
              AND l.until > (SELECT max(m.until) - ${most} FROM run_logs m
                WHERE m.workspace_id = ${workspace} AND m.run_key = ${run} AND m.attempt = ${attempt})
            ORDER BY l.until`),
          (rows) => ({ text: rows.map(({ text }) => text).join(""), next: Number(rows.at(-1)?.until ?? after) })
        )
    })
  )
)
