import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** The last refusals of each source, notices without an incident, and a source's own words for severities. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE TABLE refused_deliveries (
      workspace_id uuid NOT NULL,
      source_id uuid NOT NULL,
      slot integer NOT NULL,
      seq bigint NOT NULL,
      received_at timestamptz(3) NOT NULL,
      status integer NOT NULL,
      code text NOT NULL,
      message text NOT NULL,
      body text,
      PRIMARY KEY (workspace_id, source_id, slot),
      FOREIGN KEY (workspace_id, source_id) REFERENCES signal_sources
    );

    ALTER TABLE source_refusals ADD COLUMN noticed_at timestamptz, ADD COLUMN notice uuid;

    ALTER TABLE notifications ALTER COLUMN incident DROP NOT NULL;

    ALTER TABLE signal_sources ADD COLUMN severities json NOT NULL DEFAULT '{}';
  `)
)
