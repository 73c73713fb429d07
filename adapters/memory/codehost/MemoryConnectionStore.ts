import { DateTime, Effect, type Either, Layer } from "effect"
import { ConnectionStore, deliveryDays } from "../../../application/ports/connection/ConnectionStore.ts"
import type { Decided } from "../../../domain/Change.ts"
import type { Connections } from "../../../domain/connection/ChangeConnection.ts"
import type { ConnectionId } from "../../../domain/connection/Connection.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { change, type KeptWatch, State, type Tenant } from "../MemoryState.ts"

const held = (tenant: Tenant | undefined) =>
  [...(tenant?.connections.values() ?? [])]
    .filter(({ removedAt }) => removedAt === null)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))

const adminsOf = (tenant: Tenant | undefined) =>
  [...(tenant?.members.values() ?? [])]
    .filter(({ removedAt, role }) => removedAt === null && role !== "member")
    .map(({ id }) => id)
    .toSorted()

/** The watch of a connection; that of a new one is due at once. */
const watchOf = (tenant: Tenant, id: ConnectionId): KeptWatch => {
  const known = tenant.watches.get(id) ?? { dueAt: DateTime.unsafeMake(0), reported: {}, deliveries: new Map() }
  tenant.watches.set(id, known)
  return known
}

export const layer = Layer.effect(
  ConnectionStore,
  Effect.map(State, (state) => {
    const living = () => [...state.values()].filter(({ workspace }) => workspace.deletedAt === null)
    return ConnectionStore.of({
      list: (workspace) => Effect.sync(() => held(state.get(workspace))),
      change: <A, E, F>(workspace: WorkspaceId, decide: (at: Connections) => Either.Either<Decided<A, F>, E>) =>
        change<A, E, F>(
          state,
          () => state.get(workspace),
          (tenant, now) => decide({ now, connections: held(tenant), admins: adminsOf(tenant) })
        ),
      find: (token) =>
        Effect.sync(() => {
          for (const tenant of living())
            for (const connection of held(tenant))
              if (connection.token === token) return { workspace: tenant.workspace.id, connection }
          return null
        }),
      receive: (workspace, id, delivery, isHint) =>
        Effect.map(DateTime.now, (now) => {
          const tenant = state.get(workspace)
          if (tenant === undefined || !tenant.connections.has(id)) return false
          const watch = watchOf(tenant, id)
          if (watch.deliveries.has(delivery)) return false
          watch.deliveries.set(delivery, now)
          if (isHint) watch.dueAt = now
          return true
        }),
      due: (pauseSeconds) =>
        Effect.map(DateTime.now, (now) =>
          living().flatMap((tenant) =>
            held(tenant).flatMap((connection) => {
              const watch = watchOf(tenant, connection.id)
              if (DateTime.greaterThan(watch.dueAt, now)) return []
              watch.dueAt = DateTime.add(now, { seconds: pauseSeconds })
              return [{ workspace: tenant.workspace.id, connection, reported: watch.reported }]
            })
          )
        ),
      report: (workspace, id, repository, culprit) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          if (tenant === undefined || !tenant.connections.has(id)) return
          const watch = watchOf(tenant, id)
          const { [repository]: _, ...others } = watch.reported
          watch.reported = culprit === null ? others : { ...others, [repository]: culprit }
        }),
      purge: Effect.map(DateTime.now, (now) => {
        const oldest = DateTime.subtract(now, { days: deliveryDays })
        for (const { watches } of state.values())
          for (const { deliveries } of watches.values())
            for (const [name, at] of deliveries) if (DateTime.lessThan(at, oldest)) deliveries.delete(name)
      })
    })
  })
)
