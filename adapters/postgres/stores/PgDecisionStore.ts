import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Schema } from "effect"
import { DecisionStore } from "../../../application/ports/DecisionStore.ts"
import { Decision, DecisionKey, DecisionNotFound, type DecisionView, proposals } from "../../../domain/work/Decision.ts"
import { fresh } from "../../../domain/work/Fresh.ts"
import * as Key from "../../../domain/value/Key.ts"
import { IdempotencyRecord, keptForHours } from "../../../domain/workspace/IdempotencyRecord.ts"
import { RunKey } from "../../../domain/value/RunKey.ts"
import { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import * as PgWorkContext from "../context/PgWorkContext.ts"
import * as DecisionQueue from "../reads/DecisionQueue.ts"
import { one, page } from "../reads/PageReads.ts"
import * as DecisionRows from "../rows/DecisionRows.ts"
import * as Table from "../rows/Table.ts"
import { orDie } from "../connection/Transactions.ts"

const AnswerContext = Schema.Struct({
  ...PgWorkContext.WorkContext.fields,
  ...PgWorkContext.merging,
  decision: Decision,
  kept: Schema.NullOr(IdempotencyRecord),
  storyNumber: Schema.Int,
  freshRuns: Schema.NonEmptyArray(RunKey)
})
const decode = Schema.decodeUnknownSync(Schema.Array(AnswerContext))
const decodeDue = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ workspace: WorkspaceId, key: DecisionKey })))

const about = `(SELECT x.run_key FROM decisions x WHERE x.workspace_id = $1 AND x.key = $2)`

/** A resolution that may number a story takes turns with all other writers of stories. */
const lockNumbers = `
  (SELECT count(*) AS locked FROM (
    SELECT FROM workspaces w WHERE w.id = $1 AND EXISTS (
      SELECT FROM decisions x WHERE x.workspace_id = $1 AND x.key = $2
        AND x.kind IN (${proposals.map((kind) => `'${kind}'`).join(", ")})) FOR NO KEY UPDATE) l)`

const lock = `
  SELECT FROM ${lockNumbers} w
  JOIN LATERAL (SELECT ${PgWorkContext.lockPending(
    `(d.key = $2 OR (d.status = 'pending' AND d.run_key = ${about})) AND w.locked >= 0`
  )} AS locked) n ON true
  JOIN decisions d ON d.workspace_id = $1 AND d.key = $2
  LEFT JOIN LATERAL (
    SELECT FROM runs r WHERE r.workspace_id = $1 AND r.key = d.run_key AND n.locked > 0 FOR NO KEY UPDATE) r ON true
  LEFT JOIN LATERAL (
    SELECT FROM stories s WHERE s.workspace_id = $1 AND s.key = d.story AND n.locked > 0 FOR NO KEY UPDATE) s ON true`

const kept = `
  (SELECT row_to_json(o) FROM (
    SELECT k.token_id AS token, k.key, k.request, k.answer, iso8601(k.created_at) AS "createdAt"
    FROM kept_answers k WHERE k.workspace_id = $1 AND k.token_id = nullif($3, '')::uuid AND k.key = $4
      AND k.created_at > clock_timestamp() - interval '${keptForHours} hours') o) AS kept`

/** Reads the decision once, not among the pending ones. */
const load = `
  SELECT ${PgWorkContext.now}, ${PgWorkContext.team("d.team")}, ${PgWorkContext.story("d.story")}, ${PgWorkContext.run("d.run_key")},
    (SELECT row_to_json(o) FROM (SELECT ${DecisionRows.decision}) o) AS decision,
    ${PgWorkContext.pending("d.key <> $2 AND d.run_key = (SELECT x.run_key FROM decisions x WHERE x.workspace_id = $1 AND x.key = $2)")},
    ${kept}, ${PgWorkContext.mergeHold("d.team")},
    (SELECT coalesce(max(s.number), 0) + 1 FROM stories s WHERE s.workspace_id = $1 AND s.team = d.team)
      AS "storyNumber",
    CASE WHEN d.kind = 'maintenance_proposal' THEN ${PgWorkContext.fresh("runs", "$5")}
      ELSE ARRAY[$5::json->>0] END AS "freshRuns"
  FROM decisions d WHERE d.workspace_id = $1 AND d.key = $2 AND ${Table.held("d")}`

const withFresh = ({ freshRuns, storyNumber, ...at }: typeof AnswerContext.Type) => ({
  ...at,
  fresh: fresh(at.team, storyNumber, freshRuns[0])
})

/** Requests with one idempotency key take turns: the second finds the first one's answer. */
const takeTurns = "SELECT pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0))"

export const list = {
  from: "decisions d",
  alias: "d",
  json: Table.object(DecisionRows.decisionView),
  filters: { status: "d.status = q.status", run: "d.run_key = q.run", story: "d.story = q.story" }
}

export const layer = Layer.effect(
  DecisionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const runtime = yield* Effect.runtime()
    const decisions = page<DecisionView>(sql, runtime, list)
    return DecisionStore.of({
      page: (workspace, { run, status, story = null, team }, request) =>
        decisions(workspace, team, { status, run, story }, request),
      get: one<DecisionView, DecisionKey, DecisionNotFound>(
        sql,
        runtime,
        {
          json: list.json,
          from: `decisions d WHERE d.workspace_id = q.workspace AND d.key = q.key AND ${Table.held("d")}`
        },
        (decision) => new DecisionNotFound({ decision })
      ),
      ...DecisionQueue.make(sql),
      context: (workspace, key) =>
        Effect.gen(function* () {
          const drawn = yield* Key.drawMany("run", 8)
          const [at] = decode(yield* orDie(sql.unsafe(load, [workspace, key, "", "", JSON.stringify(drawn)])))
          return at === undefined ? yield* new DecisionNotFound({ decision: key }) : withFresh(at)
        }),
      change: (workspace, key, idempotency, decide) =>
        Effect.flatMap(Key.drawMany("run", 8), (drawn) =>
          PgWorkContext.change(
            workspace,
            {
              lock,
              load,
              parameters: [key, idempotency?.token ?? "", idempotency?.key ?? "", JSON.stringify(drawn)],
              ...(idempotency && { before: [takeTurns, idempotency.token, idempotency.key] as const })
            },
            decode,
            () => new DecisionNotFound({ decision: key }),
            (at) => decide(withFresh(at))
          )
        ).pipe(Effect.provideService(SqlClient.SqlClient, sql)),
      due: (limit) =>
        Effect.map(
          orDie(sql`
            SELECT d.workspace_id AS workspace, d.key FROM decisions d
            WHERE d.status = 'pending' AND d.expires_at <= date_trunc('milliseconds', statement_timestamp())
              AND ${sql.literal(Table.held("d"))}
            ORDER BY d.expires_at, d.seq LIMIT ${limit}`),
          decodeDue
        ),
      purgeKept: Effect.asVoid(
        orDie(
          sql`DELETE FROM kept_answers
            WHERE created_at <= statement_timestamp() - ${`${keptForHours} hours`}::interval`
        )
      )
    })
  })
)
