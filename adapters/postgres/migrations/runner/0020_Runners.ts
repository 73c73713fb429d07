import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Runs are leased by runners. A run that is under way at the upgrade is held by nobody until its worker reports. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE TABLE runners (
      workspace_id uuid NOT NULL,
      id uuid NOT NULL,
      token uuid NOT NULL,
      name text NOT NULL,
      version text NOT NULL,
      os text NOT NULL,
      arch text NOT NULL,
      slots integer NOT NULL,
      executors json NOT NULL,
      teams json NOT NULL,
      registered_at timestamptz(3) NOT NULL,
      last_seen_at timestamptz(3) NOT NULL,
      offline_at timestamptz(3),
      removed_at timestamptz(3),
      PRIMARY KEY (workspace_id, id),
      UNIQUE (workspace_id, token, name),
      FOREIGN KEY (workspace_id, token) REFERENCES api_tokens (workspace_id, id)
    );
    CREATE INDEX runners_online ON runners (last_seen_at) WHERE offline_at IS NULL;

    ALTER TABLE runs
      ADD COLUMN fence integer NOT NULL DEFAULT 0,
      ADD COLUMN lapses integer NOT NULL DEFAULT 0,
      ADD COLUMN inputs_taken integer NOT NULL DEFAULT 0,
      ADD COLUMN resumed_at timestamptz(3),
      ADD COLUMN session text,
      ADD COLUMN lease jsonb,
      ADD COLUMN leased_until timestamptz(3),
      ADD COLUMN last_lease jsonb,
      ADD COLUMN lease_token uuid GENERATED ALWAYS AS ((lease->>'token')::uuid) STORED,
      ADD COLUMN lease_runner uuid GENERATED ALWAYS AS ((lease->>'runner')::uuid) STORED,
      ADD COLUMN lease_credential text GENERATED ALWAYS AS (lease->>'credential') STORED,
      ADD COLUMN last_lease_id uuid GENERATED ALWAYS AS ((last_lease->>'id')::uuid) STORED,
      ADD FOREIGN KEY (workspace_id, lease_runner) REFERENCES runners (workspace_id, id);
    CREATE INDEX runs_lapsing ON runs (leased_until) WHERE lease IS NOT NULL;
    CREATE INDEX runs_of_lease_token ON runs (workspace_id, lease_token) WHERE lease_token IS NOT NULL;
    CREATE INDEX runs_of_runner ON runs (workspace_id, lease_runner) WHERE lease_runner IS NOT NULL;
    CREATE UNIQUE INDEX runs_of_lease ON runs (workspace_id, last_lease_id);
    CREATE UNIQUE INDEX runs_of_credential ON runs (lease_credential);

    CREATE TABLE run_logs (
      workspace_id uuid NOT NULL,
      run_key text NOT NULL,
      attempt integer NOT NULL,
      lease uuid NOT NULL,
      seq integer NOT NULL,
      until bigint NOT NULL,
      text text NOT NULL,
      PRIMARY KEY (workspace_id, run_key, attempt, until),
      UNIQUE (workspace_id, run_key, lease, seq),
      FOREIGN KEY (workspace_id, run_key) REFERENCES runs
    );

    CREATE FUNCTION notify_of_runs() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM written WHERE status = 'queued' OR status = 'running' AND lease IS NULL) THEN
        PERFORM pg_notify('gatehouse_runs', '');
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER runs_added AFTER INSERT ON runs REFERENCING NEW TABLE AS written
      FOR EACH STATEMENT EXECUTE FUNCTION notify_of_runs();
    CREATE TRIGGER runs_changed AFTER UPDATE ON runs REFERENCING NEW TABLE AS written
      FOR EACH STATEMENT EXECUTE FUNCTION notify_of_runs();
  `)
)
