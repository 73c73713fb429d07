import type * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Either, type Runtime } from "effect"
import type { Bearer } from "../../application/ports/TokenStore.ts"
import type { InvalidToken, TokenExpired, TokenRevoked } from "../../domain/ApiToken.ts"
import type { WorkspaceId } from "../../domain/Workspace.ts"
import * as Batcher from "./Batcher.ts"
import * as Entering from "./Entering.ts"
import { orDie } from "./Statements.ts"

type Values = Readonly<Record<string, string | number | boolean | null>>

const size = { most: 64, slots: 1, queue: 5000, each: 1000, patience: 1500 }

/** Many asked at once: each becomes a row of $1 with its number `n`, by which its answer is found again. */
const together =
  <Row extends { readonly n: number }>(sql: SqlClient.SqlClient, text: string) =>
  (items: ReadonlyArray<Values>): Effect.Effect<ReadonlyArray<Row | undefined>> =>
    Effect.map(orDie(sql.unsafe<Row>(text, [JSON.stringify(items.map((item, n) => ({ n, ...item })))])), (rows) => {
      const answers: Array<Row | undefined> = items.map(() => undefined)
      for (const row of rows) answers[row.n] = row
      return answers
    })

export interface Shared<Row> {
  /** With others that wait for the same. */
  readonly read: (workspace: WorkspaceId, values: Values) => Effect.Effect<Row | undefined>
  /** For what takes so long that others should not wait for it. */
  readonly readAlone: (workspace: WorkspaceId, values: Values) => Effect.Effect<Row | undefined>
}

/**
 * A statement that answers every request that waits for it at once: each is a row `q` of its workspace and `parameters`
 * such as `key text`, and has at most one row of the answer, which bears its number `q.n`.
 */
export const shared = <Row extends { readonly n: number }>(
  sql: SqlClient.SqlClient,
  runtime: Runtime.Runtime<never>,
  parameters: string,
  statement: string
): Shared<Row> => {
  const columns = ["n int", "workspace uuid", ...(parameters === "" ? [] : [parameters])].join(", ")
  const ask = together<Row>(sql, `WITH q AS (SELECT * FROM json_to_recordset($1::json) AS q(${columns})) ${statement}`)
  const batch = Batcher.make(runtime, ask, { ...size, lane: ({ workspace }) => String(workspace) })
  return {
    read: (workspace, values) => batch({ workspace, ...values }),
    readAlone: (workspace, values) => Effect.map(ask([{ workspace, ...values }]), ([row]) => row)
  }
}

/** The same for whoever has a token, who is looked up and counted in the same statement. */
export const entered = <Row extends { readonly n: number }>(
  sql: SqlClient.SqlClient,
  runtime: Runtime.Runtime<never>,
  parameters: string,
  statement: string
) => {
  const text = Entering.statement(parameters, statement)
  const ask = together<Row & Entering.Found>(sql, text)
  const batch = Batcher.make(
    runtime,
    (items: ReadonlyArray<Values & { readonly hash: string }>) =>
      Effect.map(ask(items), (rows) => {
        const later = Entering.laterOnes(items.map(({ hash }) => hash))
        return rows.map((row, index) => ({ row, later: later[index] ?? 0 }))
      }),
    { ...size, lane: ({ hash }) => hash }
  )
  return (
    hash: string,
    values: Values
  ): Effect.Effect<{ readonly bearer: Bearer; readonly row: Row }, InvalidToken | TokenExpired | TokenRevoked> =>
    Effect.flatMap(batch({ hash, ...values }), ({ later, row }) =>
      row === undefined
        ? Effect.dieMessage("a token was not looked up")
        : Either.map(Entering.bearerOf(row, later), (bearer) => ({ bearer, row }))
    )
}
