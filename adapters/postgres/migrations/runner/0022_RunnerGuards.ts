import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** The plan of an attempt is kept for the next runner; a runner that goes offline wakes the request in which it waits. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    ALTER TABLE runs ADD COLUMN plan text;
    CREATE INDEX runners_registered ON runners (workspace_id, offline_at) WHERE removed_at IS NULL;
    CREATE INDEX runners_removed ON runners (removed_at) WHERE removed_at IS NOT NULL;

    CREATE FUNCTION notify_of_runners() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('gatehouse_runs', '');
      RETURN NULL;
    END $$;
    CREATE TRIGGER runners_offline AFTER UPDATE ON runners FOR EACH ROW
      WHEN (OLD.offline_at IS NULL AND NEW.offline_at IS NOT NULL) EXECUTE FUNCTION notify_of_runners();
  `)
)
