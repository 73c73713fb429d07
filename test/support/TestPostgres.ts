import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { inject } from "vitest"
import * as Pool from "../../adapters/postgres/connection/Pool.ts"
import * as Postgres from "../../adapters/postgres/Postgres.ts"

/** Migrated once for all tests; a copy takes a tenth of the migrations' time. */
const template = "gatehouse"

const at = () => {
  const { host, port, username } = inject("postgres")
  return { host, port, user: username }
}

const connect = (database: string, maxConnections: number) => Pool.layer({ ...at(), database, max: maxConnections })

/** A new database with the schema. */
const freshDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`
  yield* sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template}`)
  return name
}).pipe(Effect.provide(connect("postgres", 1)))

export const client = (maxConnections = 10) =>
  Layer.unwrapEffect(Effect.map(freshDatabase, (name) => connect(name, maxConnections)))

const urlOf = (name: string) => {
  const { host, port, username } = inject("postgres")
  return `postgres://${username}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`
}

/** The address of the present database, for a separate process. */
export const address = Effect.map(
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ readonly name: string }>`SELECT current_database() AS name`),
  ([row]) => urlOf(row?.name ?? "")
)

/** A fresh database by its address, and every port on it. */
export const addressed = Effect.map(freshDatabase, (name) => ({
  url: urlOf(name),
  layer: Postgres.layer.pipe(Layer.provideMerge(connect(name, 10)))
}))

/** Every port on a fresh database. */
export const layer = Postgres.layer.pipe(Layer.provideMerge(client()))

/** Ports of several instances that share one fresh database. */
export const instances = (count: number) =>
  Effect.map(freshDatabase, (name) =>
    Array.from({ length: count }, () => Postgres.layer.pipe(Layer.provideMerge(connect(name, 10))))
  )
