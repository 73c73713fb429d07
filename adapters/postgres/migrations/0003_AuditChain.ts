import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { origin } from "../../../domain/AuditChain.ts"
import { relink } from "../AuditRows.ts"

/** Links the audit entries of each workspace into a chain, and lets the database itself refuse to change them. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    ALTER TABLE audit_entries ADD COLUMN hash text;
    ALTER TABLE audit_heads ADD COLUMN hash text NOT NULL DEFAULT '${origin}'`)
  const workspaces = yield* sql<{ readonly id: string }>`SELECT workspace_id AS id FROM audit_heads`
  yield* Effect.forEach(workspaces, ({ id }) => relink(id), { discard: true })
  yield* sql.unsafe(`
    ALTER TABLE audit_entries ALTER COLUMN hash SET NOT NULL;
    ALTER TABLE audit_entries ADD CHECK (hash ~ '^[0-9a-f]{64}$');

    CREATE FUNCTION refuse_to_change_audit() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'audit entries are never changed or deleted'; END $$;
    CREATE TRIGGER audit_entries_stay BEFORE UPDATE OR DELETE ON audit_entries
      FOR EACH ROW EXECUTE FUNCTION refuse_to_change_audit();
    CREATE TRIGGER audit_entries_remain BEFORE TRUNCATE ON audit_entries
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_audit();

    CREATE INDEX audit_entries_of_team ON audit_entries (workspace_id, team, seq);
    CREATE INDEX audit_entries_of_actor ON audit_entries (workspace_id, actor_type, seq);
    CREATE INDEX audit_entries_of_event ON audit_entries (workspace_id, event, seq);
    CREATE INDEX audit_entries_of_run ON audit_entries (workspace_id, run_key, seq);
    CREATE INDEX audit_entries_by_time ON audit_entries (workspace_id, "timestamp", seq);`)
})
