import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/**
 * Followers of a workspace are notified of its changes. A notification makes commits wait for each other, so a change of
 * a workspace that nobody follows sends none. The list of followed workspaces may be lost in a crash: it is renewed.
 */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE UNLOGGED TABLE followed_workspaces (
      workspace_id uuid PRIMARY KEY,
      until timestamptz(3) NOT NULL
    );

    CREATE FUNCTION notify_followers() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM followed_workspaces f
        WHERE f.workspace_id = NEW.workspace_id AND f.until > statement_timestamp()) THEN
        PERFORM pg_notify('gatehouse_feed', NEW.workspace_id || ' ' || TG_ARGV[0] || ' ' || (to_json(NEW)->>TG_ARGV[1]));
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER audit_heads_notify AFTER UPDATE ON audit_heads
      FOR EACH ROW EXECUTE FUNCTION notify_followers('audit', 'seq');
    CREATE TRIGGER jobs_notify_followers AFTER UPDATE OF status ON jobs
      FOR EACH ROW WHEN (NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION notify_followers('job', 'id');
    CREATE TRIGGER notifications_notify AFTER INSERT ON notifications
      FOR EACH ROW EXECUTE FUNCTION notify_followers('inbox', 'id');
  `)
)
