import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** A person drains a runner; that wakes the request in which it waits. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    ALTER TABLE runners ADD COLUMN draining_at timestamptz;
    CREATE TRIGGER runners_draining AFTER UPDATE ON runners FOR EACH ROW
      WHEN (OLD.draining_at IS NULL AND NEW.draining_at IS NOT NULL) EXECUTE FUNCTION notify_of_runners();
  `)
)
