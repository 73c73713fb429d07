import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Columns a resolution writes, and indexes for the sweeper and the scheduler. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    ALTER TABLE decisions ADD COLUMN subject text, ADD COLUMN resolved_by text;
    ALTER TABLE runs
      ADD COLUMN inputs json NOT NULL DEFAULT '[]',
      ADD COLUMN exceptions json NOT NULL DEFAULT '[]',
      ADD COLUMN gate_failures json NOT NULL DEFAULT '{}';
    ALTER TABLE stories ADD COLUMN return_note text, ADD COLUMN rejected_at timestamptz(3);

    CREATE TABLE kept_answers (
      workspace_id uuid NOT NULL,
      token_id uuid NOT NULL,
      key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
      request text NOT NULL,
      answer text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (workspace_id, token_id, key),
      FOREIGN KEY (workspace_id, token_id) REFERENCES api_tokens
    );
    CREATE INDEX kept_answers_by_age ON kept_answers (created_at);

    CREATE INDEX decisions_due ON decisions (expires_at) WHERE status = 'pending';
    CREATE INDEX decisions_declinable ON decisions (workspace_id, team)
      WHERE status = 'resolved' AND kind IN ('maintenance_proposal', 'strategy_proposal');
    CREATE INDEX stories_ready ON stories (workspace_id, team, seq)
      WHERE column_role = 'ready' AND NOT draft AND rejected_at IS NULL;
    CREATE INDEX runs_queued ON runs (workspace_id, seq) WHERE status = 'queued';
    CREATE INDEX attempts_by_start ON attempts (workspace_id, started_at);
    CREATE INDEX teams_deleted ON teams (workspace_id, slug) WHERE deleted_at IS NOT NULL;
  `)
)
