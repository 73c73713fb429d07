import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** A run that waits for a runner wakes the requests of its workspace alone. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE OR REPLACE FUNCTION notify_of_runs() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('gatehouse_runs', workspace_id::text)
        FROM (SELECT DISTINCT workspace_id FROM written
              WHERE status = 'queued' OR status = 'running' AND lease IS NULL) AS leasable;
      RETURN NULL;
    END $$;
    CREATE OR REPLACE FUNCTION notify_of_runners() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('gatehouse_runs', NEW.workspace_id::text);
      RETURN NULL;
    END $$;
  `)
)
