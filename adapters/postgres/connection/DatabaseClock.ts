import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { Timestamp } from "../../../domain/value/Timestamp.ts"

const decode = Schema.decodeUnknownSync(Schema.Tuple(Schema.Struct({ now: Timestamp })))

/** The database's clock, which all instances share. */
export const now = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql`SELECT iso8601(clock_timestamp()) AS now`, (rows) => decode(rows)[0].now)
)
