import { Context, DateTime, Effect, Layer } from "effect"
import { RateLimited, retryAfter, type Window } from "../../domain/RateLimit.ts"

const limit = 1200
const rememberedAddresses = 10_000

/** Counts requests without a valid token per client address, in this process and in bounded memory. */
export class FloodGuard extends Context.Tag("adapters/http/FloodGuard")<
  FloodGuard,
  { readonly admit: (address: string) => Effect.Effect<void, RateLimited> }
>() {}

export const layer = Layer.sync(FloodGuard, () => {
  const windows = new Map<string, { requests: number; readonly resetAt: Window["resetAt"] }>()
  return {
    admit: Effect.fn("FloodGuard.admit")(function* (address) {
      const now = yield* DateTime.now
      const open = windows.get(address)
      const window =
        open === undefined || DateTime.lessThanOrEqualTo(open.resetAt, now)
          ? { requests: 0, resetAt: DateTime.add(now, { seconds: 60 }) }
          : open
      window.requests++
      windows.delete(address)
      windows.set(address, window)
      const [oldest] = windows.keys()
      if (windows.size > rememberedAddresses && oldest !== undefined) windows.delete(oldest)
      if (window.requests > limit)
        return yield* new RateLimited({ limit, retryAfterSeconds: retryAfter(now, window.resetAt) })
    })
  }
})
