import * as SqlClient from "@effect/sql/SqlClient"
import { DateTime, Effect, Either, Layer, Schema } from "effect"
import { TokenStore } from "../../../application/ports/TokenStore.ts"
import { ApiToken } from "../../../domain/workspace/ApiToken.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { commit } from "../rows/Commit.ts"
import { offline } from "../context/HeldWork.ts"
import * as SharedReads from "../reads/SharedReads.ts"
import * as TokenLookup from "../reads/TokenLookup.ts"
import * as WorkspaceRows from "../rows/WorkspaceRows.ts"
import { orDie, transaction } from "../connection/Transactions.ts"

const decodeTokens = Schema.decodeUnknownSync(Schema.Array(ApiToken))
const Held = Schema.Struct({ workspace: WorkspaceId, now: Timestamp, token: Schema.NullOr(ApiToken) })
const decodeHeld = Schema.decodeUnknownSync(Schema.Array(Held))

export const layer = Layer.effect(
  TokenStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const token = sql.literal(WorkspaceRows.token)
    const enter = SharedReads.entered(sql, yield* Effect.runtime(), {
      parameters: "",
      statement: "SELECT q.n FROM q",
      answer: () => Either.void
    })
    return TokenStore.of({
      authenticate: (hash, lane) => Effect.map(enter(hash, {}, lane), ({ bearer }) => bearer),
      identify: (hash) =>
        Effect.flatMap(orDie(sql.unsafe<TokenLookup.Found>(TokenLookup.uncounted, [hash])), ([found]) =>
          TokenLookup.bearerOf(found ?? { n: 0, holder: null }, 0)
        ),
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
          if (held !== undefined) yield* commit(held.workspace, now, yield* offline(held.workspace, now, change))
          return answer
        }).pipe(transaction, Effect.flatten, Effect.provideService(SqlClient.SqlClient, sql)),
      touch: (uses) => {
        const rows = uses.map(({ at, token, workspace }) => ({ at: DateTime.formatIso(at), token, workspace }))
        return orDie(sql`
          UPDATE api_tokens k SET last_used_at = u.at
          FROM json_to_recordset(${JSON.stringify(rows)}::json) AS u(workspace uuid, token uuid, at timestamptz)
          WHERE k.workspace_id = u.workspace AND k.id = u.token
            AND (k.last_used_at IS NULL OR k.last_used_at < u.at)`)
      }
    })
  })
)
