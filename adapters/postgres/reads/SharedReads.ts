import type * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Either, type Runtime } from "effect"
import type { Polled } from "../../../application/ports/AuthenticatedReads.ts"
import type { InvalidToken, TokenExpired, TokenRevoked } from "../../../domain/workspace/ApiToken.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import * as Batcher from "../connection/Batcher.ts"
import * as TokenLookup from "./TokenLookup.ts"
import { orDie } from "../connection/Transactions.ts"

type Values = Readonly<Record<string, string | number | boolean | null>>

const size = { most: 64, slots: 1, queue: 5000, each: 1000, patience: 1500 }

interface Numbered {
  readonly n: number
}

/** Many asked at once: each becomes a row of $1 with its number `n`, by which its answer is found again. */
const together =
  <Row extends Numbered>(sql: SqlClient.SqlClient, text: string) =>
  (items: ReadonlyArray<Values>): Effect.Effect<ReadonlyArray<Row | undefined>> =>
    Effect.map(orDie(sql.unsafe<Row>(text, [JSON.stringify(items.map((item, n) => ({ n, ...item })))])), (rows) => {
      const answers: Array<Row | undefined> = items.map(() => undefined)
      for (const row of rows) answers[row.n] = row
      return answers
    })

/**
 * A statement for all who wait for the same: each who asks is a row `q` of their workspace and `parameters` such as
 * `key text`, and has at most one row of the answer, which bears their number `q.n`.
 */
export interface Shared<Asked, Row, A, E> {
  readonly parameters: string
  readonly statement: string
  readonly answer: (row: Row | undefined, asked: Asked) => Either.Either<A, E>
}

export const shared = <Asked extends Values, Row extends Numbered, A, E>(
  sql: SqlClient.SqlClient,
  runtime: Runtime.Runtime<never>,
  { answer, parameters, statement }: Shared<Asked, Row, A, E>
) => {
  const columns = ["n int", "workspace uuid", ...(parameters === "" ? [] : [parameters])].join(", ")
  const ask = together<Row>(sql, `WITH q AS (SELECT * FROM json_to_recordset($1::json) AS q(${columns})) ${statement}`)
  const run = (items: ReadonlyArray<Asked & { readonly workspace: WorkspaceId }>) =>
    Effect.map(ask(items), (rows) => items.map((item, n) => answer(rows[n], item)))
  const read = Batcher.make(runtime, run, size)
  return {
    /** With others that wait for the same. */
    read: (workspace: WorkspaceId, asked: Asked): Effect.Effect<A, E> => read({ workspace, ...asked }, workspace),
    /** For what takes so long that others should not wait for it. */
    readAlone: (workspace: WorkspaceId, asked: Asked): Effect.Effect<A, E> =>
      Effect.flatMap(ask([{ workspace, ...asked }]), ([row]) => answer(row, asked))
  }
}

/** The same for whoever has a token, who is looked up and counted in the same statement. */
export const entered = <Asked extends Values, Row extends Numbered, A, E>(
  sql: SqlClient.SqlClient,
  runtime: Runtime.Runtime<never>,
  { answer, parameters, statement }: Shared<Asked, Row, A, E>
) => {
  const ask = together<Row & TokenLookup.Found>(sql, TokenLookup.statement(parameters, statement))
  const run = (items: ReadonlyArray<Asked & { readonly hash: string }>) =>
    Effect.map(ask(items), (rows) => {
      const later = TokenLookup.laterOnes(items.map(({ hash }) => hash))
      return items.map((item, n) => {
        const row = rows[n]
        if (row === undefined) throw new Error("a token was not looked up")
        return Either.map(TokenLookup.bearerOf(row, later[n] ?? 0), (bearer) => ({ bearer, answer: answer(row, item) }))
      })
    })
  const poll = Batcher.make(runtime, run, size)
  return (
    hash: string,
    asked: Asked,
    lane = hash
  ): Effect.Effect<Polled<A, E>, InvalidToken | TokenExpired | TokenRevoked> => poll({ hash, ...asked }, lane)
}
