import { Effect, Layer } from "effect"
import * as Json from "../../application/Json.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { progress, type Run, RunNotFound, RunSummary, RunView } from "../../domain/Run.ts"
import { present } from "./MemoryTeamStore.ts"
import { newest } from "./Pages.ts"
import { State, type Tenant } from "./State.ts"

const encodeSummary = Json.encoder(RunSummary)
const encodeView = Json.encoder(RunView)

const summary = (tenant: Tenant, run: Run): RunSummary => ({
  ...run,
  ...progress(run),
  story: { key: run.story, title: tenant.stories.get(run.story)?.value.title ?? "" }
})

export const layer = Layer.effect(
  RunStore,
  Effect.map(State, (state) =>
    RunStore.of({
      page: (workspace, { story, team }, request) =>
        Effect.suspend(() => {
          const tenant = state.get(workspace)
          const matches = (run: Run) => (team === null || run.team === team) && (story === null || run.story === story)
          const page = () =>
            newest(
              tenant?.runs.values() ?? [],
              matches,
              (run) => encodeSummary(summary(tenant as Tenant, run)),
              request
            )
          return team === null ? Effect.sync(page) : Effect.map(present(tenant, team), page)
        }),
      get: (workspace, key) =>
        Effect.suspend(() => {
          const tenant = state.get(workspace)
          const run = tenant?.runs.get(key)?.value
          if (tenant === undefined || run === undefined) return new RunNotFound({ run: key })
          const decisions = [...tenant.decisions.values()].map((row) => row.value).filter((row) => row.runKey === key)
          return Effect.succeed(
            encodeView({
              ...summary(tenant, run),
              attemptList: run.attemptList,
              evidence: run.evidence,
              decisions: decisions.toReversed()
            })
          )
        })
    })
  )
)
