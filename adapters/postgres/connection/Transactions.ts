import * as SqlClient from "@effect/sql/SqlClient"
import * as SqlError from "@effect/sql/SqlError"
import { Effect, Option, Schema } from "effect"
import { Unavailable } from "../../../application/ports/Health.ts"
import { OutcomeUnknown } from "./PipelinedClient.ts"

const Cause = Schema.Struct({ code: Schema.optional(Schema.String), message: Schema.optional(Schema.String) })
const isCause = Schema.is(Cause)

const causeOf = (error: SqlError.SqlError) => (isCause(error.cause) ? error.cause : {})

/** Classes 08 and 57P mean Postgres closes the connection, 53300 none is free; the others never reached it. */
const lostConnection = ({ code = "", message = "" }: typeof Cause.Type) =>
  /^(08...|57P0.|53300|ECONN.*|ENOENT|ENOTFOUND|EPIPE|ETIMEDOUT|EHOSTUNREACH|EAI_AGAIN)$/.test(code) ||
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|too many wait for a connection/i.test(
    message
  )

/** A full or failing disk, lack of memory, a slow statement or lock, or the loser of many races. */
const isOverwhelmed = ({ code = "" }: typeof Cause.Type) => /^(53...|58...|57014|55P03|40001|40P01)$/.test(code)

const unavailable = (error: SqlError.SqlError) => {
  if (error.cause instanceof OutcomeUnknown) return new Unavailable({ outcome: "unknown" })
  const cause = causeOf(error)
  if (lostConnection(cause)) return new Unavailable()
  return isOverwhelmed(cause) ? new Unavailable({ reason: "The database is overloaded or out of space." }) : undefined
}

const isSqlError = (error: unknown): error is SqlError.SqlError => error instanceof SqlError.SqlError

/** Failing SQL is a defect of ours, unless the database is unavailable. */
export const orDie = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, SqlError.SqlError>, R> =>
  Effect.catchAll(effect, (error) =>
    isSqlError(error) ? Effect.die(unavailable(error) ?? error) : Effect.fail(error as Exclude<E, SqlError.SqlError>)
  )

/** True when the database is slow, full or busy, which says nothing about the written rows. */
export const isTrouble = (defect: unknown): boolean =>
  isSqlError(defect) && !/^(22|23|54)/.test(causeOf(defect).code ?? "")

const lostRace = (error: unknown) =>
  isSqlError(error) && ["23505", "40001", "40P01"].includes(causeOf(error).code ?? "")

/** Of ten connections: transactions waiting for each other's locks must leave some to readers. */
const mostTransactions = 6
const mostWaiting = 500

const doors = new WeakMap<SqlClient.SqlClient, { readonly seats: Effect.Semaphore; waiting: number }>()

const doorOf = (sql: SqlClient.SqlClient) => {
  const door = doors.get(sql) ?? { seats: Effect.unsafeMakeSemaphore(mostTransactions), waiting: 0 }
  doors.set(sql, door)
  return door
}

const seated = <A, E, R>(sql: SqlClient.SqlClient, effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const door = doorOf(sql)
    if (door.waiting >= mostWaiting) return Effect.die(new Unavailable({ reason: "Too many changes wait already." }))
    door.waiting++
    let isWaiting = true
    const seat = () => {
      if (isWaiting) door.waiting--
      isWaiting = false
    }
    return door.seats
      .withPermits(1)(Effect.zipRight(Effect.sync(seat), effect))
      .pipe(Effect.ensuring(Effect.sync(seat)))
  })

/** Runs one transaction, and again when another one took a key or a lock first: the second read decides. */
export const transaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (within) => {
      const attempts = Effect.retry(sql.withTransaction(effect), { while: lostRace, times: 5 })
      return orDie(Option.isSome(within) ? attempts : seated(sql, attempts)).pipe(
        // A failing commit is already a defect.
        Effect.catchAllDefect((defect) => Effect.die((isSqlError(defect) && unavailable(defect)) || defect))
      )
    })
  )
