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

/** Runs many reads at once: each becomes a row of $1 with a number `n`, by which its answer is found. */
const together =
  <Row extends Numbered>(sql: SqlClient.SqlClient, text: string) =>
  (items: ReadonlyArray<Values>): Effect.Effect<ReadonlyArray<Row | undefined>> =>
    Effect.map(orDie(sql.unsafe<Row>(text, [JSON.stringify(items.map((item, n) => ({ n, ...item })))])), (rows) => {
      const answers: Array<Row | undefined> = items.map(() => undefined)
      for (const row of rows) answers[row.n] = row
      return answers
    })

/**
 * One statement for all callers of the same read: each caller is a row `q` with its workspace and `parameters` such as
 * `key text`, and gets at most one result row, which has the caller's number `q.n`.
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
    /** Reads together with other callers of the same read. */
    read: (workspace: WorkspaceId, asked: Asked): Effect.Effect<A, E> => read({ workspace, ...asked }, workspace),
    /** For slow reads that others should not wait for. */
    readAlone: (workspace: WorkspaceId, asked: Asked): Effect.Effect<A, E> =>
      Effect.flatMap(ask([{ workspace, ...asked }]), ([row]) => answer(row, asked))
  }
}

/** The same by token; the token is looked up and its request counted in the same statement. */
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
