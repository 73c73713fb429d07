import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Accounts at OpenID Connect providers, each tied to the address of a member by its first sign-in; newest stories. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE TABLE provider_identities (
      issuer text NOT NULL,
      subject text NOT NULL,
      email text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      last_used_at timestamptz(3) NOT NULL,
      PRIMARY KEY (issuer, subject)
    );
    CREATE INDEX provider_identities_email ON provider_identities (email);
    CREATE INDEX stories_newest ON stories (workspace_id, seq);
    ALTER TABLE sessions DROP CONSTRAINT sessions_method_check,
      ADD CONSTRAINT sessions_method_check CHECK (method IN ('link', 'passkey', 'openid'));
  `)
)
