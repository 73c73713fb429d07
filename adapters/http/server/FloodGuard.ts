import { Cause, Context, DateTime, Effect, Layer } from "effect"
import { endOf, isOver, RateLimited, retryAfter } from "../../../domain/workspace/RateLimit.ts"

const limit = 1200
const rememberedAddresses = 10_000

/** Lookups of unknown secrets that an address may have under way without waiting; one client at a time never waits. */
const lookupsAtOnce = 8
const rememberedSecrets = 10_000

/** Counts requests without a valid secret per client address, in this process and in bounded memory. */
export class FloodGuard extends Context.Tag("adapters/http/FloodGuard")<
  FloodGuard,
  {
    readonly admit: (address: string) => Effect.Effect<void, RateLimited>
    /**
     * Looks up a secret in a lane: its own if it was recently valid, else the lane of the client's address, once the
     * guard has room for the address. Recent validity is a hint for lane and guard: only `look` decides validity.
     */
    readonly lookUp: <A, E, R>(
      secret: string,
      address: () => string,
      look: (lane: string) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimited, R>
  }
>() {}

/** A set of at most `most` texts that keeps the most recently used. */
const recent = (most: number) => {
  let young = new Set<string>()
  let old = new Set<string>()
  const add = (text: string) => {
    if (young.size >= most / 2) [young, old] = [new Set(), young]
    young.add(text)
  }
  return {
    add,
    has: (text: string): boolean => {
      if (young.has(text)) return true
      if (!old.has(text)) return false
      add(text)
      return true
    },
    delete: (text: string) => {
      young.delete(text)
      old.delete(text)
    }
  }
}

interface Window {
  requests: number
  lookups: number
  readonly startedAt: DateTime.Utc
}

/** Waits before each refusal beyond the limit, and before a lookup beside many: a flooding client gets slower, not louder. */
export const make = (wait: Effect.Effect<void>) =>
  Layer.sync(FloodGuard, () => {
    const windows = new Map<string, Window>()
    const valid = recent(rememberedSecrets)

    const windowOf = (address: string, now: DateTime.Utc): Window => {
      const open = windows.get(address)
      const window =
        open === undefined || isOver(open.startedAt, now) ? { requests: 0, lookups: 0, startedAt: now } : open
      windows.delete(address)
      windows.set(address, window)
      const [oldest] = windows.keys()
      if (windows.size > rememberedAddresses && oldest !== undefined) windows.delete(oldest)
      return window
    }

    const count = (address: string): Effect.Effect<Window, RateLimited> =>
      Effect.flatMap(DateTime.now, (now) => {
        const window = windowOf(address, now)
        window.requests++
        const retryAfterSeconds = retryAfter(now, endOf(window.startedAt, now))
        return window.requests > limit
          ? Effect.zipRight(wait, new RateLimited({ limit, retryAfterSeconds }))
          : Effect.succeed(window)
      })

    const admit = (address: string) => Effect.asVoid(count(address))

    return {
      admit,
      lookUp: (secret, address, look) => {
        if (valid.has(secret))
          return Effect.catchAll(look(secret), (refusal) => {
            valid.delete(secret)
            return Effect.zipRight(admit(address()), Effect.fail(refusal))
          })
        const from = address()
        // Counted before the lookup, so that no more lookups run at once than the limit.
        return Effect.flatMap(count(from), (window) => {
          window.lookups++
          const mayLook = window.lookups > lookupsAtOnce ? wait : Effect.void
          const looked = Effect.flatMap(mayLook, () => look(from))
          const ended = Effect.sync(() => void window.lookups--)
          return Effect.matchCauseEffect(Effect.ensuring(looked, ended), {
            onSuccess: (found) => {
              window.requests--
              valid.add(secret)
              return Effect.succeed(found)
            },
            onFailure: (cause) => {
              if (Cause.isDie(cause)) window.requests--
              return Effect.failCause(cause)
            }
          })
        })
      }
    }
  })

/** Waits half a second to a second, so that held clients do not return together; ends when the client leaves. */
const moment = Effect.async<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), 500 + Math.random() * 500)
  return Effect.sync(() => clearTimeout(timer))
})

export const layer = make(moment)
