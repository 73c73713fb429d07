import { DateTime, Effect, Layer } from "effect"
import { WorkspaceStore } from "../../application/ports/WorkspaceStore.ts"
import type { Roster } from "../../domain/workspace/Roster.ts"
import { isOver } from "../../domain/work/RunTransitions.ts"
import { wrong } from "./MemoryWorkContext.ts"
import { bySlug, change, State, type Tenant } from "./MemoryState.ts"

const rosterOf = (tenant: Tenant | undefined, now: DateTime.Utc): Roster => ({
  workspace: tenant?.workspace ?? null,
  members: [...(tenant?.members.values() ?? [])].filter((member) => member.removedAt === null),
  now
})

export const layer = Layer.effect(
  WorkspaceStore,
  Effect.map(State, (state) =>
    WorkspaceStore.of({
      isEmpty: Effect.sync(() => state.size === 0),
      list: (after, limit) =>
        Effect.sync(() =>
          [...state.values()]
            .filter(({ workspace }) => workspace.deletedAt === null && (after === null || workspace.slug > after))
            .sort((a, b) => (a.workspace.slug < b.workspace.slug ? -1 : 1))
            .slice(0, limit)
            .map(({ members, teams, workspace }) => ({
              workspace,
              members: [...members.values()].filter(({ removedAt }) => removedAt === null).length,
              teams: [...teams.values()].filter(({ deletedAt }) => deletedAt === null).length
            }))
        ),
      roster: (slug) => Effect.map(DateTime.now, (now) => rosterOf(bySlug(state, slug), now)),
      change: (slug, decide) =>
        change(
          state,
          () => bySlug(state, slug),
          (tenant, now) => decide(rosterOf(tenant, now))
        ),
      close: (slug, decide) =>
        change(
          state,
          () => bySlug(state, slug),
          (tenant, now) =>
            decide({
              ...rosterOf(tenant, now),
              unfinishedRuns: [...(tenant?.runs.values() ?? [])]
                .map((row) => row.value)
                .filter((run) => !isOver(run.latest.status)),
              pendingDecisions: [...(tenant?.decisions.values() ?? [])]
                .map((row) => row.value)
                .filter((decision) => decision.status === "pending"),
              ...(tenant === undefined ? { openIncidents: [], firingAlerts: [] } : wrong(tenant, () => true))
            })
        )
    })
  )
)
