import * as SqlClient from "@effect/sql/SqlClient"
import { DateTime, Effect, Layer, Schema } from "effect"
import { TokenStore } from "../../application/ports/TokenStore.ts"
import { ApiToken, InvalidToken, Permission, TokenExpired, TokenId, TokenRevoked } from "../../domain/ApiToken.ts"
import { MemberId, Role } from "../../domain/Member.ts"
import { requestsPerMinute, windowSeconds } from "../../domain/RateLimit.ts"
import { Timestamp } from "../../domain/Timestamp.ts"
import { WorkspaceId, WorkspaceSlug } from "../../domain/Workspace.ts"
import { commit } from "./Commit.ts"
import * as Records from "./Records.ts"
import { orDie, transaction } from "./Statements.ts"

/** Finds the token and, when it is valid, counts the request in its window: one statement, so it is never counted twice. */
const authenticate = `
  WITH found AS (
    SELECT k.workspace_id, w.slug, k.id, k.permissions, k.expires_at, m.id AS member_id, m.name, m.role,
      CASE WHEN k.revoked_at IS NOT NULL OR m.removed_at IS NOT NULL OR w.deleted_at IS NOT NULL THEN 'revoked'
        WHEN k.expires_at <= now() THEN 'expired' ELSE 'valid' END AS state
    FROM api_tokens k
    JOIN members m ON m.workspace_id = k.workspace_id AND m.id = k.member_id
    JOIN workspaces w ON w.id = k.workspace_id
    WHERE k.hash = $1
  ), counted AS (
    INSERT INTO token_windows AS t (workspace_id, token_id, started_at, requests)
    SELECT workspace_id, id, now(), 1 FROM found WHERE state = 'valid'
    ON CONFLICT (workspace_id, token_id) DO UPDATE SET
      started_at = CASE WHEN t.started_at + $2 * interval '1 second' <= excluded.started_at
        THEN excluded.started_at ELSE t.started_at END,
      requests = CASE WHEN t.started_at + $2 * interval '1 second' <= excluded.started_at
        THEN 1 ELSE least(t.requests + 1, $3 + 1) END
    RETURNING t.started_at, t.requests
  )
  SELECT found.workspace_id AS workspace, found.slug AS "workspaceSlug", found.id AS token,
    found.permissions, iso8601(found.expires_at) AS "expiresAt",
    found.member_id AS "memberId", found.name, found.role, found.state, iso8601(now()) AS now,
    iso8601(counted.started_at + $2 * interval '1 second') AS "resetAt", counted.requests
  FROM found LEFT JOIN counted ON true`

const Found = Schema.Struct({
  workspace: WorkspaceId,
  workspaceSlug: WorkspaceSlug,
  token: TokenId,
  permissions: Schema.Array(Permission),
  expiresAt: Timestamp,
  memberId: MemberId,
  name: Schema.String,
  role: Role,
  state: Schema.Literal("revoked", "expired", "valid"),
  now: Timestamp,
  resetAt: Schema.NullOr(Timestamp),
  requests: Schema.NullOr(Schema.Int)
})
const decodeFound = Schema.decodeUnknownSync(Schema.Array(Found))

const decodeTokens = Schema.decodeUnknownSync(Schema.Array(ApiToken))
const Held = Schema.Struct({ workspace: WorkspaceId, now: Timestamp, token: Schema.NullOr(ApiToken) })
const decodeHeld = Schema.decodeUnknownSync(Schema.Array(Held))

export const layer = Layer.effect(
  TokenStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const token = sql.literal(Records.token)
    return TokenStore.of({
      authenticate: Effect.fn("PgTokenStore.authenticate")(function* (hash) {
        const [found] = decodeFound(yield* orDie(sql.unsafe(authenticate, [hash, windowSeconds, requestsPerMinute])))
        if (found === undefined) return yield* new InvalidToken()
        if (found.state === "revoked") return yield* new TokenRevoked()
        if (found.state === "expired") return yield* new TokenExpired({ at: found.expiresAt })
        const requests = found.requests ?? 0
        return {
          token: found.token,
          workspace: found.workspace,
          workspaceSlug: found.workspaceSlug,
          member: { id: found.memberId, name: found.name, role: found.role },
          permissions: found.permissions,
          window: { remaining: Math.max(0, requestsPerMinute - requests), resetAt: found.resetAt ?? found.now },
          withinLimit: requests <= requestsPerMinute,
          now: found.now
        }
      }),
      list: (workspace, member) =>
        Effect.map(
          orDie(sql`
            SELECT ${token} FROM api_tokens k
            WHERE k.workspace_id = ${workspace} AND k.member_id = ${member} ORDER BY k.created_at, k.id`),
          decodeTokens
        ),
      change: (slug, prefix, decide) =>
        Effect.gen(function* () {
          yield* sql`
            SELECT FROM api_tokens k JOIN workspaces w ON w.id = k.workspace_id
            WHERE w.slug = ${slug} AND k.prefix = ${prefix} FOR NO KEY UPDATE OF k`
          const [held] = decodeHeld(
            yield* sql`
              SELECT w.id AS workspace, iso8601(clock_timestamp()) AS now,
                (SELECT row_to_json(o) FROM (SELECT ${token} FROM api_tokens k
                  WHERE k.workspace_id = w.id AND k.prefix = ${prefix}) o) AS token
              FROM workspaces w WHERE w.slug = ${slug} AND w.deleted_at IS NULL`
          )
          const now = held?.now ?? (yield* DateTime.now)
          const { answer, change } = yield* decide(held?.token ?? null, now)
          if (held !== undefined) yield* commit(held.workspace, now, change)
          return answer
        }).pipe(transaction, Effect.flatten, Effect.provideService(SqlClient.SqlClient, sql)),
      touch: (uses) => {
        const rows = uses.map(({ at, token, workspace }) => ({ at: DateTime.formatIso(at), token, workspace }))
        return orDie(sql`
          UPDATE api_tokens k SET last_used_at = u.at
          FROM json_to_recordset(${JSON.stringify(rows)}::json) AS u(workspace uuid, token uuid, at timestamptz)
          WHERE k.workspace_id = u.workspace AND k.id = u.token
            AND (k.last_used_at IS NULL OR k.last_used_at + interval '1 minute' <= u.at)`)
      }
    })
  })
)
