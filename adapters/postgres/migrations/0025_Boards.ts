import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Stories by column, and followers of a log. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE INDEX stories_of_column ON stories (workspace_id, team, column_role, seq) WHERE rejected_at IS NULL;
    CREATE TRIGGER run_logs_notify AFTER INSERT ON run_logs
      FOR EACH ROW EXECUTE FUNCTION notify_followers('log', 'run_key');
  `)
)
