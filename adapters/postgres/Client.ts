import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { DataPlace } from "../../application/ports/DataPlace.ts"
import * as Settings from "../Settings.ts"
import * as Embedded from "./Embedded.ts"
import * as Pool from "./Pool.ts"

export class DatabaseUnreachable extends Schema.TaggedError<DatabaseUnreachable>()("DatabaseUnreachable", {
  where: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot connect to the database at ${this.where}: ${this.reason}. Check DATABASE_URL and that it is running.`
  }
}

const timeouts =
  "-c TimeZone=UTC -c statement_timeout=5000 -c lock_timeout=5000 -c idle_in_transaction_session_timeout=30000"

const withTimeouts = (address: string) => {
  const url = new URL(address)
  if (!url.searchParams.has("options")) url.searchParams.set("options", timeouts)
  return url.href
}

const embedded = Effect.gen(function* () {
  const server = yield* Embedded.acquire(yield* Settings.dataDir)
  const url = new URL(`postgres://${server.username}@localhost:${server.port}/${server.database}`)
  url.searchParams.set("host", server.host)
  return { url: url.href, place: { embedded: true, where: server.dataDir } }
})

const external = (address: Redacted.Redacted) => {
  const { hostname, pathname, port } = new URL(Redacted.value(address))
  const where = `${hostname || "localhost"}:${port || 5432}${pathname}`
  return { url: Redacted.value(address), place: { embedded: false, where } }
}

const causeOf = (error: object): unknown => ("cause" in error ? error.cause : error)

/** A host with several addresses fails once for each, and the whole says nothing itself. */
const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join(", ")
  return error instanceof Error ? error.message : String(error)
}

/** The pool every Postgres adapter shares: on DATABASE_URL, or on a server of our own in DATA_DIR. */
export const layer = Layer.unwrapScoped(
  Effect.gen(function* () {
    const { place, url } = yield* Option.match(yield* Settings.databaseUrl, {
      onNone: () => embedded,
      onSome: (address) => Effect.sync(() => external(address))
    })
    const client = Pool.layer({
      connectionString: withTimeouts(url),
      application_name: "gatehouse",
      max: 10,
      connectionTimeoutMillis: 1500,
      keepAlive: true
    })
    return Layer.merge(
      Layer.mapError(
        client,
        (error) => new DatabaseUnreachable({ where: place.where, reason: reasonOf(causeOf(error)) })
      ),
      Layer.succeedContext(Context.make(DataPlace, place))
    )
  })
)
