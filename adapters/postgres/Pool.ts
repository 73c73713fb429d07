import * as PgClient from "@effect/sql-pg/PgClient"
import { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import pg from "pg"

const names = new Map<string, string>()

/** More texts than the service has; one that is made up as it goes must not fill the memory of every connection. */
const mostNames = 500

const nameOf = (text: string): string | undefined => {
  const known = names.get(text)
  if (known !== undefined || names.size >= mostNames) return known
  const name = `gatehouse_${names.size}`
  names.set(text, name)
  return name
}

/** Names every statement with parameters, so that Postgres reads and plans it once for each connection. */
class NamingClient extends pg.Client {
  // oxlint-disable-next-line typescript/no-explicit-any
  override query(...given: Array<any>): any {
    const [text, values, ...rest] = given
    const name = typeof text === "string" && Array.isArray(values) && values.length > 0 ? nameOf(text) : undefined
    const ask = super.query as (...given: ReadonlyArray<unknown>) => unknown
    return name === undefined ? ask.apply(this, given) : ask.apply(this, [{ name, text, values }, ...rest])
  }
}

const failed = (cause: unknown) => new SqlError({ cause, message: "Failed to connect" })

/** Connections that every Postgres adapter shares; the first is made at once, to see that there is a server. */
export const layer = (settings: pg.PoolConfig) =>
  PgClient.layerFromPool({
    acquire: Effect.acquireRelease(
      Effect.gen(function* () {
        const pool = new pg.Pool({ ...settings, Client: NamingClient })
        pool.on("error", () => {})
        yield* Effect.tryPromise({ try: () => pool.query("SELECT 1"), catch: failed })
        return pool
      }),
      (pool) => Effect.promise(() => pool.end()).pipe(Effect.interruptible, Effect.timeoutOption("1 second"))
    )
  })
