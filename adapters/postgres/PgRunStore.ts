import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { RunStore } from "../../application/ports/RunStore.ts"
import { RunNotFound, type RunSummary, type RunView } from "../../domain/Run.ts"
import { one, page } from "./Pages.ts"
import * as Records from "./Records.ts"

const from = "runs r JOIN stories s ON s.workspace_id = r.workspace_id AND s.key = r.story"

export const layer = Layer.effect(
  RunStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const runs = page<RunSummary>(sql, { from, alias: "r", json: Records.object(Records.runSummary) })
    const view = sql.literal(Records.object(Records.runView))
    return RunStore.of({
      page: (workspace, { story, team }, request) =>
        runs(workspace, team, story === null ? [] : [sql`r.story = ${story}`], request),
      get: (workspace, key) =>
        one<RunView, RunNotFound>(
          sql`SELECT ${view} AS json FROM ${sql.literal(from)} WHERE r.workspace_id = ${workspace} AND r.key = ${key}`,
          () => new RunNotFound({ run: key })
        )
    })
  })
)
