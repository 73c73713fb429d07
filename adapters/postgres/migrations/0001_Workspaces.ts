import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { origin } from "../../../domain/workspace/AuditChain.ts"

/** Workspaces, their members, tokens and audit log. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE FUNCTION iso8601(at timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
      RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

    CREATE TABLE workspaces (
      id uuid PRIMARY KEY,
      slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
      name text NOT NULL CHECK (name <> ''),
      created_at timestamptz(3) NOT NULL,
      deleted_at timestamptz(3)
    );

    CREATE TABLE members (
      workspace_id uuid NOT NULL REFERENCES workspaces,
      id uuid NOT NULL,
      email text NOT NULL,
      name text NOT NULL CHECK (name <> ''),
      role text NOT NULL CHECK (role IN ('member', 'admin', 'owner')),
      created_at timestamptz(3) NOT NULL,
      removed_at timestamptz(3),
      PRIMARY KEY (workspace_id, id)
    );
    CREATE UNIQUE INDEX members_email ON members (workspace_id, lower(email)) WHERE removed_at IS NULL;

    CREATE TABLE api_tokens (
      workspace_id uuid NOT NULL,
      id uuid NOT NULL,
      member_id uuid NOT NULL,
      name text NOT NULL CHECK (name <> ''),
      prefix text NOT NULL CHECK (length(prefix) = 11),
      hash text NOT NULL UNIQUE CHECK (hash ~ '^[0-9a-f]{64}$'),
      permissions text[] NOT NULL
        CHECK (cardinality(permissions) > 0 AND permissions <@ ARRAY['read', 'write', 'delete', 'admin']),
      created_at timestamptz(3) NOT NULL,
      expires_at timestamptz(3) NOT NULL CHECK (expires_at > created_at AND expires_at <= created_at + interval '8760 hours'),
      revoked_at timestamptz(3),
      last_used_at timestamptz(3),
      PRIMARY KEY (workspace_id, id),
      UNIQUE (workspace_id, prefix),
      FOREIGN KEY (workspace_id, member_id) REFERENCES members
    );
    CREATE INDEX api_tokens_member ON api_tokens (workspace_id, member_id, created_at);

    -- Counters of the last minute: a crash may forget them.
    CREATE UNLOGGED TABLE token_windows (
      workspace_id uuid NOT NULL,
      token_id uuid NOT NULL,
      started_at timestamptz(3) NOT NULL,
      requests integer NOT NULL,
      PRIMARY KEY (workspace_id, token_id)
    ) WITH (fillfactor = 50);

    -- The row each append locks, so that seq has no gaps and the chain no forks.
    CREATE TABLE audit_heads (
      workspace_id uuid PRIMARY KEY REFERENCES workspaces,
      seq bigint NOT NULL DEFAULT 0,
      hash text NOT NULL DEFAULT '${origin}'
    );

    CREATE TABLE audit_entries (
      workspace_id uuid NOT NULL REFERENCES workspaces,
      seq bigint NOT NULL,
      id uuid NOT NULL,
      "timestamp" timestamptz(3) NOT NULL,
      actor_type text NOT NULL CHECK (actor_type IN ('human', 'service', 'system')),
      actor_name text NOT NULL,
      actor_user_id text,
      team text,
      run_key text,
      event text NOT NULL,
      result text NOT NULL CHECK (result IN ('success', 'denied', 'failure', 'partial')),
      entity_type text NOT NULL,
      entity_id text NOT NULL,
      entity_name text NOT NULL,
      details json NOT NULL,
      hash text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
      PRIMARY KEY (workspace_id, seq),
      UNIQUE (workspace_id, id)
    );
    CREATE INDEX audit_entries_of_team ON audit_entries (workspace_id, team, seq);
    CREATE INDEX audit_entries_of_actor ON audit_entries (workspace_id, actor_type, seq);
    CREATE INDEX audit_entries_of_event ON audit_entries (workspace_id, event, seq);
    CREATE INDEX audit_entries_of_run ON audit_entries (workspace_id, run_key, seq);
    CREATE INDEX audit_entries_by_time ON audit_entries (workspace_id, "timestamp", seq);

    CREATE FUNCTION refuse_to_change_audit() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'audit entries are never changed or deleted'; END $$;
    CREATE TRIGGER audit_entries_stay BEFORE UPDATE OR DELETE ON audit_entries
      FOR EACH ROW EXECUTE FUNCTION refuse_to_change_audit();
    CREATE TRIGGER audit_entries_remain BEFORE TRUNCATE ON audit_entries
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_audit();
  `)
)
