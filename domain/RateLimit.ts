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

/** Whole seconds until `resetAt`, at least 1. */
export const retryAfter = (now: DateTime.Utc, resetAt: DateTime.Utc): number =>
  Math.max(1, Math.ceil((DateTime.toEpochMillis(resetAt) - DateTime.toEpochMillis(now)) / 1000))
