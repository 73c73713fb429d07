import { Clock, DateTime, Duration, Effect, Either, Layer } from "effect"
import {
  type DueBinding,
  keptDays,
  longestTurn,
  TrackerStore,
  type UnwrittenRun
} from "../../../application/ports/tracker/TrackerStore.ts"
import type { ConnectionId } from "../../../domain/connection/Connection.ts"
import type { Decided } from "../../../domain/Change.ts"
import { type Binding, type BindingId, newSync } from "../../../domain/tracker/Binding.ts"
import type { BindingContext } from "../../../domain/tracker/ChangeBinding.ts"
import type { MirrorContext, Mirrored } from "../../../domain/tracker/MirrorIssue.ts"
import type { MirroredIssue } from "../../../domain/tracker/MirroredIssue.ts"
import { pendingChange } from "../../../domain/tracker/WriteBack.ts"
import { TeamNotFound, type TeamSlug } from "../../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { change, State, type Tenant } from "../MemoryState.ts"
import { unfinished, values } from "../MemoryWorkContext.ts"
import { at, bound, contextOf, issuesOf, stateOf } from "./MemoryMirrorContext.ts"

const connectionsOf = (tenant: Tenant) => [...tenant.connections.values()].filter(({ removedAt }) => removedAt === null)

const syncOf = ({ mirror }: Tenant, binding: BindingId) => {
  const kept = mirror.syncs.get(binding) ?? { sync: newSync, dueAt: 0 }
  mirror.syncs.set(binding, kept)
  return kept
}

const runsOf = (tenant: Tenant, binding: Binding, row: MirroredIssue): ReadonlyArray<UnwrittenRun> =>
  values(tenant.runs)
    .filter(({ createdAt, story }) => story === row.story && createdAt.epochMillis >= binding.createdAt.epochMillis)
    .flatMap((run) => {
      const comment = tenant.mirror.comments.get(`${at(binding.id, row.id)} ${run.key}`)
      const state = stateOf(tenant, run)
      return comment?.state === state ? [] : [{ run: run.key, plan: run.plan, state, comment: comment?.id ?? null }]
    })

/** One by one: a turn takes a few of many. */
const unwrittenOf = function* (tenant: Tenant, binding: Binding) {
  for (const kept of tenant.mirror.issues.values()) {
    if (kept.row.binding !== binding.id || kept.row.goneAt !== null) continue
    const story = tenant.stories.get(kept.row.story)?.value
    if (story === undefined) continue
    const runs = tenant.runs.size === 0 ? [] : runsOf(tenant, binding, kept.row)
    if (runs.length > 0 || pendingChange(binding, kept.row, story) !== null) yield { kept, story, runs }
  }
}

/** The first that nobody writes and that do not rest, at most so many. */
const writable = (tenant: Tenant, connection: ConnectionId, now: number, most: number) => {
  const found = []
  for (const binding of bound(tenant)) {
    if (binding.connection !== connection) continue
    for (const one of unwrittenOf(tenant, binding)) {
      if (found.length === most) return found
      if (one.kept.leasedUntil <= now && one.kept.restsUntil <= now) found.push({ ...one, binding })
    }
  }
  return found
}

const draftsOf = (tenant: Tenant, { team }: Binding) =>
  values(tenant.jobs).filter(
    ({ kind, status, team: of }) => kind === "write_story" && of === team && status !== "done" && status !== "failed"
  ).length

const hintsOf = (tenant: Tenant, binding: BindingId, now: number): DueBinding["hints"] => {
  const given = [...tenant.mirror.hints.values()]
    .filter((hint) => hint.binding === binding && hint.dueAt <= now)
    .map(({ issue, mark }) => ({ issue, mark: String(mark) }))
  const freed = issuesOf(tenant, binding)
    .filter(({ row }) => row.isHeld && unfinished(tenant, ({ story }) => story === row.story).length === 0)
    .map(({ row: { id, key } }) => ({ issue: { id, key }, mark: "" }))
  return [...given, ...freed].slice(0, 200)
}

let marks = 0

export const layer = Layer.effect(
  TrackerStore,
  Effect.map(State, (state) => {
    const living = () => [...state.values()].filter(({ workspace }) => workspace.deletedAt === null)
    const keptIssue = (workspace: WorkspaceId, { binding, id }: MirroredIssue) =>
      state.get(workspace)?.mirror.issues.get(at(binding, id))

    return TrackerStore.of({
      list: (workspace) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          return bound(tenant).map((binding) => ({
            binding,
            sync: tenant === undefined ? newSync : syncOf(tenant, binding.id).sync,
            mirrored: tenant === undefined ? 0 : issuesOf(tenant, binding.id).filter(({ row }) => !row.goneAt).length,
            unwritten: tenant === undefined ? 0 : [...unwrittenOf(tenant, binding)].length,
            drafts: tenant === undefined ? 0 : draftsOf(tenant, binding)
          }))
        }),
      change: <A, E>(
        workspace: WorkspaceId,
        slug: TeamSlug,
        decide: (at: BindingContext) => Either.Either<Decided<A>, E>
      ) =>
        change<A, E | TeamNotFound, never>(
          state,
          () => state.get(workspace),
          (tenant, now) => {
            const team = tenant?.teams.get(slug)
            if (tenant === undefined || team === undefined || team.deletedAt !== null)
              return Either.left(new TeamNotFound({ team: slug }))
            const decided = decide({ now, team, bindings: bound(tenant), connections: connectionsOf(tenant) })
            if (Either.isRight(decided))
              for (const { id } of bound(tenant).filter((one) => one.team === slug)) {
                const { sweep, swept } = syncOf(tenant, id).sync
                tenant.mirror.syncs.set(id, { sync: { ...newSync, swept: sweep?.number ?? swept }, dueAt: 0 })
              }
            return decided
          }
        ),
      mirror: <E>(
        workspace: WorkspaceId,
        target: Parameters<(typeof TrackerStore.Service)["mirror"]>[1],
        decide: (at: MirrorContext) => Either.Either<Mirrored, E>
      ) =>
        Effect.flatMap(DateTime.now, (now) =>
          Effect.suspend((): Effect.Effect<Mirrored, E | null> => {
            const tenant = state.get(workspace)
            const binding = bound(tenant).find(({ id }) => id === target.binding)
            const found = tenant && binding ? contextOf(tenant, now, binding, target) : null
            if (tenant === undefined || found === null) return Effect.fail(null)
            const decided = decide(found.context)
            if (Either.isLeft(decided)) return Effect.fail(decided.left)
            const mirrored = decided.right
            const keep = Effect.sync(() => {
              const { leasedUntil = 0, restsUntil = 0, sweep = 0 } = found.kept ?? {}
              const kept = { row: mirrored.issue, leasedUntil, restsUntil, sweep }
              tenant.mirror.issues.set(at(mirrored.issue.binding, mirrored.issue.id), kept)
              return mirrored
            })
            if (mirrored.change === null) return keep
            const decidedChange = { change: mirrored.change, answer: Either.right(mirrored) }
            return Effect.zipRight(
              change<Mirrored, never, never>(
                state,
                () => state.get(workspace),
                () => Either.right(decidedChange)
              ),
              keep
            )
          })
        ),
      issues: (workspace, binding, ids) =>
        Effect.sync(() => ids.flatMap((id) => state.get(workspace)?.mirror.issues.get(at(binding, id))?.row ?? [])),
      due: (pauseSeconds) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          living().flatMap((tenant) =>
            bound(tenant).flatMap((binding) => {
              const kept = syncOf(tenant, binding.id)
              const connection = connectionsOf(tenant).find(({ id }) => id === binding.connection)
              if (connection === undefined || kept.dueAt > now) return []
              kept.dueAt = now + pauseSeconds * 1000
              const hints = hintsOf(tenant, binding.id, now)
              return [{ workspace: tenant.workspace.id, binding, connection, sync: kept.sync, hints }]
            })
          )
        ),
      progress: (workspace, { id, updatedAt }, sync, wait) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const tenant = state.get(workspace)
          const binding = bound(tenant).find((one) => one.id === id)
          if (tenant === undefined || !binding || !DateTime.Equivalence(binding.updatedAt, updatedAt)) return
          const kept = syncOf(tenant, id)
          kept.sync = sync
          kept.dueAt = now + Duration.toMillis(wait)
        }),
      seen: (workspace, binding, sweep, ids) =>
        Effect.sync(() => {
          for (const id of ids) {
            const kept = state.get(workspace)?.mirror.issues.get(at(binding, id))
            if (kept) kept.sweep = sweep
          }
        }),
      unseen: (workspace, binding, sweep, limit) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          if (tenant === undefined) return []
          return issuesOf(tenant, binding)
            .filter((kept) => kept.row.goneAt === null && kept.sweep < sweep)
            .map(({ row: { id, key } }) => ({ id, key }))
            .toSorted((a, b) => (a.id < b.id ? -1 : 1))
            .slice(0, limit)
        }),
      open: (workspace, binding, after, limit) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          if (tenant === undefined) return []
          return issuesOf(tenant, binding)
            .map(({ row }) => row)
            .filter(({ goneAt, id, isClosed }) => goneAt === null && !isClosed && (after === null || id > after))
            .map(({ id, key, status, statusSince }) => ({ id, key, status, statusSince }))
            .toSorted((a, b) => (a.id < b.id ? -1 : 1))
            .slice(0, limit)
        }),
      hint: (workspace, connection, project, issue, wait = Duration.zero) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const tenant = state.get(workspace)
          for (const { connection: of, id, project: name } of bound(tenant)) {
            if (of !== connection || name.toLowerCase() !== project.toLowerCase() || tenant === undefined) continue
            const dueAt = now + Duration.toMillis(wait)
            tenant.mirror.hints.set(at(id, issue.id), { binding: id, issue, mark: ++marks, dueAt })
            if (dueAt === now) syncOf(tenant, id).dueAt = now
          }
        }),
      followed: (workspace, binding, { issue, mark }) =>
        Effect.sync(() => {
          const hints = state.get(workspace)?.mirror.hints
          if (String(hints?.get(at(binding, issue.id))?.mark) === mark) hints?.delete(at(binding, issue.id))
        }),
      unwritten: (lease, most) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          living()
            .flatMap((tenant) =>
              connectionsOf(tenant).flatMap((connection) =>
                writable(tenant, connection.id, now, most).map((one) => ({
                  ...one,
                  connection,
                  workspace: tenant.workspace.id,
                  workspaceSlug: tenant.workspace.slug
                }))
              )
            )
            .map(({ kept, ...one }) => {
              kept.leasedUntil = now + Duration.toMillis(lease)
              return { ...one, issue: kept.row }
            })
        ),
      wrote: (workspace, issue, before) =>
        Effect.sync(() => {
          const kept = keptIssue(workspace, issue)
          if (kept && DateTime.Equivalence(kept.row.syncedAt, before.syncedAt)) kept.row = issue
        }),
      commented: (workspace, { binding, id }, { comment, run, state: shown }) =>
        Effect.sync(
          () =>
            void state.get(workspace)?.mirror.comments.set(`${at(binding, id)} ${run}`, { id: comment, state: shown })
        ),
      release: (workspace, issue, wait) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const kept = keptIssue(workspace, issue)
          if (kept === undefined) return
          kept.leasedUntil = 0
          kept.restsUntil = now + Duration.toMillis(wait)
        }),
      reserve: (workspace, connection, pace) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const next = state.get(workspace)?.mirror.nextWrites
          const turn = Math.max(now, next?.get(connection) ?? 0)
          const wait = Duration.millis(turn - now)
          if (Duration.lessThanOrEqualTo(wait, longestTurn)) next?.set(connection, turn + Duration.toMillis(pace))
          return wait
        }),
      delay: (workspace, connection, wait) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const next = state.get(workspace)?.mirror.nextWrites
          next?.set(connection, Math.max(next.get(connection) ?? 0, now + Duration.toMillis(wait)))
        }),
      spend: (workspace, connection, limits) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const kept = state.get(workspace)?.mirror.writes
          const times = kept?.get(connection) ?? []
          const waits = limits.map(
            ({ most, within }) => (times.at(-most) ?? -Infinity) + Duration.toMillis(within) - now
          )
          const wait = Math.max(0, ...waits)
          const highest = Math.max(...limits.map(({ most }) => most))
          if (wait === 0) kept?.set(connection, [...times, now].slice(-highest))
          return Duration.millis(wait)
        }),
      now: DateTime.now,
      purge: Effect.map(Clock.currentTimeMillis, (now) => {
        for (const { bindings, mirror } of state.values()) {
          const isOver = (id: BindingId) => {
            const { connection, removedAt = null, team } = bindings.get(id) ?? {}
            const isNext = (one: Binding) =>
              one.removedAt === null && one.team === team && one.connection === connection
            return (
              removedAt !== null &&
              removedAt.epochMillis < now - keptDays * 86_400_000 &&
              ![...bindings.values()].some(isNext)
            )
          }
          for (const [key, { row }] of mirror.issues) if (isOver(row.binding)) mirror.issues.delete(key)
          for (const [key, { binding }] of mirror.hints) if (isOver(binding)) mirror.hints.delete(key)
        }
      })
    })
  })
)
