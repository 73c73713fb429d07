import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Schema } from "effect"
import { RunStore } from "../../../application/ports/RunStore.ts"
import { freshId } from "../../../domain/work/Fresh.ts"
import * as Key from "../../../domain/value/Key.ts"
import { Run, RunNotFound, type RunSummary, type RunView } from "../../../domain/work/Run.ts"
import { RunKey } from "../../../domain/value/RunKey.ts"
import { Story } from "../../../domain/work/Story.ts"
import * as PgWorkContext from "../context/PgWorkContext.ts"
import { one, page } from "../reads/PageReads.ts"
import * as RunRows from "../rows/RunRows.ts"
import * as Table from "../rows/Table.ts"
import { orDie } from "../connection/Transactions.ts"

const from = "runs r JOIN stories s ON s.workspace_id = r.workspace_id AND s.key = r.story"

const RunContext = Schema.Struct({
  ...PgWorkContext.WorkContext.fields,
  ...PgWorkContext.raising,
  ...PgWorkContext.merging,
  run: Run,
  story: Story
})
const decode = Schema.decodeUnknownSync(Schema.Array(RunContext))
const decodeNext = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ key: RunKey })))

const lock = `
  SELECT FROM (SELECT ${PgWorkContext.lockPending("d.status = 'pending' AND d.run_key = $2")} AS locked) n
  LEFT JOIN LATERAL (
    SELECT r.story FROM runs r WHERE r.workspace_id = $1 AND r.key = $2 AND n.locked >= 0 FOR NO KEY UPDATE) r ON true
  LEFT JOIN LATERAL (
    SELECT FROM stories s WHERE s.workspace_id = $1 AND s.key = r.story FOR NO KEY UPDATE) s ON true`

const load = `
  SELECT ${PgWorkContext.now}, ${PgWorkContext.team("r.team")}, ${PgWorkContext.story("r.story")},
    (SELECT row_to_json(o) FROM (SELECT ${RunRows.run}) o) AS run, ${PgWorkContext.pending("d.run_key = $2")},
    ${PgWorkContext.fresh("decisions", "$3")} AS "freshDecisions", ${PgWorkContext.declined("r.team")}, ${PgWorkContext.mergeHold("r.team")}
  FROM runs r WHERE r.workspace_id = $1 AND r.key = $2 AND ${Table.held("r")}`

export const view = {
  json: Table.object(RunRows.runView),
  from: `${from} WHERE r.workspace_id = q.workspace AND r.key = q.key AND ${Table.held("r")}`
}

export const layer = Layer.effect(
  RunStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const runtime = yield* Effect.runtime()
    const runs = page<RunSummary>(sql, runtime, {
      from,
      alias: "r",
      json: Table.object(RunRows.runSummary),
      filters: { story: "r.story = q.story" }
    })
    return RunStore.of({
      page: (workspace, { story, team }, request) => runs(workspace, team, { story }, request),
      get: one<RunView, RunKey, RunNotFound>(sql, runtime, view, (run) => new RunNotFound({ run })),
      change: (workspace, key, decide) =>
        Effect.flatMap(Key.drawMany("dec", 16), (drawn) =>
          PgWorkContext.change(
            workspace,
            { lock, load, parameters: [key, JSON.stringify(drawn)] },
            decode,
            () => new RunNotFound({ run: key }),
            (at) => decide({ ...at, freshJob: freshId() })
          )
        ).pipe(Effect.provideService(SqlClient.SqlClient, sql)),
      next: (workspace, team) =>
        Effect.map(
          orDie(sql`
            SELECT r.key FROM ${sql.literal(from)} JOIN teams t ON t.workspace_id = r.workspace_id AND t.slug = r.team
            WHERE r.workspace_id = ${workspace} AND r.status = 'queued' AND t.paused_at IS NULL AND t.deleted_at IS NULL
              AND ${team === null ? sql`true` : sql`r.team = ${team}`}
            ORDER BY s.class_of_service = 'expedite' DESC, r.seq LIMIT 1`),
          (rows) => decodeNext(rows)[0]?.key ?? null
        )
    })
  })
)
