import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Indexes of the history of one incident. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE INDEX audit_entries_of_incident ON audit_entries (workspace_id, entity_id, seq) WHERE entity_type = 'incident';
    CREATE INDEX notifications_of_incident ON notifications (workspace_id, incident, seq) WHERE incident IS NOT NULL;
    CREATE INDEX jobs_of_incident ON jobs (workspace_id, (payload->>'incident'), seq)
      WHERE kind IN ('notify_member', 'post_to_place', 'update_source');
  `)
)
