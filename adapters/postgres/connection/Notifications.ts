import { Context, Effect, Layer, PubSub, Schedule, Stream } from "effect"
import pg from "pg"

/** Every channel of the service. */
export const channels = { jobs: "gatehouse_jobs", deliveries: "gatehouse_deliveries", feed: "gatehouse_feed" } as const

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

const connection = (settings: pg.ClientConfig, publish: (notification: Notification) => void) =>
  Effect.async<never, Error>((resume) => {
    const client = new pg.Client(settings)
    const lost = (error?: Error) => resume(Effect.fail(error ?? new Error("the connection ended")))
    client.on("error", lost).on("end", lost)
    client.on("notification", ({ channel, payload = "" }) => publish({ channel, payload }))
    const names = Object.values(channels)
    client
      .connect()
      .then(() => client.query(names.map((name) => `LISTEN ${name}`).join("; ")))
      .then(() => names.forEach((channel) => publish({ channel, payload: "" })), lost)
    return Effect.promise(() => client.end().catch(() => {})).pipe(Effect.timeoutOption("1 second"))
  })

export const layer = (settings: pg.ClientConfig) =>
  Layer.scoped(
    Notifications,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const received = yield* PubSub.sliding<Notification>(4096)
      const listen = connection(settings, (notification) => received.unsafeOffer(notification)).pipe(
        Effect.ignore,
        Effect.repeat(Schedule.spaced("1 second"))
      )
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
