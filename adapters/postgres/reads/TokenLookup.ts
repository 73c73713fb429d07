import { DateTime, Either } from "effect"
import type { Bearer } from "../../../application/ports/TokenStore.ts"
import {
  InvalidToken,
  type Permission,
  TokenExpired,
  type TokenId,
  TokenRevoked
} from "../../../domain/workspace/ApiToken.ts"
import type { MemberId, Role } from "../../../domain/workspace/Member.ts"
import { requestsPerMinute, skewSeconds, windowSeconds } from "../../../domain/workspace/RateLimit.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"

const millis = (at: string) => `(extract(epoch FROM ${at}) * 1000)::float8`

/** Same rule as `isOver` in the domain: concurrent statements may begin in another order than they count. */
const isOver = `(t.started_at + interval '${windowSeconds} seconds' <= excluded.started_at
  OR excluded.started_at + interval '${windowSeconds} seconds' < t.started_at)`

/** Start of a window; now after the clock went back. */
const startOf = `CASE WHEN k.started_at > now() + interval '${skewSeconds} seconds' THEN now() ELSE k.started_at END`

/**
 * A read `FROM q` by tokens: requests are rows of $1 with the hash of their token and `parameters`, and become rows of
 * `q` with the token's workspace. Finds the tokens and counts their requests in the same statement, so that none is
 * counted twice, and skips tokens that are invalid, may not read or are over their limit. Ordered, so that two
 * instances that count the same tokens do not deadlock.
 */
export const statement = (parameters: string, read: string) => `
  WITH asked AS (
    SELECT * FROM json_to_recordset($1::json) AS a(n int, hash text${parameters === "" ? "" : `, ${parameters}`})
  ), tallied AS (
    SELECT hash, count(*)::int AS requests FROM asked GROUP BY hash
  ), found AS (
    SELECT a.hash, a.requests, k.workspace_id, w.slug, k.id, k.permissions, k.expires_at, m.id AS member_id, m.name, m.role,
      CASE WHEN k.revoked_at IS NOT NULL OR m.removed_at IS NOT NULL OR w.deleted_at IS NOT NULL THEN 'revoked'
        WHEN k.expires_at <= now() THEN 'expired' ELSE 'valid' END AS state
    FROM tallied a
    CROSS JOIN LATERAL (SELECT * FROM api_tokens x WHERE x.hash = a.hash LIMIT 1) k
    CROSS JOIN LATERAL (SELECT * FROM members x WHERE x.workspace_id = k.workspace_id AND x.id = k.member_id LIMIT 1) m
    CROSS JOIN LATERAL (SELECT * FROM workspaces x WHERE x.id = k.workspace_id LIMIT 1) w
  ), counted AS (
    INSERT INTO token_windows AS t (workspace_id, token_id, started_at, requests)
    SELECT workspace_id, id, now(), requests FROM found WHERE state = 'valid' ORDER BY workspace_id, id
    ON CONFLICT (workspace_id, token_id) DO UPDATE SET
      started_at = CASE WHEN ${isOver} THEN excluded.started_at ELSE t.started_at END,
      requests = CASE WHEN ${isOver} THEN excluded.requests
        ELSE least(t.requests, ${requestsPerMinute}) + excluded.requests END
    RETURNING t.workspace_id, t.token_id, t.started_at, t.requests
  ), known AS (
    SELECT f.*, c.requests AS counted, c.started_at
    FROM found f LEFT JOIN counted c ON c.workspace_id = f.workspace_id AND c.token_id = f.id
  ), q AS (
    SELECT a.*, k.workspace_id AS workspace FROM asked a JOIN known k ON k.hash = a.hash
    WHERE k.counted - k.requests < ${requestsPerMinute} AND k.permissions && ARRAY['read', 'admin']
  )
  SELECT r.*, a.n, CASE WHEN k.hash IS NOT NULL THEN json_build_array(k.state, k.workspace_id, k.slug, k.id, k.permissions,
    ${millis("k.expires_at")}, k.member_id, k.name, k.role, ${millis("now()")},
    ${millis(`${startOf} + interval '${windowSeconds} seconds'`)}, k.counted)::text END AS holder
  FROM asked a LEFT JOIN known k ON k.hash = a.hash LEFT JOIN (${read}) r ON r.n = a.n`

/** Looks up one token and counts nothing, for callers with a limit of their own. */
export const uncounted = `
  SELECT 0 AS n, json_build_array(
    CASE WHEN k.revoked_at IS NOT NULL OR m.removed_at IS NOT NULL OR w.deleted_at IS NOT NULL THEN 'revoked'
      WHEN k.expires_at <= now() THEN 'expired' ELSE 'valid' END,
    k.workspace_id, w.slug, k.id, k.permissions, ${millis("k.expires_at")}, m.id, m.name, m.role, ${millis("now()")},
    NULL, NULL)::text AS holder
  FROM api_tokens k JOIN members m ON m.workspace_id = k.workspace_id AND m.id = k.member_id
  JOIN workspaces w ON w.id = k.workspace_id WHERE k.hash = $1`

export interface Found {
  readonly n: number
  /** A `Holder` in JSON, since reading as many columns costs more; null when there is no such token. */
  readonly holder: string | null
}

type Holder = readonly [
  state: "revoked" | "expired" | "valid",
  workspace: WorkspaceId,
  workspaceSlug: WorkspaceSlug,
  token: TokenId,
  permissions: ReadonlyArray<Permission>,
  expiresAt: number,
  memberId: MemberId,
  name: string,
  role: Role,
  now: number,
  resetAt: number | null,
  /** Includes all requests of the batch. */
  requests: number | null
]

/** For each of several requests with one token, counted at once, the number of later ones. */
export const laterOnes = (hashes: ReadonlyArray<string>): ReadonlyArray<number> => {
  const later = new Map<string, number>()
  return hashes
    .toReversed()
    .map((hash) => {
      const count = later.get(hash) ?? 0
      later.set(hash, count + 1)
      return count
    })
    .toReversed()
}

/** The bearer of a request, with the count it would have had alone. */
export const bearerOf = (
  { holder }: Found,
  later: number
): Either.Either<Bearer, InvalidToken | TokenExpired | TokenRevoked> => {
  if (holder === null) return Either.left(new InvalidToken())
  const [state, workspace, workspaceSlug, token, permissions, expiresAt, id, name, role, at, resetAt, counted] =
    JSON.parse(holder) as Holder
  if (state === "revoked") return Either.left(new TokenRevoked())
  if (state === "expired") return Either.left(new TokenExpired({ at: DateTime.unsafeMake(expiresAt) }))
  const requests = (counted ?? 0) - later
  const now = DateTime.unsafeMake(at)
  return Either.right({
    token,
    workspace,
    workspaceSlug,
    member: { id, name, role },
    permissions,
    window: {
      remaining: Math.max(0, requestsPerMinute - requests),
      resetAt: resetAt === null ? now : DateTime.unsafeMake(resetAt)
    },
    withinLimit: requests <= requestsPerMinute,
    now
  })
}
