import { createHash } from "node:crypto"
import type { FastifyReply, FastifyRequest } from "fastify"
import { requestsPerMinute, showWindow, windowSeconds } from "./Edge.ts"
import { Refusal } from "./Refusal.ts"
import { type Sql, statement } from "./Statements.ts"

type Permission = "read" | "write" | "delete" | "admin"
export type Role = "member" | "admin" | "owner"

/** The member a token acts for, as stored. */
export interface Found {
  readonly workspace_id: string
  readonly slug: string
  readonly token_id: string
  readonly permissions: ReadonlyArray<Permission>
  readonly member_id: string
  readonly name: string
  readonly role: Role
  readonly is_revoked: boolean
  readonly is_expired: boolean
}

export interface Counted {
  readonly started_at: Date
  readonly requests: number
  readonly now: Date
}

export interface Caller extends Found {
  readonly now: Date
}

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller
  }
}

/** From `api_tokens k`, `members m` and `workspaces w`. */
export const found = `
  k.workspace_id, w.slug, k.id AS token_id, k.permissions, m.id AS member_id, m.name, m.role,
  k.revoked_at IS NOT NULL OR m.removed_at IS NOT NULL OR w.deleted_at IS NOT NULL AS is_revoked,
  k.expires_at <= now() AS is_expired`

export const tokens = `
  api_tokens k JOIN members m ON m.workspace_id = k.workspace_id AND m.id = k.member_id
  JOIN workspaces w ON w.id = k.workspace_id`

const find = statement("find_token", `SELECT ${found} FROM ${tokens} WHERE k.hash = $1`)

/** A window opens with a token's first request and stays open for a minute. */
const count = statement(
  "count_request",
  `INSERT INTO token_windows AS t (workspace_id, token_id, started_at, requests) VALUES ($1, $2, now(), 1)
   ON CONFLICT (workspace_id, token_id) DO UPDATE SET
     started_at = CASE WHEN t.started_at + interval '${windowSeconds} seconds' <= excluded.started_at
       THEN excluded.started_at ELSE t.started_at END,
     requests = CASE WHEN t.started_at + interval '${windowSeconds} seconds' <= excluded.started_at
       THEN 1 ELSE least(t.requests + 1, ${requestsPerMinute + 1}) END
   RETURNING started_at, requests, now() AS now`
)

const invalid = () => new Refusal(401, "invalid_token", "The API token is not known.")

/** The hash of a request's token. */
export const hashOf = (request: FastifyRequest): string => {
  const token = /^Bearer +(.*\S)/i.exec(request.headers.authorization ?? "")?.[1]
  if (token === undefined) throw new Refusal(401, "missing_token", "Send 'Authorization: Bearer tk_…'.")
  if (!/^tk_[A-Za-z0-9]{32}$/.test(token)) throw invalid()
  return createHash("sha256").update(token).digest("hex")
}

export const checkKnown: (known: Found | undefined) => asserts known is Found = (known) => {
  if (known === undefined) throw invalid()
  if (known.is_revoked) throw new Refusal(401, "token_revoked", "The API token was revoked.")
  if (known.is_expired) throw new Refusal(401, "token_expired", "The API token has expired.")
}

/** Checks the limit, then the permission; always sends the window. */
export const admit = (reply: FastifyReply, known: Found, window: Counted, needed: Permission): Caller => {
  const resetAt = window.started_at.getTime() + windowSeconds * 1000
  showWindow(reply, window.requests, resetAt)
  if (window.requests > requestsPerMinute) {
    const seconds = Math.max(1, Math.ceil((resetAt - window.now.getTime()) / 1000))
    throw new Refusal(429, "rate_limited", "More than 120 requests in a minute.", { "retry-after": String(seconds) })
  }
  if (!known.permissions.includes(needed) && !known.permissions.includes("admin"))
    throw new Refusal(403, "insufficient_permission", `This needs a token with the permission '${needed}'.`)
  return { ...known, now: window.now }
}

/**
 * Authenticates and counts, one statement each. Requests without a valid token are not counted by address, which the
 * real service does in memory.
 */
export const access = (sql: Sql, use: (caller: Caller) => void) => (needed: Permission) =>
  async function enter(request: FastifyRequest, reply: FastifyReply) {
    const [known] = await sql.query<Found>(find, [hashOf(request)])
    checkKnown(known)
    const [window] = await sql.query<Counted>(count, [known.workspace_id, known.token_id])
    if (window === undefined) throw new Error("a request is always counted")
    request.caller = admit(reply, known, window, needed)
    use(request.caller)
  }
