import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Bindings of teams to projects of trackers, their mirrored issues, and the comments on runs. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE TABLE tracker_bindings (
      workspace_id uuid NOT NULL,
      id uuid NOT NULL,
      team text NOT NULL,
      connection uuid NOT NULL,
      platform text NOT NULL CHECK (platform IN ('github', 'jira', 'linear')),
      project text NOT NULL,
      mapping json NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      removed_at timestamptz(3),
      sync json,
      due_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (workspace_id, id),
      FOREIGN KEY (workspace_id, team) REFERENCES teams,
      FOREIGN KEY (workspace_id, connection) REFERENCES connections
    );
    CREATE INDEX tracker_bindings_due ON tracker_bindings (due_at) WHERE removed_at IS NULL;
    CREATE TABLE tracker_issues (
      workspace_id uuid NOT NULL,
      binding uuid NOT NULL,
      id text NOT NULL,
      key text NOT NULL,
      url text NOT NULL,
      story text NOT NULL,
      version timestamptz(3) NOT NULL,
      fingerprint text NOT NULL,
      text text NOT NULL,
      sizing text NOT NULL,
      labels json NOT NULL,
      is_closed boolean NOT NULL,
      shown text NOT NULL,
      is_untrusted boolean NOT NULL,
      settled text NOT NULL,
      note text,
      stated json NOT NULL,
      is_held boolean NOT NULL,
      gone_at timestamptz(3),
      synced_at timestamptz(3) NOT NULL,
      sweep integer NOT NULL DEFAULT 0,
      leased_until timestamptz(3),
      rests_until timestamptz(3),
      PRIMARY KEY (workspace_id, binding, id),
      UNIQUE (workspace_id, binding, story),
      FOREIGN KEY (workspace_id, binding) REFERENCES tracker_bindings,
      FOREIGN KEY (workspace_id, story) REFERENCES stories
    );
    CREATE INDEX tracker_issues_of_story ON tracker_issues (workspace_id, story);
    CREATE INDEX tracker_issues_held ON tracker_issues (workspace_id, binding) WHERE is_held;
    CREATE TABLE tracker_hints (
      workspace_id uuid NOT NULL,
      binding uuid NOT NULL,
      id text NOT NULL,
      key text NOT NULL,
      mark bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
      due_at timestamptz(3) NOT NULL,
      PRIMARY KEY (workspace_id, binding, id),
      FOREIGN KEY (workspace_id, binding) REFERENCES tracker_bindings
    );
    CREATE TABLE tracker_comments (
      workspace_id uuid NOT NULL,
      binding uuid NOT NULL,
      issue text NOT NULL,
      run_key text NOT NULL,
      id text NOT NULL,
      state text NOT NULL,
      PRIMARY KEY (workspace_id, binding, issue, run_key),
      FOREIGN KEY (workspace_id, binding) REFERENCES tracker_bindings,
      FOREIGN KEY (workspace_id, run_key) REFERENCES runs
    );
    CREATE INDEX stories_of_issue ON stories (workspace_id, team, (tracker->>'url')) WHERE tracker IS NOT NULL;
    ALTER TABLE connections ADD COLUMN next_write_at timestamptz(3);
  `)
)
