import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Connections of workspaces to other systems, the webhooks they received, and pull requests on other code hosts. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE TABLE connections (
      workspace_id uuid NOT NULL REFERENCES workspaces,
      id uuid NOT NULL,
      name text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('github')),
      way text NOT NULL CHECK (way IN ('token', 'app')),
      base_url text NOT NULL,
      token text NOT NULL UNIQUE,
      installation json CHECK ((installation IS NOT NULL) = (way = 'app')),
      credentials text NOT NULL,
      trouble json,
      missing json NOT NULL,
      tested_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      removed_at timestamptz(3),
      due_at timestamptz(3) NOT NULL DEFAULT now(),
      reported jsonb NOT NULL DEFAULT '{}',
      PRIMARY KEY (workspace_id, id)
    );
    CREATE UNIQUE INDEX connections_name ON connections (workspace_id, name) WHERE removed_at IS NULL;
    CREATE INDEX connections_due ON connections (due_at) WHERE removed_at IS NULL;

    CREATE TABLE connection_deliveries (
      workspace_id uuid NOT NULL,
      connection uuid NOT NULL,
      name text NOT NULL,
      received_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (workspace_id, connection, name),
      FOREIGN KEY (workspace_id, connection) REFERENCES connections
    );
    CREATE INDEX connection_deliveries_received ON connection_deliveries (received_at);

    ALTER TABLE pull_requests ADD COLUMN host_number integer CHECK (host_number > 0), ADD COLUMN host_url text,
      ADD CHECK ((host_number IS NULL) = (host_url IS NULL));
    CREATE INDEX pull_requests_on_host ON pull_requests (workspace_id, host_url) WHERE host_url IS NOT NULL;
  `)
)
