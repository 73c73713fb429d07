import * as PgClient from "@effect/sql-pg/PgClient"
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Layer } from "effect"
import pg from "pg"
import * as Notifications from "./Notifications.ts"
import { PipelinedClient } from "./PipelinedClient.ts"

/** A caller beyond this number is better off retrying than waiting longer. */
const mostWaiting = 500

class Bounded extends pg.Pool {
  // oxlint-disable-next-line typescript/no-explicit-any
  override connect(callback?: any): any {
    if (this.waitingCount < mostWaiting) return callback ? super.connect(callback) : super.connect()
    const full = new Error("too many wait for a connection")
    return callback ? callback(full) : Promise.reject(full)
  }
}

const failed = (cause: unknown) => new SqlError({ cause, message: "Failed to connect" })

/** Connections all Postgres adapters share; the first is opened at once, to verify that there is a server. */
const pool = (settings: pg.PoolConfig) =>
  PgClient.layerFromPool({
    acquire: Effect.acquireRelease(
      Effect.gen(function* () {
        const piped = { ...settings, Client: PipelinedClient, pipeline: true }
        const pool = new Bounded(piped)
        pool.on("error", () => {})
        yield* Effect.tryPromise({ try: () => pool.query("SELECT 1"), catch: failed })
        return pool
      }),
      (pool) => Effect.promise(() => pool.end()).pipe(Effect.interruptible, Effect.timeoutOption("1 second"))
    )
  })

export const layer = (settings: pg.PoolConfig) => Layer.merge(pool(settings), Notifications.layer(settings))
