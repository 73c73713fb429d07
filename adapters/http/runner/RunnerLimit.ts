import type { DateTime } from "effect"
import { endOf, isOver, RateLimited, retryAfter } from "../../../domain/workspace/RateLimit.ts"
import { boundedCache } from "../../../domain/value/BoundedCache.ts"

export const runnerRequestsPerMinute = 600

interface Window {
  readonly startedAt: DateTime.Utc
  requests: number
}

/** Budget of the agent that works under a lease. */
export const ofAgent = (lease: string) => `agent ${lease}`

/**
 * The budget that a runner's request spends. Each lease that this instance has served has its own, so that nothing else
 * of the token keeps it from being renewed. Requests under other leases share one, apart from hello, lease and goodbye.
 */
export const budgets = () => {
  const served = boundedCache<string, string>(10_000)
  const nameOf = (token: string, lease: string) => `${token} ${lease}`
  return {
    of: (token: string, lease: string) =>
      lease === "" ? token : (served.get(nameOf(token, lease)) ?? nameOf(token, "leases")),
    serve: (token: string, lease: string) => served.set(nameOf(token, lease), nameOf(token, lease))
  }
}

/** Counts the requests to this instance by budget, apart from the limit of the API. */
export const make = (limit = runnerRequestsPerMinute) => {
  const windows = boundedCache<string, Window>(10_000)
  return (budget: string, now: DateTime.Utc) => {
    const open = windows.get(budget)
    const window = open === undefined || isOver(open.startedAt, now) ? { startedAt: now, requests: 0 } : open
    window.requests++
    windows.set(budget, window)
    const resetAt = endOf(window.startedAt, now)
    return {
      remaining: Math.max(0, limit - window.requests),
      resetAt,
      refusal: window.requests > limit ? new RateLimited({ limit, retryAfterSeconds: retryAfter(now, resetAt) }) : null
    }
  }
}
