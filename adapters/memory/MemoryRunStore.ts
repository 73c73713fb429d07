import { DateTime, Effect, Either, Layer, Stream } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { RunStore, type Wanted } from "../../application/ports/RunStore.ts"
import type { Decided } from "../../domain/Change.ts"
import { freshId } from "../../domain/work/Fresh.ts"
import type { JobId } from "../../domain/work/Job.ts"
import {
  longestRunHistory,
  progress,
  Run,
  RunHistory,
  RunNotFound,
  RunSummary,
  RunView
} from "../../domain/work/Run.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import { leaseSeconds, returnSeconds, type RunnerId } from "../../domain/work/Lease.ts"
import type { RunContext } from "../../domain/work/RunContext.ts"
import { isLapsed } from "../../domain/work/LeaseRun.ts"
import { Runner } from "../../domain/runner/Runner.ts"
import { isUnheld } from "../../domain/work/RunTransitions.ts"
import { skipValidation } from "../../domain/value/SkipValidation.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { drawn, isHeld, workContext, merging, raising, values } from "./MemoryWorkContext.ts"
import { present } from "./MemoryTeamStore.ts"
import { newest } from "./MemoryPages.ts"
import { change, State, type Tenant, write } from "./MemoryState.ts"

const encodeSummary = Json.encoder(RunSummary)
const encodeView = Json.encoder(RunView)
const encodeHistory = Json.encoder(RunHistory)

/** The fields of a recorded state; one that did not change is null. */
const stateOf = (after: unknown) => {
  const { attempts = null, stage = null, status = null } = (after ?? {}) as Readonly<Record<string, never>>
  return { status, stage, attempt: attempts }
}

const summary = (tenant: Tenant, run: Run): RunSummary => ({
  ...run,
  ...progress(run),
  story: { key: run.story, title: tenant.stories.get(run.story)?.value.title ?? "" }
})

const deadlineOf = ({ lease }: Run): number => lease?.expiresAt.epochMillis ?? 0

/** A runner that may take runs: neither removed nor draining nor without its token. */
const isActive = (tenant: Tenant, id: RunnerId): boolean => {
  const runner = tenant.runners.get(id)
  return (
    runner !== undefined &&
    runner.removedAt === null &&
    runner.offlineAt === null &&
    runner.drainingAt === null &&
    tenant.tokens.get(runner.token)?.revokedAt === null
  )
}

const isFree = (tenant: Tenant, run: Run, { runner, teams }: Wanted, now: DateTime.Utc): boolean => {
  const team = tenant.teams.get(run.team)
  if (team === undefined || team.deletedAt !== null || team.pausedAt !== null) return false
  if (teams.length > 0 && !teams.includes(run.team)) return false
  if (runner !== null && (!runner.executors.includes(run.latest.executor) || team.repositories.length === 0))
    return false
  const isBeingRestored = values(tenant.jobs).some(
    ({ kind, runKey, status }) =>
      kind === "restore_spec" && runKey === run.key && (status === "queued" || status === "running")
  )
  if (runner !== null && isBeingRestored) return false
  if (run.latest.status === "queued") return true
  if (!isUnheld(run)) return false
  const last = run.lastLease?.runner ?? null
  if (runner === null || last === null || last === runner.id || run.resumedAt === null) return true
  return DateTime.lessThanOrEqualTo(DateTime.add(run.resumedAt, { seconds: returnSeconds }), now)
}

export const layer = Layer.effect(
  RunStore,
  Effect.map(State, (state) => {
    const changeAs = <A, E, F>(
      workspace: WorkspaceId,
      key: RunKey,
      runner: RunnerId | null,
      decide: (at: RunContext, isActive: boolean) => Either.Either<Decided<A, F>, E>
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
            const at = {
              ...workContext(tenant, now, team, story, run),
              ...raising(tenant, keys, team.slug),
              ...merging(tenant, team.slug),
              run,
              story,
              freshJob: freshId<JobId>(),
              undelivered: values(tenant.jobs).filter(
                ({ kind, runKey, status }) =>
                  kind === "tell_agent" && runKey === key && (status === "queued" || status === "no_adapter")
              )
            }
            return decide(at, runner === null || isActive(tenant, runner))
          }
        )
      )

    return RunStore.of({
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
      history: (workspace, key) =>
        Effect.sync(() =>
          encodeHistory(
            (state.get(workspace)?.audit ?? [])
              .filter(({ value }) => value.runKey === key && value.event === "run_state_changed")
              .map(({ value: { details, timestamp: at } }) => ({ at, ...stateOf(details["after"]) }))
              .filter(({ attempt, stage, status }) => (status ?? stage ?? attempt) !== null)
              .slice(-longestRunHistory)
          )
        ),
      change: (workspace, key, decide) => changeAs(workspace, key, null, decide),
      changeAs,
      next: (workspace, wanted) =>
        Effect.map(DateTime.now, (now) => {
          const tenant = state.get(workspace)
          if (tenant === undefined) return null
          const isExpedite = (run: Run) => tenant.stories.get(run.story)?.value.classOfService === "expedite"
          const free = values(tenant.runs).filter((run) => isFree(tenant, run, wanted, now))
          return (free.find(isExpedite) ?? free[0])?.key ?? null
        }),
      ofLease: (workspace, lease) =>
        Effect.sync(
          () => values(state.get(workspace)?.runs).find(({ lastLease }) => lastLease?.id === lease)?.key ?? null
        ),
      renew: (workspace, { fence, lease: id, token }, lastInput) =>
        Effect.map(DateTime.now, (now) => {
          const tenant = state.get(workspace)
          const run = values(tenant?.runs).find(({ lease }) => lease?.id === id)
          if (!tenant || !run?.lease || run.fence !== fence || run.lease.token !== token || isLapsed(run, now))
            return null
          const runner = run.lease.runner === null ? undefined : tenant.runners.get(run.lease.runner)
          if (runner) write(tenant, { runners: [new Runner({ ...runner, lastSeenAt: now }, skipValidation)] })
          const expiresAt = DateTime.add(now, { seconds: leaseSeconds })
          write(tenant, { runs: [new Run({ ...run, lease: { ...run.lease, expiresAt } }, skipValidation)] })
          return {
            expiresAt,
            action: runner?.drainingAt ? "drain" : "continue",
            inputs: run.inputs.slice(lastInput),
            decisions: values(tenant.decisions)
              .filter(({ runKey }) => runKey === run.key)
              .map(({ key, kind, status }) => ({ key, kind, status }))
          }
        }),
      lapsed: (limit) =>
        Effect.map(DateTime.now, (now) =>
          [...state.values()]
            .flatMap(({ runs, workspace }) =>
              values(runs).flatMap((run) => (isLapsed(run, now) ? [{ workspace: workspace.id, run }] : []))
            )
            .toSorted((one, other) => deadlineOf(one.run) - deadlineOf(other.run))
            .slice(0, limit)
            .map(({ run, workspace }) => ({ workspace, run: run.key }))
        ),
      ofCredential: (hash) =>
        Effect.map(DateTime.now, (now) => {
          for (const { runs, workspace } of state.values())
            for (const run of values(runs))
              if (run.lease?.credential === hash && run.lease.token !== null && !isLapsed(run, now))
                return {
                  workspace: workspace.id,
                  run: run.key,
                  story: run.story,
                  attempt: run.latest.attempt,
                  lease: run.lease.id,
                  fence: run.fence,
                  token: run.lease.token
                }
          return null
        }),
      leasable: Stream.fromPubSub(state.signs).pipe(
        Stream.filter(({ topic }) => topic === "audit"),
        Stream.map(({ workspace }) => workspace)
      )
    })
  })
)
