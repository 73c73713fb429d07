import { Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import { DataPlace } from "../../DataPlace.ts"
import * as Settings from "../../Settings.ts"
import * as WaitForDatabase from "./WaitForDatabase.ts"
import * as Embedded from "../embedded/Embedded.ts"
import * as Pool from "./Pool.ts"

/** Fails when the embedded Postgres ends too often to be restarted; an external database is waited for. */
export class Supervision extends Context.Tag("postgres/Supervision")<
  Supervision,
  { readonly lost: Effect.Effect<never, Embedded.EmbeddedPostgresFailed> }
>() {}

const timeouts =
  "-c TimeZone=UTC -c statement_timeout=5000 -c lock_timeout=5000 -c idle_in_transaction_session_timeout=30000"

const withTimeouts = (address: string) => {
  const url = new URL(address)
  if (!url.searchParams.has("options")) url.searchParams.set("options", timeouts)
  return url.href
}

interface Database {
  readonly url: string
  readonly place: { readonly embedded: boolean; readonly where: string }
  readonly lost: Effect.Effect<never, Embedded.EmbeddedPostgresFailed>
}

const local = ({ server, lost }: Embedded.Supervised): Database => {
  const url = new URL(`postgres://${server.username}@localhost:${server.port}/${server.database}`)
  url.searchParams.set("host", server.host)
  return { url: url.href, place: { embedded: true, where: server.dataDir }, lost }
}

const remote = (address: Redacted.Redacted): Database => {
  const { hostname, pathname, port } = new URL(Redacted.value(address))
  const where = `${hostname || "localhost"}:${port || 5432}${pathname}`
  return { url: Redacted.value(address), place: { embedded: false, where }, lost: Effect.never }
}

const connect = ({ lost, place, url }: Database, wait: Duration.Duration) =>
  Pool.layer({
    connectionString: withTimeouts(url),
    application_name: "gatehouse",
    max: 10,
    connectionTimeoutMillis: 1500,
    keepAlive: true
  }).pipe(
    WaitForDatabase.patiently(place.where, wait),
    Layer.merge(Layer.succeedContext(Context.make(DataPlace, place).pipe(Context.add(Supervision, { lost }))))
  )

const opened = (open: typeof Embedded.supervise, wait: Duration.Duration) =>
  Effect.flatMap(
    Settings.databaseUrl,
    Option.match({
      onNone: () => Effect.map(Effect.flatMap(Settings.dataDir, open), local),
      onSome: (address) => Effect.sync(() => remote(address))
    })
  ).pipe(
    Effect.map((database) => connect(database, wait)),
    Layer.unwrapScoped
  )

/** The pool all Postgres adapters share: on DATABASE_URL, or on an embedded server in DATA_DIR. */
export const layer = opened(
  (dataDir) => Effect.map(Embedded.acquire(dataDir), (server) => ({ server, lost: Effect.never })),
  Duration.zero
)

/** The same for a service: waits for a database that is starting, and restarts its own when it ends. */
export const lasting = Layer.unwrapEffect(Effect.map(Settings.databaseWait, (wait) => opened(Embedded.supervise, wait)))
