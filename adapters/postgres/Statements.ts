import * as SqlClient from "@effect/sql/SqlClient"
import * as SqlError from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { Unavailable } from "../../application/ports/Health.ts"

const Cause = Schema.Struct({ code: Schema.optional(Schema.String), message: Schema.optional(Schema.String) })
const isCause = Schema.is(Cause)

const causeOf = (error: SqlError.SqlError) => (isCause(error.cause) ? error.cause : {})

/** Class 08 and 57P are Postgres saying goodbye; 53300 is no connection left; the rest never reached it. */
const lostConnection = (error: SqlError.SqlError) => {
  const { code = "", message = "" } = causeOf(error)
  return (
    /^(08...|57P0.|53300|ECONN.*|ENOENT|ENOTFOUND|EPIPE|ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN)$/.test(code) ||
    /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error/i.test(
      message
    )
  )
}

const isSqlError = (error: unknown): error is SqlError.SqlError => error instanceof SqlError.SqlError

/** SQL that fails is a defect of ours, unless the database is away. */
export const orDie = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> =>
  Effect.catchAll(effect, (error) =>
    isSqlError(error)
      ? Effect.die(lostConnection(error) ? new Unavailable() : error)
      : Effect.fail(error as Exclude<E, SqlError.SqlError>)
  )

/** A database that is slow, full or busy, which says nothing of what was to be written. */
export const isTrouble = (defect: unknown): boolean =>
  isSqlError(defect) && !/^(22|23|54)/.test(causeOf(defect).code ?? "")

const lostRace = (error: unknown) =>
  isSqlError(error) && ["23505", "40001", "40P01"].includes(causeOf(error).code ?? "")

/** One transaction, begun anew when another one took a key or a lock first: the second look decides. */
export const transaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    orDie(Effect.retry(sql.withTransaction(effect), { while: lostRace, times: 5 }))
  )
