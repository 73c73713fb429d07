import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** The status of an issue on the board of its project. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe("ALTER TABLE tracker_issues ADD COLUMN status text, ADD COLUMN status_since timestamptz(3)")
)
