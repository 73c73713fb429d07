import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Pull requests that the service opened. A branch has one that is open; a pull request is reverted once. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE TABLE pull_requests (
      workspace_id uuid NOT NULL,
      number integer NOT NULL CHECK (number > 0),
      team text NOT NULL,
      repository text NOT NULL,
      branch text NOT NULL,
      base text NOT NULL,
      head text NOT NULL,
      title text NOT NULL,
      state text NOT NULL CHECK (state IN ('open', 'merged', 'closed')),
      merge_commit text CHECK ((merge_commit IS NOT NULL) = (state = 'merged')),
      run_key text,
      story text,
      reverts integer CHECK (reverts <> number),
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      merged_at timestamptz(3) CHECK ((merged_at IS NOT NULL) = (state = 'merged')),
      PRIMARY KEY (workspace_id, number),
      FOREIGN KEY (workspace_id, team) REFERENCES teams,
      FOREIGN KEY (workspace_id, story) REFERENCES stories,
      FOREIGN KEY (workspace_id, run_key) REFERENCES runs
    );
    CREATE UNIQUE INDEX pull_requests_open ON pull_requests (workspace_id, repository, branch) WHERE state = 'open';
    CREATE INDEX pull_requests_of_branch ON pull_requests (workspace_id, repository, branch, number);
    CREATE INDEX pull_requests_of_run ON pull_requests (workspace_id, run_key, number) WHERE run_key IS NOT NULL;
    CREATE UNIQUE INDEX pull_requests_reverting ON pull_requests (workspace_id, reverts) WHERE reverts IS NOT NULL;
    CREATE INDEX pull_requests_merged_by ON pull_requests (workspace_id, merge_commit) WHERE merge_commit IS NOT NULL;

    ALTER TABLE jobs DROP CONSTRAINT jobs_kind_check,
      ADD CONSTRAINT jobs_kind_check CHECK (kind IN ('tell_agent', 'open_pull_request', 'merge_pull_request',
        'open_revert', 'restore_spec', 'write_story', 'follow_incident', 'investigate_incident', 'notify_member',
        'post_to_place', 'update_source'));
  `)
)
