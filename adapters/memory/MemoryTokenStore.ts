import { DateTime, Effect, Layer } from "effect"
import { type Bearer, TokenStore } from "../../application/ports/TokenStore.ts"
import { ApiToken, InvalidToken, TokenExpired, TokenRevoked } from "../../domain/workspace/ApiToken.ts"
import { endOf, isOver, requestsPerMinute, untouched } from "../../domain/workspace/RateLimit.ts"
import { bySlug, change, State, type Tenant } from "./MemoryState.ts"

const count = (tenant: Tenant, token: ApiToken, now: DateTime.Utc) => {
  const open = tenant.windows.get(token.id)
  const window = open === undefined || isOver(open.startedAt, now) ? { startedAt: now, requests: 0 } : open
  window.requests = Math.min(window.requests + 1, requestsPerMinute + 1)
  tenant.windows.set(token.id, window)
  return {
    window: { remaining: Math.max(0, requestsPerMinute - window.requests), resetAt: endOf(window.startedAt, now) },
    withinLimit: window.requests <= requestsPerMinute
  }
}

export const layer = Layer.effect(
  TokenStore,
  Effect.map(State, (state) => {
    const find = Effect.fn("MemoryTokenStore.find")(function* (hash: string) {
      const now = yield* DateTime.now
      const tenant = [...state.values()].find((all) => [...all.tokens.values()].some((token) => token.hash === hash))
      const token = [...(tenant?.tokens.values() ?? [])].find((one) => one.hash === hash)
      const member = token && tenant?.members.get(token.memberId)
      if (tenant === undefined || token === undefined || member === undefined) return yield* new InvalidToken()
      if (token.revokedAt !== null || member.removedAt !== null || tenant.workspace.deletedAt !== null)
        return yield* new TokenRevoked()
      if (DateTime.greaterThanOrEqualTo(now, token.expiresAt)) return yield* new TokenExpired({ at: token.expiresAt })
      const bearer: Bearer = {
        token: token.id,
        workspace: tenant.workspace.id,
        workspaceSlug: tenant.workspace.slug,
        member: { id: member.id, name: member.name, role: member.role },
        permissions: token.permissions,
        now,
        window: untouched(now),
        withinLimit: true
      }
      return { bearer, tenant, token }
    })
    return TokenStore.of({
      authenticate: (hash) =>
        Effect.map(find(hash), ({ bearer, tenant, token }) => ({ ...bearer, ...count(tenant, token, bearer.now) })),
      identify: (hash) => Effect.map(find(hash), ({ bearer }) => bearer),
      list: (workspace, member) =>
        Effect.sync(() =>
          [...(state.get(workspace)?.tokens.values() ?? [])].filter((token) => token.memberId === member)
        ),
      change: (workspace, prefix, decide) =>
        change(
          state,
          () => bySlug(state, workspace),
          (tenant, now) =>
            decide(
              tenant?.workspace.deletedAt === null
                ? ([...tenant.tokens.values()].find((token) => token.prefix === prefix) ?? null)
                : null,
              now
            )
        ),
      touch: (uses) =>
        Effect.sync(() => {
          for (const use of uses) {
            const tokens = state.get(use.workspace)?.tokens
            const token = tokens?.get(use.token)
            const isLater = !token?.lastUsedAt || DateTime.greaterThan(use.at, token.lastUsedAt)
            if (token && isLater) tokens?.set(token.id, new ApiToken({ ...token, lastUsedAt: use.at }))
          }
        })
    })
  })
)
