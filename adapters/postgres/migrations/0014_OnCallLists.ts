import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Indexes of filtered lists of incidents and alerts, and of the operator's list of workspaces. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE INDEX incidents_by_status ON incidents (workspace_id, status, seq);
    CREATE INDEX incidents_of_service ON incidents (workspace_id, service, seq);
    CREATE INDEX incidents_by_time ON incidents (workspace_id, opened_at, seq);
    CREATE INDEX alerts_by_status ON alerts (workspace_id, status, seq);
    CREATE INDEX alerts_of_source ON alerts (workspace_id, source, seq);
    CREATE INDEX workspaces_by_slug ON workspaces (slug COLLATE "C") WHERE deleted_at IS NULL;
  `)
)
