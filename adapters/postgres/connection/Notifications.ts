import { Context, Effect, Layer, PubSub, Schedule, Stream } from "effect"
import pg from "pg"

/** Every channel of the service. */
export const channels = {
  jobs: "gatehouse_jobs",
  runs: "gatehouse_runs",
  deliveries: "gatehouse_deliveries",
  feed: "gatehouse_feed"
} as const

type Channel = (typeof channels)[keyof typeof channels]

interface Notification {
  readonly channel: string
  readonly payload: string
}

/**
 * Notifications of Postgres, by one connection for all channels and subscribers. It is opened for the first subscriber,
 * and again after it was lost; then every subscriber gets an empty payload, since notifications may have been missed.
 */
export class Notifications extends Context.Tag("postgres/Notifications")<
  Notifications,
  { readonly on: (channel: Channel) => Stream.Stream<string> }
>() {}

/** Listens until the connection is lost. */
const listenOnce = (client: pg.Client, publish: (notification: Notification) => void) =>
  Effect.async<never, unknown>((resume) => {
    const lost = (error?: unknown) => resume(Effect.fail(error))
    client.on("error", lost).on("end", lost)
    client.on("notification", ({ channel, payload = "" }) => publish({ channel, payload }))
    const names = Object.values(channels)
    client
      .connect()
      .then(() => client.query(names.map((name) => `LISTEN ${name}`).join("; ")))
      .then(() => names.forEach((channel) => publish({ channel, payload: "" })), lost)
  })

/** A server that hangs never confirms the end. */
const end = (client: pg.Client) =>
  Effect.promise(() => client.end().catch(() => {})).pipe(
    Effect.interruptible,
    Effect.disconnect,
    Effect.timeoutOption("1 second")
  )

export const layer = (settings: pg.ClientConfig) =>
  Layer.scoped(
    Notifications,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const received = yield* PubSub.sliding<Notification>(4096)
      const publish = (notification: Notification) => received.unsafeOffer(notification)
      const connected = Effect.acquireUseRelease(
        Effect.sync(() => new pg.Client(settings)),
        (client) => listenOnce(client, publish),
        end
      )
      const listen = connected.pipe(Effect.ignore, Effect.repeat(Schedule.spaced("1 second")))
      const begin = yield* Effect.once(Effect.forkIn(listen, scope))
      return {
        on: (channel) =>
          Stream.unwrapScoped(
            Effect.map(PubSub.subscribe(received), (queue) =>
              Stream.fromQueue(queue).pipe(
                Stream.filter((notification) => notification.channel === channel),
                Stream.map(({ payload }) => payload)
              )
            ).pipe(Effect.tap(begin))
          )
      }
    })
  )
