import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** When the first mail or post about an incident got through. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe("ALTER TABLE incidents ADD COLUMN reached_at timestamptz(3)")
)
