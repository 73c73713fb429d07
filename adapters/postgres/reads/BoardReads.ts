import type * as SqlClient from "@effect/sql/SqlClient"
import { Effect, type Runtime } from "effect"
import * as Json from "../../../application/ports/Json.ts"
import type { Board, BoardStory, StoryStore } from "../../../application/ports/StoryStore.ts"
import { ColumnRole } from "../../../domain/work/Story.ts"
import { TeamNotFound } from "../../../domain/workspace/Team.ts"
import { orDie } from "../connection/Transactions.ts"
import { storySummary } from "../rows/StoryRows.ts"
import * as Table from "../rows/Table.ts"
import { page } from "./PageReads.ts"

/** Costs of a team in the current day or month; $1 workspace, $2 team. */
export const spentSince = (unit: "day" | "month") => `
  (SELECT coalesce(sum(a.cost_cents), 0)::float8 FROM attempts a
    JOIN runs r ON r.workspace_id = a.workspace_id AND r.key = a.run_key
    WHERE a.workspace_id = $1 AND r.team = $2
      AND a.started_at >= date_trunc('${unit}', statement_timestamp() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')`

const boardStory = `
  ${storySummary},
  (SELECT row_to_json(v) FROM (
    SELECT r.key, r.status, r.stage, r.pull_request AS "pullRequest" FROM runs r
    WHERE r.workspace_id = s.workspace_id AND r.story = s.key ORDER BY r.seq DESC LIMIT 1) v) AS run,
  (SELECT row_to_json(v) FROM (
    SELECT d.key, d.authority FROM decisions d
    WHERE d.workspace_id = s.workspace_id AND d.story = s.key AND d.status = 'pending' ORDER BY d.seq LIMIT 1) v) AS pending`

/**
 * Where one column has nearly all stories, the planner expects to find those of any other soon and walks through all; the
 * second condition makes it use the index that begins with the column.
 */
const ofColumn = (role: string) => `s.column_role = ${role} AND s.column_role >= ${role}`

const inColumn = `
  stories s WHERE s.workspace_id = $1 AND s.team = $2 AND ${ofColumn("c.role")} AND s.rejected_at IS NULL`

const columns = Table.array(
  `c.role, (SELECT count(*)::int FROM ${inColumn}) AS count,
    ${Table.array(boardStory, `${inColumn} ORDER BY s.seq DESC LIMIT $3`)} AS stories`,
  `unnest(ARRAY[${ColumnRole.literals.map((role) => `'${role}'`).join(", ")}]) WITH ORDINALITY c(role, n) ORDER BY c.n`
)

/** $1 workspace, $2 team, $3 stories of a column. */
const board = `
  SELECT ${Table.object(`
    (SELECT count(*)::int FROM runs r WHERE r.workspace_id = $1 AND r.team = $2
      AND r.status IN ('queued', 'running', 'waiting')) AS "unfinishedRuns",
    ${spentSince("day")} AS "spentTodayCents", ${columns} AS columns`)} AS json
  FROM teams t WHERE t.workspace_id = $1 AND t.slug = $2 AND t.deleted_at IS NULL`

/** Boards, which only people see. */
export const make = (
  sql: SqlClient.SqlClient,
  runtime: Runtime.Runtime<never>
): Pick<typeof StoryStore.Service, "board" | "column"> => {
  const inOrder = page<BoardStory>(sql, runtime, {
    from: "stories s",
    alias: "s",
    json: Table.object(boardStory),
    always: "s.rejected_at IS NULL",
    filters: { column: ofColumn("q.column") }
  })
  return {
    board: (workspace, team, most) =>
      Effect.flatMap(orDie(sql.unsafe<{ readonly json: string }>(board, [workspace, team, most])), ([row]) =>
        row === undefined ? new TeamNotFound({ team }) : Effect.succeed(Json.trust<Board>(row.json))
      ),
    column: (workspace, { column, team }, request) => inOrder(workspace, team, { column }, request)
  }
}
