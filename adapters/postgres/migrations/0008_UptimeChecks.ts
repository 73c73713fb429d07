import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Sources that check an address themselves, and the state of their checks. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    ALTER TABLE signal_sources ADD COLUMN check_settings json;
    CREATE INDEX signal_sources_checked ON signal_sources (workspace_id, id)
      WHERE check_settings IS NOT NULL AND paused_at IS NULL AND deleted_at IS NULL;

    CREATE TABLE uptime_states (
      workspace_id uuid NOT NULL,
      source_id uuid NOT NULL,
      begun_at timestamptz NOT NULL,
      failures integer NOT NULL DEFAULT 0,
      failing_since timestamptz(3),
      told_at timestamptz(3),
      last_at timestamptz(3),
      last_problem text,
      PRIMARY KEY (workspace_id, source_id),
      FOREIGN KEY (workspace_id, source_id) REFERENCES signal_sources
    );
  `)
)
