import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Times never decrease along a chain, and filters that are common alone can be rare together. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    ALTER TABLE audit_heads ADD COLUMN "timestamp" timestamptz(3);
    UPDATE audit_heads h SET "timestamp" = (
      SELECT max(e."timestamp") FROM audit_entries e WHERE e.workspace_id = h.workspace_id);
    CREATE INDEX audit_entries_of_team_actor ON audit_entries (workspace_id, team, actor_type, seq);
    CREATE INDEX audit_entries_of_team_event ON audit_entries (workspace_id, team, event, seq);
    CREATE INDEX audit_entries_of_actor_event ON audit_entries (workspace_id, actor_type, event, seq);
    CREATE INDEX audit_entries_of_team_actor_event ON audit_entries (workspace_id, team, actor_type, event, seq);
  `)
)
