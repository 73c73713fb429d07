import { Effect, Either, Layer } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import type { Decided } from "../../domain/Change.ts"
import { freshId } from "../../domain/work/Fresh.ts"
import { progress, type Run, RunNotFound, RunSummary, RunView } from "../../domain/work/Run.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { RunContext } from "../../domain/work/RunTransactions.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { drawn, isHeld, workContext, merging, raising, values } from "./MemoryWorkContext.ts"
import { present } from "./MemoryTeamStore.ts"
import { newest } from "./MemoryPages.ts"
import { change, State, type Tenant } from "./MemoryState.ts"

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
          const matches = (run: Run) =>
            isHeld(tenant, run.team) && (team === null || run.team === team) && (story === null || run.story === story)
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
          if (tenant === undefined || run === undefined || !isHeld(tenant, run.team))
            return new RunNotFound({ run: key })
          const decisions = [...tenant.decisions.values()].map((row) => row.value).filter((row) => row.runKey === key)
          return Effect.succeed(
            encodeView({
              ...summary(tenant, run),
              attemptList: run.attemptList,
              evidence: run.evidence,
              decisions: decisions.toReversed()
            })
          )
        }),
      change: <A, E, F>(
        workspace: WorkspaceId,
        key: RunKey,
        decide: (at: RunContext) => Either.Either<Decided<A, F>, E>
      ) =>
        Effect.flatMap(drawn, (keys) =>
          change<A, E | RunNotFound, F>(
            state,
            () => state.get(workspace),
            (tenant, now) => {
              const run = tenant?.runs.get(key)?.value
              const team = run && tenant?.teams.get(run.team)
              const story = run && tenant?.stories.get(run.story)?.value
              if (tenant === undefined || !run || !team || !story || team.deletedAt !== null)
                return Either.left(new RunNotFound({ run: key }))
              return decide({
                ...workContext(tenant, now, team, story, run),
                ...raising(tenant, keys, team.slug),
                ...merging(tenant, team.slug),
                run,
                story,
                freshJob: freshId()
              })
            }
          )
        ),
      next: (workspace, team) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          const isExpedite = (run: Run) => tenant?.stories.get(run.story)?.value.classOfService === "expedite"
          const queued = values(tenant?.runs).filter(
            (run) =>
              run.latest.status === "queued" &&
              (team === null || run.team === team) &&
              isHeld(tenant, run.team) &&
              tenant?.teams.get(run.team)?.pausedAt === null
          )
          return (queued.find(isExpedite) ?? queued[0])?.key ?? null
        })
    })
  )
)
