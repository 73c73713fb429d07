import { DateTime, Schema } from "effect"

export const requestsPerMinute = 120
export const windowSeconds = 60

/** A fixed window of a token, opened by its first request. */
export interface Window {
  readonly remaining: number
  readonly resetAt: DateTime.Utc
}

/** Window of a caller that has none yet. */
export const untouched = (now: DateTime.Utc): Window => ({
  remaining: requestsPerMinute,
  resetAt: DateTime.add(now, { seconds: windowSeconds })
})

export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  limit: Schema.Int,
  retryAfterSeconds: Schema.Int
}) {
  override get message() {
    return `More than ${this.limit} requests in a minute. Try again in ${this.retryAfterSeconds} s.`
  }
}

const seconds = (from: DateTime.Utc, to: DateTime.Utc) =>
  (DateTime.toEpochMillis(to) - DateTime.toEpochMillis(from)) / 1000

/** Whole seconds until `resetAt`: at least 1 and at most a window, also after the clock was set back. */
export const retryAfter = (now: DateTime.Utc, resetAt: DateTime.Utc): number =>
  Math.min(windowSeconds, Math.max(1, Math.ceil(seconds(now, resetAt))))

/** A window is over after its minute, or when the clock was set back to more than a minute before it. */
export const isOver = (startedAt: DateTime.Utc, now: DateTime.Utc): boolean =>
  seconds(startedAt, now) >= windowSeconds || seconds(now, startedAt) > windowSeconds

/** Seconds by which parallel requests may see the start of their window in the future. */
export const skewSeconds = 1

/** End of a window; after the clock went back, the end of a window that begins now. */
export const endOf = (startedAt: DateTime.Utc, now: DateTime.Utc): DateTime.Utc =>
  DateTime.add(seconds(now, startedAt) > skewSeconds ? now : startedAt, { seconds: windowSeconds })
