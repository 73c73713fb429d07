import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Signal sources, their deliveries, and the alerts and incidents from them. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE TABLE places (
      workspace_id uuid NOT NULL,
      team text NOT NULL,
      name text NOT NULL CHECK (name <> ''),
      kind text NOT NULL,
      address text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      removed_at timestamptz(3),
      PRIMARY KEY (workspace_id, team, name),
      FOREIGN KEY (workspace_id, team) REFERENCES teams
    );

    CREATE TABLE signal_sources (
      workspace_id uuid NOT NULL REFERENCES workspaces,
      id uuid NOT NULL,
      name text NOT NULL CHECK (name <> ''),
      kind text NOT NULL,
      token text NOT NULL UNIQUE,
      secrets json NOT NULL,
      services uuid[] NOT NULL,
      is_timestamp_required boolean NOT NULL,
      topic text,
      disconnected_at timestamptz(3),
      credentials text,
      paused_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3),
      deleted_at timestamptz(3),
      PRIMARY KEY (workspace_id, id)
    );
    CREATE UNIQUE INDEX signal_sources_name ON signal_sources (workspace_id, lower(name));

    CREATE TABLE source_refusals (
      workspace_id uuid NOT NULL,
      source_id uuid NOT NULL,
      count bigint NOT NULL,
      last_at timestamptz(3) NOT NULL,
      last text NOT NULL,
      PRIMARY KEY (workspace_id, source_id),
      FOREIGN KEY (workspace_id, source_id) REFERENCES signal_sources
    );

    CREATE TABLE delivery_names (
      workspace_id uuid NOT NULL,
      source_id uuid NOT NULL,
      name text NOT NULL,
      delivery_id uuid NOT NULL,
      seen_at timestamptz NOT NULL,
      PRIMARY KEY (workspace_id, source_id, name)
    );
    CREATE INDEX delivery_names_by_age ON delivery_names (seen_at);

    CREATE TABLE deliveries (
      workspace_id uuid NOT NULL,
      id uuid NOT NULL,
      seq bigint GENERATED ALWAYS AS IDENTITY,
      source_id uuid NOT NULL,
      received_at timestamptz(3) NOT NULL,
      status text NOT NULL CHECK (status IN ('waiting', 'replayed', 'done', 'duplicate', 'failed')),
      signals json NOT NULL,
      verdicts json NOT NULL,
      body text,
      PRIMARY KEY (workspace_id, id),
      FOREIGN KEY (workspace_id, source_id) REFERENCES signal_sources
    );
    CREATE INDEX deliveries_waiting ON deliveries (workspace_id, seq) WHERE status IN ('waiting', 'replayed');
    CREATE INDEX deliveries_of_source ON deliveries (workspace_id, source_id, seq);
    CREATE INDEX deliveries_by_age ON deliveries (received_at) WHERE body IS NOT NULL;

    CREATE TABLE incidents (
      workspace_id uuid NOT NULL,
      key text NOT NULL,
      seq bigint GENERATED ALWAYS AS IDENTITY,
      team text NOT NULL,
      service uuid NOT NULL,
      environment text,
      status text NOT NULL CHECK (status IN ('open', 'resolved')),
      severity text NOT NULL,
      title text NOT NULL,
      alerts integer NOT NULL,
      opened_at timestamptz(3) NOT NULL,
      resolved_at timestamptz(3),
      acknowledged_at timestamptz(3),
      acknowledged_by text,
      PRIMARY KEY (workspace_id, key),
      FOREIGN KEY (workspace_id, service) REFERENCES services,
      FOREIGN KEY (workspace_id, team) REFERENCES teams,
      CHECK ((status = 'resolved') = (resolved_at IS NOT NULL))
    );
    CREATE INDEX incidents_by_seq ON incidents (workspace_id, seq);
    CREATE UNIQUE INDEX incidents_open ON incidents (workspace_id, service, (environment IS NULL), coalesce(environment, ''))
      WHERE status = 'open';

    CREATE TABLE alerts (
      workspace_id uuid NOT NULL,
      id uuid NOT NULL,
      seq bigint GENERATED ALWAYS AS IDENTITY,
      source uuid NOT NULL,
      service uuid,
      fingerprint text NOT NULL,
      status text NOT NULL CHECK (status IN ('firing', 'resolved')),
      severity text NOT NULL,
      title text NOT NULL,
      environment text,
      description text,
      labels json NOT NULL,
      links json NOT NULL,
      started_at timestamptz(3),
      ended_at timestamptz(3),
      fired_at timestamptz(3),
      recovered_at timestamptz(3),
      first_seen_at timestamptz(3) NOT NULL,
      last_seen_at timestamptz(3) NOT NULL,
      count integer NOT NULL,
      reason text NOT NULL,
      explanation text NOT NULL,
      incident text,
      PRIMARY KEY (workspace_id, id),
      FOREIGN KEY (workspace_id, source) REFERENCES signal_sources,
      FOREIGN KEY (workspace_id, service) REFERENCES services,
      FOREIGN KEY (workspace_id, incident) REFERENCES incidents
    );
    CREATE INDEX alerts_by_fingerprint ON alerts (workspace_id, source, fingerprint, seq);
    CREATE INDEX alerts_by_seq ON alerts (workspace_id, seq);
    CREATE INDEX alerts_of_incident ON alerts (workspace_id, incident, seq) WHERE incident IS NOT NULL;
    CREATE INDEX alerts_firing ON alerts (workspace_id, incident) WHERE status = 'firing';
  `)
)
