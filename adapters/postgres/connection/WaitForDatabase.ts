import { SqlError } from "@effect/sql/SqlError"
import { Duration, Effect, Layer, Schedule, Schema } from "effect"

export class DatabaseUnreachable extends Schema.TaggedError<DatabaseUnreachable>()("DatabaseUnreachable", {
  where: Schema.String,
  reason: Schema.String,
  tried: Schema.String
}) {
  override get message() {
    return `Cannot connect to the database at ${this.where}: ${this.reason}.${this.tried} Check DATABASE_URL and that it is running.`
  }
}

const causeOf = (error: unknown): unknown => (error instanceof SqlError ? error.cause : error)

/** A host with several addresses fails once for each; the aggregate error has no reason of its own. */
const partsOf = (error: unknown): ReadonlyArray<unknown> =>
  error instanceof AggregateError ? error.errors.flatMap(partsOf) : [error]

const reasonOf = (error: unknown) => {
  const reasons = partsOf(error).map((part) => (part instanceof Error ? part.message : String(part)))
  return [...new Set(reasons)].join(", ")
}

/** Codes of a server that is not there yet, starts, recovers or ends, or has no free connection. */
const passing =
  /^(E(CONNREFUSED|CONNRESET|NOENT|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH|TIMEDOUT|PIPE)|57P0[123]|53300)$/

/** pg sets no code when a connection takes too long or breaks off. */
const broken = /timeout|terminated unexpectedly/

const isPassing = (part: unknown) =>
  typeof part === "object" && part !== null && "code" in part && typeof part.code === "string"
    ? passing.test(part.code)
    : part instanceof Error && broken.test(part.message)

/** Retries for that time while the server may still come up, and logs it once. */
export const patiently =
  (where: string, wait: Duration.Duration) =>
  <A, E, R>(connected: Layer.Layer<A, E, R>): Layer.Layer<A, DatabaseUnreachable, R> =>
    Layer.suspend(() => {
      let tries = 0
      const within = `${Duration.toSeconds(wait)} s`
      const mayPass = (error: unknown) => !Duration.isZero(wait) && partsOf(error).some(isPassing)
      return connected.pipe(
        Layer.mapError(causeOf),
        Layer.tapError((error) => {
          tries += 1
          if (tries > 1 || !mayPass(error)) return Effect.void
          return Effect.logWarning(`waits up to ${within} for the database at ${where}: ${reasonOf(error)}`)
        }),
        Layer.retry(Schedule.spaced("500 millis").pipe(Schedule.upTo(wait), Schedule.whileInput(mayPass))),
        Layer.mapError((error) => {
          const tried = tries > 1 ? ` Tried ${tries} times within ${within}.` : ""
          return new DatabaseUnreachable({ where, reason: reasonOf(error), tried })
        })
      )
    })
