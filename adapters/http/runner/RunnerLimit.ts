import type { DateTime } from "effect"
import { endOf, isOver, RateLimited, retryAfter } from "../../../domain/workspace/RateLimit.ts"
import { boundedCache } from "../../../domain/value/BoundedCache.ts"

export const runnerRequestsPerMinute = 600

interface Window {
  readonly startedAt: DateTime.Utc
  requests: number
}

/** Counts the requests of each token to this instance, apart from the limit of the API. */
export const make = () => {
  const windows = boundedCache<string, Window>(10_000)
  return (token: string, now: DateTime.Utc) => {
    const open = windows.get(token)
    const window = open === undefined || isOver(open.startedAt, now) ? { startedAt: now, requests: 0 } : open
    window.requests++
    windows.set(token, window)
    const resetAt = endOf(window.startedAt, now)
    return {
      remaining: Math.max(0, runnerRequestsPerMinute - window.requests),
      resetAt,
      refusal:
        window.requests > runnerRequestsPerMinute
          ? new RateLimited({ limit: runnerRequestsPerMinute, retryAfterSeconds: retryAfter(now, resetAt) })
          : null
    }
  }
}
