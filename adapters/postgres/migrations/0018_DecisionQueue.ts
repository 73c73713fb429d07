import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** The steps of a resolution, answers to requests of the app, and pending decisions by deadline. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    ALTER TABLE decisions ADD COLUMN effects json;
    ALTER TABLE kept_answers DROP CONSTRAINT kept_answers_workspace_id_token_id_fkey;
    CREATE INDEX decisions_queue
      ON decisions (workspace_id, team, authority, (coalesce(expires_at, 'infinity'::timestamptz)), seq)
      WHERE status = 'pending';
  `)
)
