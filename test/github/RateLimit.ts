/** Requests that each holder has left in the hour. */
import type { Caller } from "./Auth.ts"
import type { World } from "./World.ts"

const hour = 3_600_000

export interface Quota {
  limit: number
  used: number
  resetAt: number
}

export const holderOf = (caller: Caller | null) =>
  caller === null
    ? "nobody"
    : caller.kind === "app"
      ? `app ${caller.app.id}`
      : caller.token.installation === null
        ? `user ${caller.token.user.id}`
        : `installation ${caller.token.installation.id}`

/** Most content-creating requests of a holder. */
export interface ContentLimit {
  readonly perMinute: number
  readonly perHour: number
}

export interface Quotas {
  /** Counts a request that creates content; false when the holder has made too many. */
  readonly mayCreate: (caller: Caller | null) => boolean
  readonly of: (caller: Caller | null) => Quota
  readonly headers: (quota: Quota) => Readonly<Record<string, string>>
  readonly shape: (quota: Quota) => unknown
}

export const makeQuotas = (world: World, limit: number, content: ContentLimit | null): Quotas => {
  const quotas = new Map<string, Quota>()
  const creations = new Map<string, ReadonlyArray<number>>()
  const rate = (quota: Quota) => ({
    limit: quota.limit,
    used: quota.used,
    remaining: Math.max(0, quota.limit - quota.used),
    reset: Math.floor(quota.resetAt / 1000)
  })
  return {
    mayCreate: (caller) => {
      const holder = holderOf(caller)
      const now = world.clock.now()
      const recent = (creations.get(holder) ?? []).filter((at) => at > now - hour)
      const isFull =
        content !== null &&
        (recent.length >= content.perHour || recent.filter((at) => at > now - 60_000).length >= content.perMinute)
      creations.set(holder, isFull ? recent : [...recent, now])
      return !isFull
    },
    of: (caller) => {
      const holder = holderOf(caller)
      const now = world.clock.now()
      const known = quotas.get(holder)
      if (known !== undefined && known.resetAt > now) return known
      const fresh = { limit: holder === "nobody" ? 60 : (known?.limit ?? limit), used: 0, resetAt: now + hour }
      quotas.set(holder, fresh)
      return fresh
    },
    headers: (quota) => ({
      ...Object.fromEntries(Object.entries(rate(quota)).map(([name, value]) => [`x-ratelimit-${name}`, String(value)])),
      "x-ratelimit-resource": "core"
    }),
    shape: (quota) => ({
      resources: { core: rate(quota), search: { ...rate(quota), limit: 30 }, graphql: rate(quota) },
      rate: rate(quota)
    })
  }
}
