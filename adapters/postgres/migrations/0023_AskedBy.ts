import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** The token that raised a decision cannot answer it as an agent. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe("ALTER TABLE decisions ADD COLUMN asked_by uuid")
)
