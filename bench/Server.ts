import { Effect, Exit, Scope } from "effect"
import { setTimeout as sleep } from "node:timers/promises"
import { Client } from "pg"
import * as Embedded from "../adapters/postgres/embedded/Embedded.ts"

/** Loaded, but idle except while statements are counted, so that it costs nothing. */
const loaded = "shared_preload_libraries = 'pg_stat_statements'"
const idle = ["compute_query_id = 'off'", "pg_stat_statements.track = 'none'"]
const counting = ["compute_query_id = 'on'", "pg_stat_statements.track = 'top'"]

/** Without the statements that check whether a service is idle. */
const calls = `
  SELECT coalesce(sum(calls), 0)::int AS calls FROM pg_stat_statements
  WHERE dbid = (SELECT oid FROM pg_database WHERE datname = $1) AND query NOT LIKE '%deliveries_left%'`

/** An embedded Postgres as the service starts it, which can also count statements. */
export const open = async (folder: string) => {
  const acquire = Embedded.acquire(folder)
  const addressIn =
    ({ host, port, username }: Embedded.Server) =>
    (name: string) =>
      `postgres://${username}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`
  const queryAt = async <A>(connectionString: string, use: (client: Client) => Promise<A>) => {
    const client = new Client({ connectionString })
    await client.connect()
    try {
      return await use(client)
    } finally {
      await client.end()
    }
  }
  const set = (url: string, settings: ReadonlyArray<string>) =>
    queryAt(url, async (client) => {
      for (const setting of settings) await client.query(`ALTER SYSTEM SET ${setting}`)
      await client.query("SELECT pg_reload_conf()")
      await sleep(500)
    })

  // A preloaded library is loaded at the next start.
  const prepare = Effect.flatMap(acquire, (server) =>
    Effect.promise(() => set(addressIn(server)("postgres"), [loaded, ...idle]))
  )
  await Effect.runPromise(Effect.scoped(prepare))
  const scope = await Effect.runPromise(Scope.make())
  const server = await Effect.runPromise(Scope.extend(acquire, scope))
  const urlOf = addressIn(server)
  const query = <A>(database: string, use: (client: Client) => Promise<A>) => queryAt(urlOf(database), use)

  return {
    server,
    urlOf,
    query,
    admin: (statement: string) => query("postgres", (client) => client.query(statement)),
    version: () =>
      query("postgres", async (client) => {
        const { rows } = await client.query<{ readonly server_version: string }>("SHOW server_version")
        return rows[0]?.server_version ?? "unknown"
      }),
    /** Counts the statements of each database while `use` runs, which may read the number so far. */
    whileCounting: async <A>(use: (sentTo: (database: string) => Promise<number>) => Promise<A>) => {
      const url = urlOf("postgres")
      await set(url, counting)
      await queryAt(url, (client) => client.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements"))
      const answer = await use((database) =>
        queryAt(url, async (client) => {
          const { rows } = await client.query<{ readonly calls: number }>(calls, [database])
          return rows[0]?.calls ?? 0
        })
      )
      await set(url, idle)
      return answer
    },
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
