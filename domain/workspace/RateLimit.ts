import { DateTime, Schema } from "effect"

export const requestsPerMinute = 120
export const windowSeconds = 60

/** A fixed window of a token, opened by its first request. */
export interface Window {
  readonly remaining: number
  readonly resetAt: DateTime.Utc
}

/** What a caller without a window is shown. */
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

/** Whole seconds until `resetAt`, at least 1 and never more than a window, also where the clock went back. */
export const retryAfter = (now: DateTime.Utc, resetAt: DateTime.Utc): number =>
  Math.min(windowSeconds, Math.max(1, Math.ceil(seconds(now, resetAt))))

/** A window is over after its minute, and where the clock went back to over a minute before it. */
export const isOver = (startedAt: DateTime.Utc, now: DateTime.Utc): boolean =>
  seconds(startedAt, now) >= windowSeconds || seconds(now, startedAt) > windowSeconds

/** When a window ends; never later than one that begins now. */
export const endOf = (startedAt: DateTime.Utc, now: DateTime.Utc): DateTime.Utc =>
  DateTime.add(DateTime.min(startedAt, now), { seconds: windowSeconds })
