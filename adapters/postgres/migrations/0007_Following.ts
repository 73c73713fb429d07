import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Follow-up of incidents: jobs with lanes and due times, an inbox, investigations. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    ALTER TABLE jobs
      DROP CONSTRAINT jobs_kind_check,
      ADD CONSTRAINT jobs_kind_check CHECK (kind IN ('tell_agent', 'merge_pull_request', 'open_revert', 'restore_spec',
        'write_story', 'follow_incident', 'investigate_incident', 'notify_member', 'post_to_place', 'update_source')),
      ADD COLUMN lane text,
      ADD COLUMN due_at timestamptz(3);
    CREATE INDEX jobs_in_lane ON jobs (workspace_id, lane, seq) 
      WHERE status IN ('queued', 'running', 'no_adapter') AND lane IS NOT NULL;
    CREATE INDEX jobs_merges ON jobs (workspace_id, team, updated_at) WHERE kind = 'merge_pull_request' AND status = 'done';

    ALTER TABLE runs ADD COLUMN merged_at timestamptz(3);
    CREATE INDEX runs_merged ON runs (workspace_id, team, merged_at) WHERE merged_at IS NOT NULL;

    ALTER TABLE signal_sources ADD COLUMN trouble text;

    ALTER TABLE incidents
      ADD COLUMN update_due_at timestamptz(3),
      ADD COLUMN told text CHECK (told IN ('open', 'resolved')),
      ADD COLUMN notified_at timestamptz(3),
      ADD COLUMN investigation json;

    CREATE TABLE notifications (
      workspace_id uuid NOT NULL,
      id uuid NOT NULL,
      seq bigint GENERATED ALWAYS AS IDENTITY,
      member uuid NOT NULL,
      incident text NOT NULL,
      event text NOT NULL,
      subject text NOT NULL,
      text text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      read_at timestamptz(3),
      PRIMARY KEY (workspace_id, id),
      FOREIGN KEY (workspace_id, member) REFERENCES members,
      FOREIGN KEY (workspace_id, incident) REFERENCES incidents
    );
    CREATE INDEX notifications_of_member ON notifications (workspace_id, member, seq);
    CREATE INDEX notifications_read ON notifications (read_at) WHERE read_at IS NOT NULL;
  `)
)
