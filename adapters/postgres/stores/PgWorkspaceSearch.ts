import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { type Hit, mostHits, WorkspaceSearch } from "../../../application/ports/search/WorkspaceSearch.ts"
import { orDie } from "../connection/Transactions.ts"

/** As the indexes have it: the workspace is a word of each title, in a form that no text of a person has. */
const document = (alias: string, title: string) =>
  `(array_to_tsvector(ARRAY['#' || ${alias}.workspace_id::text]) || to_tsvector('simple', ${alias}.${title}))`

const matches = (alias: string, title: string) =>
  `${document(alias, title)} @@ (quote_literal('#' || $4::text)::tsquery && to_tsquery('simple', $3))`

/** Words that enough of the newest titles have are not looked up: the index might name most rows. No more are read than needed. */
const newest = 300

/**
 * One type: by key, and by words of the title. OFFSET 0 has the index find the titles: the planner would walk the teams of
 * all workspaces instead.
 */
const part = (type: Hit["type"], order: number, table: string, state: string, given = "$2") => {
  const columns = `'${type}' AS type, ${order} AS place, o.seq, o.key, o.title, t.name AS team, o.${state} AS state`
  const held = "JOIN teams t ON t.workspace_id = o.workspace_id AND t.slug = o.team AND t.deleted_at IS NULL"
  const isCommon = `(SELECT count(*) FROM newest_${table}) > ${mostHits}`
  return {
    // The word restricts the rows to the workspace; the column has them read by an index.
    newest: `newest_${table} AS MATERIALIZED (
      SELECT * FROM (SELECT * FROM ${table} WHERE workspace_id IN ($1) ORDER BY seq DESC LIMIT ${newest}) o
      WHERE o.team <> ALL (ARRAY(SELECT slug FROM teams WHERE workspace_id IN ($1) AND deleted_at IS NOT NULL))
        AND ${matches("o", "title")}
      ORDER BY o.seq DESC LIMIT ${mostHits + 1})`,
    hits: `
  (SELECT ${columns} FROM ${table} o ${held} WHERE o.workspace_id = $1 AND o.key = ${given})
  UNION ALL
  (SELECT ${columns}
   FROM (SELECT * FROM newest_${table} WHERE ${isCommon}
     UNION ALL (SELECT * FROM ${table} o WHERE ${matches("o", "title")} AND NOT ${isCommon} OFFSET 0)) o ${held}
   WHERE o.key <> ${given} ORDER BY o.seq DESC LIMIT ${mostHits})`
  }
}

const parts = [
  part("story", 2, "stories", "column_name", "upper($2)"),
  part("decision", 3, "decisions", "status"),
  part("incident", 4, "incidents", "status")
]

const find = `
  WITH ${parts.map((one) => one.newest).join(", ")}
  SELECT type, key, title, team, state FROM (
    ${parts.map(({ hits }) => hits).join(" UNION ALL ")}
    UNION ALL
    SELECT 'run', 5, r.seq, r.key, s.title, t.name, r.status
    FROM runs r JOIN stories s ON s.workspace_id = r.workspace_id AND s.key = r.story
      JOIN teams t ON t.workspace_id = r.workspace_id AND t.slug = r.team AND t.deleted_at IS NULL
    WHERE r.workspace_id = $1 AND r.key = $2
    UNION ALL
    SELECT 'team', 1, 0, o.slug, o.name, o.name, ''
    FROM teams o WHERE o.workspace_id = $1 AND o.deleted_at IS NULL AND (o.slug = $2 OR ${matches("o", "name")})
  ) found ORDER BY place, seq DESC, key`

export const layer = Layer.effect(
  WorkspaceSearch,
  Effect.map(SqlClient.SqlClient, (sql) =>
    WorkspaceSearch.of({
      find: (workspace, { key, words }) =>
        orDie(
          sql.unsafe<Hit>(find, [
            workspace,
            key,
            // No title has the word of this workspace twice, so that no words find nothing.
            words.length === 0 ? "nothing & !nothing" : words.map((word) => `'${word}':*`).join(" & "),
            workspace
          ])
        )
    })
  )
)
