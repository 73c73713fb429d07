import type { FastifyReply, FastifyRequest } from "fastify"
import { admit, type Caller, checkKnown, type Counted, type Found, found, hashOf } from "./Access.ts"
import { batcher } from "./Batcher.ts"
import { requestsPerMinute, windowSeconds } from "./Edge.ts"
import { type Sql, statement } from "./Statements.ts"

interface Asked {
  readonly hash: string
}

type Answered<Read> = Found & Counted & { readonly n: number } & Read

const isOver = `t.started_at + interval '${windowSeconds} seconds' <= excluded.started_at`

/**
 * Authenticates, counts and reads for all requests of a batch. Requests of one token count together, and the last of
 * them gets the sum; a full window stays full. `read` may refer to the request as `a` and to its token as `f`.
 */
const textOf = (typed: string, read: string) => `
  WITH asked AS MATERIALIZED (
    SELECT r.*, (row_number() OVER (PARTITION BY r.hash ORDER BY r.n))::int AS place
    FROM json_to_recordset($1::json) AS r(n integer, hash text${typed})
  ), found AS MATERIALIZED (
    SELECT g.hash, g.times, ${found}
    FROM (SELECT a.hash, count(*)::int AS times FROM asked a GROUP BY a.hash) g
    JOIN api_tokens k ON k.hash = g.hash
    JOIN members m ON m.workspace_id = k.workspace_id AND m.id = k.member_id
    JOIN workspaces w ON w.id = k.workspace_id
  ), counted AS (
    INSERT INTO token_windows AS t (workspace_id, token_id, started_at, requests)
    SELECT workspace_id, token_id, now(), times FROM found WHERE NOT is_revoked AND NOT is_expired
    ORDER BY workspace_id, token_id
    ON CONFLICT (workspace_id, token_id) DO UPDATE SET
      started_at = CASE WHEN ${isOver} THEN excluded.started_at ELSE t.started_at END,
      requests = CASE WHEN ${isOver} THEN excluded.requests
        ELSE least(t.requests, ${requestsPerMinute}) + excluded.requests END
    RETURNING t.token_id, t.started_at, t.requests
  ), admitted AS MATERIALIZED (
    SELECT a.*, f.workspace_id, f.slug, f.token_id, f.permissions, f.member_id, f.name, f.role, f.is_revoked,
      f.is_expired, c.started_at, c.requests - f.times + a.place AS requests, now() AS now,
      c.requests - f.times + a.place <= ${requestsPerMinute} AND f.permissions && ARRAY['read', 'admin'] AS may
    FROM asked a JOIN found f ON f.hash = a.hash LEFT JOIN counted c ON c.token_id = f.token_id
  )
  SELECT a.n, a.workspace_id, a.slug, a.token_id, a.permissions, a.member_id, a.name, a.role, a.is_revoked,
    a.is_expired, a.started_at, a.requests, a.now, o.*
  FROM admitted a LEFT JOIN LATERAL (${read}) o ON true`

/** One read for every request of a batch: the token is found, counted and answered in the same statement. */
export const batched = <Read extends object, Given extends object = object>(
  sql: Sql,
  use: (caller: Caller) => void,
  { name, read, typed }: { readonly name: string; readonly typed: string; readonly read: string }
) => {
  const all = statement(name, textOf(typed, read))
  const ask = batcher(async (asked: ReadonlyArray<Asked & Given>) => {
    const rows = await sql.query<Answered<Read>>(all, [JSON.stringify(asked.map((one, n) => ({ ...one, n })))])
    const answers = new Map(rows.map((row) => [row.n, row]))
    return asked.map((_, n) => answers.get(n))
  })
  return async (request: FastifyRequest, reply: FastifyReply, given: Given) => {
    const answer = await ask({ ...given, hash: hashOf(request) })
    checkKnown(answer)
    request.caller = admit(reply, answer, answer, "read")
    use(request.caller)
    return answer
  }
}
