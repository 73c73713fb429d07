import { DateTime, Effect, Layer } from "effect"
import { mostLogBytes, RunnerStore } from "../../application/ports/runner/RunnerStore.ts"
import { isSilent, Runner } from "../../domain/runner/Runner.ts"
import { skipValidation } from "../../domain/value/SkipValidation.ts"
import { values } from "./MemoryWorkContext.ts"
import { change, sign, State } from "./MemoryState.ts"

const byOffline = (a: Runner, b: Runner) =>
  a.offlineAt === null || b.offlineAt === null ? 0 : DateTime.Order(a.offlineAt, b.offlineAt) || (a.id < b.id ? -1 : 1)

const bytes = (text: string) => new TextEncoder().encode(text).length

export const layer = Layer.effect(
  RunnerStore,
  Effect.map(State, (state) => {
    return RunnerStore.of({
      change: (workspace, of, decide) =>
        change(
          state,
          () => state.get(workspace),
          (tenant, now) => {
            const runner =
              [...(tenant?.runners.values() ?? [])].find((one) =>
                "id" in of ? one.id === of.id : one.token === of.token && one.name === of.name
              ) ?? null
            const leased = values(tenant?.runs).filter(({ lease }) => lease !== null)
            const held = leased.filter(({ lease }) => runner !== null && lease?.runner === runner.id)
            const registered = [...(tenant?.runners.values() ?? [])].filter(({ removedAt }) => removedAt === null)
            const idle = registered
              .filter(({ id, offlineAt }) => offlineAt !== null && !leased.some(({ lease }) => lease?.runner === id))
              .toSorted(byOffline)
            return decide({ now, runner, held, registered: registered.length, idle: idle[0] ?? null })
          }
        ),
      list: (workspace) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          const runners = [...(tenant?.runners.values() ?? [])].filter(({ removedAt }) => removedAt === null)
          return runners
            .map((runner) => ({
              ...runner,
              runs: values(tenant?.runs)
                .filter(({ lease }) => lease?.runner === runner.id)
                .map(({ key, latest, story }) => ({ key, story, stage: latest.stage }))
            }))
            .toSorted((a, b) =>
              a.name === b.name ? DateTime.Order(a.registeredAt, b.registeredAt) : a.name < b.name ? -1 : 1
            )
        }),
      heard: (workspace, id, token) =>
        Effect.map(DateTime.now, (now) => {
          const runners = state.get(workspace)?.runners
          const runner = runners?.get(id)
          if (runner?.token !== token || runner.removedAt !== null || runner.offlineAt !== null) return null
          const heard = new Runner({ ...runner, lastSeenAt: DateTime.max(runner.lastSeenAt, now) }, skipValidation)
          runners?.set(id, heard)
          return heard
        }),
      online: (workspace, id) =>
        Effect.sync(() => {
          const runner = state.get(workspace)?.runners.get(id)
          return runner?.removedAt === null && runner.offlineAt === null ? runner : null
        }),
      purge: (days) =>
        Effect.map(DateTime.now, (now) => {
          const before = DateTime.subtract(now, { days })
          for (const { runners } of state.values())
            for (const { id, removedAt } of runners.values())
              if (removedAt !== null && DateTime.lessThan(removedAt, before)) runners.delete(id)
        }),
      silent: Effect.map(DateTime.now, (now) =>
        [...state.values()].flatMap(({ runners, workspace }) =>
          [...runners.values()]
            .filter((runner) => runner.offlineAt === null && isSilent(runner, now))
            .map(({ id }) => ({ workspace: workspace.id, id }))
        )
      ),
      appendLog: (workspace, part) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          const logs = tenant?.logs
          const name = `${part.run} ${part.attempt}`
          const kept = logs?.get(name) ?? []
          if (part.text === "" || kept.some(({ lease, seq }) => lease === part.lease && seq === part.seq)) return
          const until = (kept.at(-1)?.until ?? 0) + bytes(part.text)
          logs?.set(
            name,
            [...kept, { ...part, until }].filter((one) => one.until > until - mostLogBytes)
          )
          if (tenant) sign(tenant, "log", part.run)
        }),
      log: (workspace, { after, attempt, most = mostLogBytes, run }) =>
        Effect.sync(() => {
          const all = state.get(workspace)?.logs.get(`${run} ${attempt}`) ?? []
          const from = Math.max(after, (all.at(-1)?.until ?? 0) - most)
          const parts = all.filter(({ until }) => until > from)
          return { text: parts.map(({ text }) => text).join(""), next: parts.at(-1)?.until ?? after }
        })
    })
  })
)
