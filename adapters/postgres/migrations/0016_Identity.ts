import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Sign-in links, sessions and passkeys. They belong to an address, which may be a member of several workspaces. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    -- Collation C folds ASCII letters only, as addressKey does.
    CREATE INDEX members_address ON members (lower(email COLLATE "C")) WHERE removed_at IS NULL;

    CREATE TABLE sign_in_links (
      hash text PRIMARY KEY CHECK (hash ~ '^[0-9a-f]{64}$'),
      email text NOT NULL,
      origin text NOT NULL CHECK (origin IN ('operator', 'mail')),
      target jsonb,
      created_at timestamptz(3) NOT NULL,
      used_at timestamptz(3),
      CHECK (origin = 'mail' OR target IS NOT NULL)
    );
    CREATE INDEX sign_in_links_email ON sign_in_links (email);
    CREATE INDEX sign_in_links_age ON sign_in_links (created_at);

    CREATE TABLE sessions (
      hash text PRIMARY KEY CHECK (hash ~ '^[0-9a-f]{64}$'),
      id uuid NOT NULL UNIQUE,
      email text NOT NULL,
      reach jsonb NOT NULL CHECK (reach->>'type' = 'address' OR reach ?& ARRAY['workspace', 'member']),
      method text NOT NULL CHECK (method IN ('link', 'passkey')),
      created_at timestamptz(3) NOT NULL,
      last_seen_at timestamptz(3) NOT NULL,
      user_agent text NOT NULL,
      address text NOT NULL
    );
    CREATE INDEX sessions_email ON sessions (email, created_at);
    CREATE INDEX sessions_age ON sessions (last_seen_at);

    CREATE TABLE passkeys (
      id text PRIMARY KEY,
      email text NOT NULL,
      reach jsonb NOT NULL CHECK (reach->>'type' = 'address' OR reach ?& ARRAY['workspace', 'member']),
      public_key text NOT NULL,
      counter bigint NOT NULL,
      transports text[] NOT NULL,
      label text NOT NULL CHECK (label <> ''),
      created_at timestamptz(3) NOT NULL,
      last_used_at timestamptz(3)
    );
    CREATE INDEX passkeys_email ON passkeys (email, created_at);

    -- A crash may forget what lives for minutes.
    CREATE UNLOGGED TABLE passkey_challenges (
      hash text PRIMARY KEY,
      session uuid,
      created_at timestamptz(3) NOT NULL
    );
    CREATE UNLOGGED TABLE sign_in_attempts (
      key text PRIMARY KEY,
      started_at timestamptz(3) NOT NULL,
      attempts integer NOT NULL
    ) WITH (fillfactor = 50);
  `)
)
