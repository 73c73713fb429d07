import { Clock, Duration, Effect } from "effect"
import { TrackerFailed } from "../../application/ports/tracker/Trackers.ts"

const [minute, hour] = [60_000, 3_600_000]

/** GitHub allows 80 calls a minute and 500 an hour that create content; some are left for pull requests. */
const limits = [
  { within: minute, most: 70 },
  { within: hour, most: 450 }
] as const

/** Counts the calls of this process that create content, for each connection. */
export const make = () => {
  const spent = new Map<string, ReadonlyArray<number>>()
  return (connection: string): Effect.Effect<void, TrackerFailed> =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const recent = (spent.get(connection) ?? []).filter((at) => at > now - hour)
      const waits = limits.map(({ most, within }) => {
        const full = recent.at(-most)
        return full === undefined ? 0 : full + within - now
      })
      const wait = Math.max(...waits)
      if (wait > 0)
        return yield* new TrackerFailed({
          reason: "As many changes were written as GitHub allows; the next ones follow when it allows more.",
          isFinal: false,
          wait: Duration.millis(wait)
        })
      spent.set(connection, [...recent, now])
    })
}
