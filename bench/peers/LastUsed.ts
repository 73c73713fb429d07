import type { Caller } from "./Access.ts"
import { type Sql, statement } from "./Statements.ts"

const touch = statement(
  "touch_tokens",
  `UPDATE api_tokens k SET last_used_at = u.at
   FROM json_to_recordset($1::json) AS u(workspace uuid, token uuid, at timestamptz)
   WHERE k.workspace_id = u.workspace AND k.id = u.token
     AND (k.last_used_at IS NULL OR k.last_used_at + interval '1 minute' <= u.at)`
)

/** Writes the last use of tokens now and then, not within requests. */
export const lastUsed = (sql: Sql) => {
  const uses = new Map<string, { readonly workspace: string; readonly token: string; readonly at: Date }>()
  const flush = async () => {
    const rows = [...uses.values()]
    uses.clear()
    if (rows.length > 0) await sql.query(touch, [JSON.stringify(rows)])
  }
  const timer = setInterval(() => void flush().catch(() => {}), 10_000)
  return {
    record: ({ now, token_id, workspace_id }: Caller) =>
      void uses.set(token_id, { workspace: workspace_id, token: token_id, at: now }),
    close: async () => {
      clearInterval(timer)
      await flush()
    }
  }
}
