import * as Pool from "../../adapters/postgres/connection/Pool.ts"
import { Effect, Layer, ManagedRuntime, Option, Redacted } from "effect"
import * as Tools from "../../adapters/alerting/Tools.ts"
import * as Postgres from "../../adapters/postgres/Postgres.ts"
import * as OutgoingHttp from "../../adapters/outgoing/OutgoingHttp.ts"
import * as ToolApis from "../../adapters/alerting/ToolApis.ts"
import { Unavailable } from "../../application/ports/Health.ts"
import { SecretKey } from "../../application/secrets/SecretKey.ts"
import * as Sealing from "../../application/secrets/Sealing.ts"
import * as Prepared from "./Prepared.ts"
import { ownPostgres } from "./OwnPostgres.ts"
import { addressOf, type Program, type Settings, workshop } from "./Process.ts"

const key = new Uint8Array(32).fill(7)

/** Tries again while the database does not answer in time, as clients do: such a call changed nothing. */
const retried = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchSomeDefect(effect, (defect) =>
    defect instanceof Unavailable ? Option.some(Effect.delay(retried(effect), "200 millis")) : Option.none()
  )

/** A Postgres that a test may stop and restart, services beside it, and their stores. */
export const station = async (folder = Prepared.folder()) => {
  const shop = workshop()
  const postgres = await ownPostgres(folder)
  const client = Pool.layer({ ...postgres.client, connectionTimeoutMillis: 3000, max: 5 })
  const stores = Layer.mergeAll(
    Postgres.layer.pipe(Layer.provideMerge(client)),
    Tools.layer,
    Layer.provide(ToolApis.layer, OutgoingHttp.layer),
    Sealing.layer.pipe(Layer.provide(Layer.succeed(SecretKey, Redacted.make(key))))
  )
  const runtime = ManagedRuntime.make(stores)
  const settings = { DATABASE_URL: postgres.url, SECRET_KEY: Buffer.from(key).toString("base64"), PORT: "0" }
  return {
    settings,
    run: <A, E>(effect: Effect.Effect<A, E, ManagedRuntime.ManagedRuntime.Context<typeof runtime>>) =>
      runtime.runPromise(retried(effect)),
    /** A separate service, and its address. */
    serve: async (more: Settings = {}): Promise<{ readonly service: Program; readonly url: string }> => {
      const service = shop.node({ ...settings, ...more })
      return { service, url: (await addressOf(service)).replace("localhost", "127.0.0.1") }
    },
    gone: (service: Program) => shop.gone(service),
    launch: shop.launch,
    worker: shop.worker,
    folder: shop.folder,
    endDatabase: postgres.end,
    beginDatabase: postgres.begin,
    restartDatabase: postgres.restart,
    close: async () => {
      await runtime.dispose()
      // A server that a service restarted runs from the workshop's folder, and ends with its last user.
      await postgres.close(shop.close())
    }
  }
}
export type Station = Awaited<ReturnType<typeof station>>
