import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { SentForms } from "../../../application/ports/identity/SentForms.ts"
import { orDie } from "../connection/Transactions.ts"

/** The answer of a form that was taken meanwhile is not seen yet, and counts as unknown. */
const take = `
  WITH taken AS (
    INSERT INTO kept_answers (workspace_id, token_id, key, request, answer, created_at)
    VALUES ($1, $2, $3, '', '', statement_timestamp()) ON CONFLICT DO NOTHING RETURNING key
  )
  SELECT EXISTS (SELECT FROM taken) AS "isFirst",
    (SELECT nullif(k.answer, '') FROM kept_answers k
      WHERE k.workspace_id = $1 AND k.token_id = $2 AND k.key = $3) AS answer`

export const layer = Layer.effect(
  SentForms,
  Effect.map(SqlClient.SqlClient, (sql) =>
    SentForms.of({
      take: (workspace, { key, token }) =>
        Effect.map(
          orDie(
            sql.unsafe<{ readonly isFirst: boolean; readonly answer: string | null }>(take, [workspace, token, key])
          ),
          ([found]) => found ?? { isFirst: false, answer: null }
        ),
      keep: (workspace, { key, token }, answer) =>
        Effect.asVoid(
          orDie(sql`
            UPDATE kept_answers SET answer = ${answer}
            WHERE workspace_id = ${workspace} AND token_id = ${token} AND key = ${key}`)
        ),
      release: (workspace, { key, token }) =>
        Effect.asVoid(
          orDie(sql`
            DELETE FROM kept_answers
            WHERE workspace_id = ${workspace} AND token_id = ${token} AND key = ${key} AND answer = ''`)
        )
    })
  )
)
