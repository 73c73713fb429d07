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

export interface Quotas {
  readonly of: (caller: Caller | null) => Quota
  readonly headers: (quota: Quota) => Readonly<Record<string, string>>
  readonly shape: (quota: Quota) => unknown
}

export const makeQuotas = (world: World, limit: number): Quotas => {
  const quotas = new Map<string, Quota>()
  const rate = (quota: Quota) => ({
    limit: quota.limit,
    used: quota.used,
    remaining: Math.max(0, quota.limit - quota.used),
    reset: Math.floor(quota.resetAt / 1000)
  })
  return {
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
