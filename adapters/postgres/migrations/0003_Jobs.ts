import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** The outbox: jobs for external work, written in the transaction of the change that needs them. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE TABLE jobs (
      workspace_id uuid NOT NULL,
      id uuid NOT NULL,
      seq bigint GENERATED ALWAYS AS IDENTITY,
      kind text NOT NULL
        CHECK (kind IN ('tell_agent', 'merge_pull_request', 'open_revert', 'restore_spec', 'write_story')),
      status text NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed', 'no_adapter')),
      team text NOT NULL,
      story text,
      run_key text,
      decision text,
      payload json NOT NULL,
      tries integer NOT NULL CHECK (tries >= 0),
      error text CHECK (error IS NULL OR status <> 'done'),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (workspace_id, id),
      FOREIGN KEY (workspace_id, team) REFERENCES teams,
      FOREIGN KEY (workspace_id, story) REFERENCES stories,
      FOREIGN KEY (workspace_id, run_key) REFERENCES runs,
      FOREIGN KEY (workspace_id, decision) REFERENCES decisions
    );
    CREATE INDEX jobs_newest ON jobs (workspace_id, seq);
    CREATE INDEX jobs_by_status ON jobs (workspace_id, status, seq);
    CREATE INDEX jobs_queued ON jobs (seq) WHERE status = 'queued';
    CREATE INDEX jobs_resting ON jobs (kind, seq) WHERE status = 'no_adapter';
    CREATE INDEX jobs_done ON jobs (updated_at) WHERE status = 'done';
  `)
)
