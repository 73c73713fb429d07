import * as SqlClient from "@effect/sql/SqlClient"
import { type DateTime, Effect, type Either, Layer, Schema, Stream } from "effect"
import { type HeldRun, type RunRef, RunStore } from "../../../application/ports/RunStore.ts"
import * as Json from "../../../application/ports/Json.ts"
import { Renewal } from "../../../application/runner/LeaseGrant.ts"
import type { Decided } from "../../../domain/Change.ts"
import { Job } from "../../../domain/work/Job.ts"
import { leaseSeconds, returnSeconds } from "../../../domain/work/Lease.ts"
import type { RunContext as Context } from "../../../domain/work/RunContext.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { freshId } from "../../../domain/work/Fresh.ts"
import * as Key from "../../../domain/value/Key.ts"
import {
  longestRunHistory,
  Run,
  type RunHistory,
  RunNotFound,
  type RunSummary,
  type RunView
} from "../../../domain/work/Run.ts"
import { RunKey } from "../../../domain/value/RunKey.ts"
import { Story } from "../../../domain/work/Story.ts"
import * as PgWorkContext from "../context/PgWorkContext.ts"
import { one, page } from "../reads/PageReads.ts"
import * as JobRows from "../rows/JobRows.ts"
import * as RunRows from "../rows/RunRows.ts"
import { channels, Notifications } from "../connection/Notifications.ts"
import * as Table from "../rows/Table.ts"
import { orDie } from "../connection/Transactions.ts"

const from = "runs r JOIN stories s ON s.workspace_id = r.workspace_id AND s.key = r.story"

const RunContext = Schema.Struct({
  ...PgWorkContext.WorkContext.fields,
  ...PgWorkContext.raising,
  ...PgWorkContext.merging,
  run: Run,
  story: Story,
  undelivered: Schema.Array(Job),
  isActive: Schema.Boolean
})
const decode = Schema.decodeUnknownSync(Schema.Array(RunContext))
const decodeNext = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ key: RunKey })))

const lock = `
  SELECT FROM (SELECT ${PgWorkContext.lockPending("d.status = 'pending' AND d.run_key = $2")} AS locked) n
  LEFT JOIN LATERAL (
    SELECT r.story FROM runs r WHERE r.workspace_id = $1 AND r.key = $2 AND n.locked >= 0 FOR NO KEY UPDATE) r ON true
  LEFT JOIN LATERAL (
    SELECT FROM stories s WHERE s.workspace_id = $1 AND s.key = r.story FOR NO KEY UPDATE) s ON true`

/** A runner that may take runs: neither removed nor draining nor without its token. */
const active = (id: string) => `
  SELECT FROM runners u JOIN api_tokens k ON k.workspace_id = u.workspace_id AND k.id = u.token
  WHERE u.workspace_id = $1 AND u.id = ${id} AND u.removed_at IS NULL AND u.offline_at IS NULL
    AND u.draining_at IS NULL AND k.revoked_at IS NULL`

const load = `
  SELECT ${PgWorkContext.now}, ${PgWorkContext.team("r.team")}, ${PgWorkContext.story("r.story")},
    (SELECT row_to_json(o) FROM (SELECT ${RunRows.run}) o) AS run, ${PgWorkContext.pending("d.run_key = $2")},
    ${PgWorkContext.fresh("decisions", "$3")} AS "freshDecisions", ${PgWorkContext.declined("r.team")}, ${PgWorkContext.mergeHold("r.team")},
    ${Table.array(
      JobRows.job,
      `jobs j WHERE j.workspace_id = $1 AND j.run_key = $2 AND j.kind = 'tell_agent'
         AND j.status IN ('queued', 'no_adapter') ORDER BY j.seq`
    )} AS undelivered,
    $4::uuid IS NULL OR EXISTS (${active("$4::uuid")}) AS "isActive"
  FROM runs r WHERE r.workspace_id = $1 AND r.key = $2 AND ${Table.held("r")}`

export const view = {
  json: Table.object(RunRows.runView),
  from: `${from} WHERE r.workspace_id = q.workspace AND r.key = q.key AND ${Table.held("r")}`
}

/** $1 workspace, $2 run. */
const history = `
  SELECT ${Table.array(
    `${Table.at('h."timestamp"', "at")}, h.after->>'status' AS status, h.after->>'stage' AS stage,
      (h.after->>'attempts')::int AS attempt`,
    `(SELECT e.seq, e."timestamp", e.details->'after' AS after FROM audit_entries e
      WHERE e.workspace_id = $1 AND e.run_key = $2 AND e.event = 'run_state_changed'
        AND coalesce(e.details->'after'->>'status', e.details->'after'->>'stage', e.details->'after'->>'attempts') IS NOT NULL
      ORDER BY e.seq DESC LIMIT ${longestRunHistory}) h ORDER BY h.seq`
  )}::text AS json`

/** Running and held by nobody, though its agent has not handed it off. */
const unheld = "r.status = 'running' AND r.lease IS NULL AND r.stage NOT IN ('handing_off', 'done')"

/** $1 workspace, $2 teams, $3 runner, $4 its executors. */
const next = `
  SELECT r.key FROM ${from} JOIN teams t ON t.workspace_id = r.workspace_id AND t.slug = r.team
  WHERE r.workspace_id = $1 AND r.status IN ('queued', 'running') AND t.paused_at IS NULL AND t.deleted_at IS NULL
    AND (cardinality($2::text[]) = 0 OR r.team = ANY ($2::text[]))
    AND (r.status = 'queued' OR ${unheld} AND ($3::uuid IS NULL OR r.last_lease->>'runner' IS NULL
      OR (r.last_lease->>'runner')::uuid = $3::uuid OR r.resumed_at IS NULL
      OR r.resumed_at <= statement_timestamp() - interval '${returnSeconds} seconds'))
    AND ($3::uuid IS NULL OR r.executor = ANY ($4::text[]) AND cardinality(t.repositories) > 0
      AND NOT EXISTS (SELECT FROM jobs j WHERE j.workspace_id = $1 AND j.run_key = r.key AND j.kind = 'restore_spec'
        AND j.status IN ('queued', 'running')))
  ORDER BY s.class_of_service = 'expedite' DESC, r.seq LIMIT 1`

/** $1 workspace, $2 lease, $3 fence, $4 token, $5 number of the inputs the runner has. */
const renew = `
  WITH renewed AS (
    UPDATE runs r SET leased_until = statement_timestamp() + interval '${leaseSeconds} seconds'
    WHERE r.workspace_id = $1 AND r.last_lease_id = $2 AND r.fence = $3 AND r.lease_token = $4
      AND r.leased_until > statement_timestamp()
    RETURNING r.key, r.leased_until, r.inputs, r.lease_runner
  )
  SELECT r.lease_runner AS runner, iso8601(r.leased_until) AS "expiresAt",
    CASE WHEN EXISTS (SELECT FROM runners u WHERE u.workspace_id = $1 AND u.id = r.lease_runner
      AND u.draining_at IS NOT NULL) THEN 'drain' ELSE 'continue' END AS action,
    (SELECT coalesce(json_agg(i.value ORDER BY i.n), '[]')
      FROM json_array_elements(r.inputs) WITH ORDINALITY i(value, n) WHERE i.n > $5) AS inputs,
    ${Table.array("d.key, d.kind, d.status", "decisions d WHERE d.workspace_id = $1 AND d.run_key = r.key ORDER BY d.seq")} AS decisions
  FROM renewed r`

const heard = `
  UPDATE runners u SET last_seen_at = greatest(u.last_seen_at, statement_timestamp())
  WHERE u.workspace_id = $1 AND u.id = $2`

const decodeRenewals = Schema.decodeUnknownSync(Schema.Array(Renewal))

export const layer = Layer.effect(
  RunStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const notifications = yield* Notifications
    const runtime = yield* Effect.runtime()
    const runs = page<RunSummary>(sql, runtime, {
      from,
      alias: "r",
      json: Table.object(RunRows.runSummary),
      filters: { story: "r.story = q.story" }
    })
    const change = <A, E, F>(
      workspace: WorkspaceId,
      key: RunKey,
      runner: string | null,
      decide: (at: Context, isActive: boolean) => Either.Either<Decided<A, F>, E>
    ): Effect.Effect<A, E | F | RunNotFound> =>
      Effect.flatMap(Key.drawMany("dec", 16), (drawn) =>
        PgWorkContext.change<typeof RunContext.Type & { readonly now: DateTime.Utc }, A, E, F, RunNotFound>(
          workspace,
          {
            ...(runner !== null && {
              // Locked in this order, as by all that end tokens.
              before: [`${active("$2")} FOR SHARE OF k, u`, workspace, runner] as const
            }),
            lock,
            load,
            parameters: [key, JSON.stringify(drawn), runner]
          },
          decode,
          () => new RunNotFound({ run: key }),
          ({ isActive, ...at }) => decide({ ...at, freshJob: freshId() }, isActive)
        )
      ).pipe(Effect.provideService(SqlClient.SqlClient, sql))
    return RunStore.of({
      page: (workspace, { story, team }, request) => runs(workspace, team, { story }, request),
      get: one<RunView, RunKey, RunNotFound>(sql, runtime, view, (run) => new RunNotFound({ run })),
      history: (workspace, key) =>
        Effect.map(orDie(sql.unsafe<{ readonly json: string }>(history, [workspace, key])), ([row]) =>
          Json.trust<RunHistory>(row?.json ?? "[]")
        ),
      change: (workspace, key, decide) => change(workspace, key, null, decide),
      changeAs: change,
      next: (workspace, { runner, teams }) =>
        Effect.map(
          orDie(sql.unsafe(next, [workspace, teams, runner?.id ?? null, runner?.executors ?? []])),
          (rows) => decodeNext(rows)[0]?.key ?? null
        ),
      ofLease: (workspace, lease) =>
        Effect.map(
          orDie(sql`SELECT r.key FROM runs r WHERE r.workspace_id = ${workspace} AND r.last_lease_id = ${lease}`),
          (rows) => decodeNext(rows)[0]?.key ?? null
        ),
      renew: (workspace, { fence, lease, token }, lastInput) =>
        Effect.gen(function* () {
          const parameters = [workspace, lease, fence, token, lastInput]
          const rows = yield* sql.unsafe<{ readonly runner: string | null }>(renew, parameters)
          // Apart from the run, since others lock a runner before its runs.
          for (const { runner } of rows) yield* sql.unsafe(heard, [workspace, runner])
          return decodeRenewals(rows)[0] ?? null
        }).pipe(orDie),
      lapsed: (limit) =>
        orDie(sql<RunRef>`
          SELECT r.workspace_id AS workspace, r.key AS run FROM runs r
          WHERE r.lease IS NOT NULL AND r.leased_until <= statement_timestamp() ORDER BY r.leased_until LIMIT ${limit}`),
      ofCredential: (hash) =>
        Effect.map(
          orDie(sql<HeldRun>`
            SELECT r.workspace_id AS workspace, r.key AS run, r.story, r.attempts AS attempt, r.last_lease_id AS lease,
              r.fence, r.lease_token AS token
            FROM runs r
            WHERE r.lease_credential = ${hash} AND r.leased_until > statement_timestamp()`),
          ([found]) => found ?? null
        ),
      leasable: Stream.map(notifications.on(channels.runs), (id) => (id === "" ? null : (id as WorkspaceId)))
    })
  })
)
