import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Times of the last calls over a connection that created content, oldest first. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe("ALTER TABLE connections ADD COLUMN writes timestamptz[] NOT NULL DEFAULT '{}'")
)
