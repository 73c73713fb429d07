import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Kinds of notices that a member wants no mail of, and the last notice that a token is about to expire. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    ALTER TABLE members ADD COLUMN mail_off text[] NOT NULL DEFAULT '{}';
    ALTER TABLE api_tokens ADD COLUMN expiry_notice smallint;
    CREATE INDEX api_tokens_expiry ON api_tokens (expires_at) WHERE revoked_at IS NULL;
  `)
)
