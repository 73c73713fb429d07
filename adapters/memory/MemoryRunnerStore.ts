import { DateTime, Effect, Layer } from "effect"
import { mostLogBytes, RunnerStore } from "../../application/ports/runner/RunnerStore.ts"
import { isSilent, Runner } from "../../domain/runner/Runner.ts"
import { skipValidation } from "../../domain/value/SkipValidation.ts"
import { values } from "./MemoryWorkContext.ts"
import { change, State } from "./MemoryState.ts"

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
            const held = values(tenant?.runs).filter(({ lease }) => runner !== null && lease?.runner === runner.id)
            return decide({ now, runner, held })
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
      silent: Effect.map(DateTime.now, (now) =>
        [...state.values()].flatMap(({ runners, workspace }) =>
          [...runners.values()]
            .filter((runner) => runner.offlineAt === null && isSilent(runner, now))
            .map(({ id }) => ({ workspace: workspace.id, id }))
        )
      ),
      appendLog: (workspace, part) =>
        Effect.sync(() => {
          const logs = state.get(workspace)?.logs
          const name = `${part.run} ${part.attempt}`
          const kept = logs?.get(name) ?? []
          if (part.text === "" || kept.some(({ lease, seq }) => lease === part.lease && seq === part.seq)) return
          const until = (kept.at(-1)?.until ?? 0) + bytes(part.text)
          logs?.set(
            name,
            [...kept, { ...part, until }].filter((one) => one.until > until - mostLogBytes)
          )
        }),
      log: (workspace, { after, attempt, run }) =>
        Effect.sync(() => {
          const parts = (state.get(workspace)?.logs.get(`${run} ${attempt}`) ?? []).filter(({ until }) => until > after)
          return { text: parts.map(({ text }) => text).join(""), next: parts.at(-1)?.until ?? after }
        })
    })
  })
)
