import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { type Hit, mostHits, WorkspaceSearch } from "../../../application/ports/search/WorkspaceSearch.ts"
import { orDie } from "../connection/Transactions.ts"

/** As the indexes have it: the workspace is a word of each title, in a form that no text of a person has. */
const document = (alias: string, title: string) =>
  `(array_to_tsvector(ARRAY['#' || ${alias}.workspace_id::text]) || to_tsvector('simple', ${alias}.${title}))`

const matches = (alias: string, title: string) =>
  `${document(alias, title)} @@ (quote_literal('#' || $4::text)::tsquery && to_tsquery('simple', $3))`

/** One type: by key, and by words of the title. */
const part = (type: Hit["type"], order: number, table: string, state: string, given = "$2") => `
  (SELECT '${type}' AS type, ${order} AS place, o.seq, o.key, o.title, o.team, o.${state} AS state
   FROM ${table} o JOIN teams t ON t.workspace_id = o.workspace_id AND t.slug = o.team AND t.deleted_at IS NULL
   WHERE o.workspace_id = $1 AND o.key = ${given})
  UNION ALL
  (SELECT '${type}', ${order}, o.seq, o.key, o.title, o.team, o.${state}
   FROM ${table} o JOIN teams t ON t.workspace_id = o.workspace_id AND t.slug = o.team AND t.deleted_at IS NULL
   WHERE ${matches("o", "title")} AND o.key <> ${given} ORDER BY o.seq DESC LIMIT ${mostHits})`

const find = `
  SELECT type, key, title, team, state FROM (
    ${part("story", 2, "stories", "column_name", "upper($2)")}
    UNION ALL ${part("decision", 3, "decisions", "status")}
    UNION ALL ${part("incident", 4, "incidents", "status")}
    UNION ALL
    SELECT 'run', 5, r.seq, r.key, s.title, r.team, r.status
    FROM runs r JOIN stories s ON s.workspace_id = r.workspace_id AND s.key = r.story
      JOIN teams t ON t.workspace_id = r.workspace_id AND t.slug = r.team AND t.deleted_at IS NULL
    WHERE r.workspace_id = $1 AND r.key = $2
    UNION ALL
    SELECT 'team', 1, 0, o.slug, o.name, o.slug, ''
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
