import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Time of the first successful mail or post about an incident. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe("ALTER TABLE incidents ADD COLUMN reached_at timestamptz(3)")
)
