import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

const document = (title: string) =>
  `(array_to_tsvector(ARRAY['#' || workspace_id::text]) || to_tsvector('simple', ${title}))`

/** Indexes of the alerts that a source sent within hours, and of words in titles; each title has its workspace as a word. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE INDEX deliveries_by_time ON deliveries (workspace_id, source_id, received_at);
    CREATE INDEX stories_search ON stories USING gin (${document("title")});
    CREATE INDEX decisions_search ON decisions USING gin (${document("title")});
    CREATE INDEX incidents_search ON incidents USING gin (${document("title")});
  `)
)
