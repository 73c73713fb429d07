import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Index of the alerts that a source sent within hours. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE INDEX deliveries_by_time ON deliveries (workspace_id, source_id, received_at);
  `)
)
