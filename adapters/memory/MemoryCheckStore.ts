import { DateTime, Effect, Layer } from "effect"
import { CheckStore, type Due } from "../../application/ports/CheckStore.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import type { SignalSource } from "../../domain/oncall/SignalSource.ts"
import { unknown } from "../../domain/oncall/UptimeCheck.ts"
import { State, type Tenant } from "./MemoryState.ts"

const isLive = (tenant: Tenant, { deletedAt, pausedAt }: SignalSource) =>
  tenant.workspace.deletedAt === null && deletedAt === null && pausedAt === null

/** New checks count as waiting longest. */
const dueIn = (tenant: Tenant, now: DateTime.Utc) =>
  [...tenant.sources.values()].flatMap((source) => {
    const { check, id, name, updatedAt } = source
    if (check === null || !isLive(tenant, source)) return []
    const waitsSince = tenant.checks.get(id)?.begunAt.epochMillis ?? -Infinity
    const isChanged = updatedAt !== null && waitsSince < updatedAt.epochMillis
    if (!isChanged && now.epochMillis - waitsSince < check.intervalSeconds * 1000) return []
    const of: Due = { workspace: tenant.workspace.id, source: id, name, check }
    return [{ tenant, waitsSince, of }]
  })

export const layer = Layer.effect(
  CheckStore,
  Effect.gen(function* () {
    const state = yield* State
    const signals = yield* SignalStore
    return CheckStore.of({
      claim: (most) =>
        Effect.map(DateTime.now, (begunAt) => {
          const due = [...state.values()].flatMap((tenant) => dueIn(tenant, begunAt))
          const taken = due.toSorted((a, b) => a.waitsSince - b.waitsSince).slice(0, most)
          for (const { tenant, of } of taken)
            tenant.checks.set(of.source, { begunAt, health: tenant.checks.get(of.source)?.health ?? unknown })
          return taken.map(({ of }) => of)
        }),
      record: ({ source, workspace }, judge) =>
        Effect.flatMap(DateTime.now, (now) => {
          const tenant = state.get(workspace)
          const [kept, checked] = [tenant?.checks.get(source), tenant?.sources.get(source)]
          if (!tenant || !kept || !checked || !isLive(tenant, checked)) return Effect.void
          const { delivery, health } = judge(kept.health, now)
          tenant.checks.set(source, { ...kept, health })
          return delivery === null ? Effect.void : Effect.asVoid(signals.receive(delivery))
        }),
      healths: (workspace) =>
        Effect.sync(() => new Map([...(state.get(workspace)?.checks ?? [])].map(([id, { health }]) => [id, health])))
    })
  })
)
