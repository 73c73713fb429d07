import { DateTime, Effect, Either, Layer } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import type { TeamContext } from "../../domain/oncall/commands/DeleteTeam.ts"
import type { Decided } from "../../domain/Change.ts"
import { settingsOf } from "../../domain/work/DecisionTriggers.ts"
import type { Workload } from "../../domain/work/Schedule.ts"
import type { Story } from "../../domain/work/Story.ts"
import { Team, TeamNotFound, type TeamSlug, TeamView, view } from "../../domain/workspace/Team.ts"
import { freshId } from "../../domain/work/Fresh.ts"
import type { JobId } from "../../domain/work/Job.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { type Drawn, drawn, freeRuns, workContext, raising, unfinished, values, wrong } from "./MemoryWorkContext.ts"
import { change, State, type Tenant } from "./MemoryState.ts"

const encode = Json.encoder(TeamView)
const encodeWhole = Json.encoder(Team)

/** Code point order and ASCII case, as Postgres' "C" collation has them. */
const order = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** The teams that were not deleted, in the order of their names. */
export const byName = (tenant: Tenant | undefined): ReadonlyArray<Team> =>
  [...(tenant?.teams.values() ?? [])]
    .filter((team) => team.deletedAt === null)
    .sort((a, b) => order(lower(a.name), lower(b.name)) || order(a.slug, b.slug))

export const present = (tenant: Tenant | undefined, slug: TeamSlug): Effect.Effect<Team, TeamNotFound> => {
  const team = tenant?.teams.get(slug)
  return team === undefined || team.deletedAt !== null ? new TeamNotFound({ team: slug }) : Effect.succeed(team)
}

/** Expedite first, then the oldest. */
const ready = (tenant: Tenant, team: Team): ReadonlyArray<Story> => {
  const busy = new Set(unfinished(tenant, (run) => run.team === team.slug).map((run) => run.story))
  const waiting = values(tenant.stories).filter(
    (story) =>
      story.team === team.slug &&
      story.column.role === "ready" &&
      !story.draft &&
      story.rejectedAt === null &&
      !busy.has(story.key)
  )
  const isExpedite = (story: Story) => story.classOfService === "expedite"
  return [...waiting.filter(isExpedite), ...waiting.filter((story) => !isExpedite(story))]
}

const hasRoom = (tenant: Tenant, team: Team): boolean =>
  ready(tenant, team).length > 0 &&
  unfinished(tenant, (run) => run.team === team.slug).length < settingsOf(team.policy).maxConcurrency

const spentSince = (tenant: Tenant, team: TeamSlug, since: DateTime.Utc): number =>
  values(tenant.runs)
    .filter((run) => run.team === team)
    .flatMap((run) => run.attemptList)
    .filter(({ startedAt }) => startedAt !== null && DateTime.greaterThanOrEqualTo(startedAt, since))
    .reduce((sum, { costCents }) => sum + costCents, 0)

export const layer = Layer.effect(
  TeamStore,
  Effect.map(State, (state) => {
    const within = <A, E, F>(
      workspace: WorkspaceId,
      slug: TeamSlug,
      decide: (tenant: Tenant, team: Team, now: DateTime.Utc, keys: Drawn) => Either.Either<Decided<A, F>, E>
    ) =>
      Effect.flatMap(drawn, (keys) =>
        change<A, E | TeamNotFound, F>(
          state,
          () => state.get(workspace),
          (tenant, now) => {
            const team = tenant?.teams.get(slug)
            if (!tenant || !team || team.deletedAt !== null) return Either.left(new TeamNotFound({ team: slug }))
            return decide(tenant, team, now, keys)
          }
        )
      )
    return TeamStore.of({
      list: (workspace) =>
        Effect.sync(() => Json.array(byName(state.get(workspace)).map((team) => encode(view(team))))),
      get: (workspace, slug) =>
        Effect.suspend(() => Effect.map(present(state.get(workspace), slug), (team) => encode(view(team)))),
      whole: (workspace, slug) => Effect.suspend(() => Effect.map(present(state.get(workspace), slug), encodeWhole)),
      change: <A, E, F>(
        workspace: WorkspaceId,
        slug: TeamSlug,
        decide: (at: TeamContext) => Either.Either<Decided<A, F>, E>
      ) =>
        within<A, E, F>(workspace, slug, (tenant, team, now, keys) =>
          decide({
            ...workContext(tenant, now, team, null, null),
            ...raising(tenant, keys, slug),
            unfinishedRuns: unfinished(tenant, (run) => run.team === slug),
            freshJobs: [...tenant.incidents.keys()].map(() => freshId<JobId>()),
            ...wrong(tenant, (service) => service !== null && tenant.services.get(service)?.team === slug)
          })
        ),
      withRoom: Effect.sync(() =>
        [...state.entries()].flatMap(([workspace, tenant]) =>
          tenant.workspace.deletedAt === null
            ? [...tenant.teams.values()]
                .filter((team) => team.deletedAt === null && team.pausedAt === null && hasRoom(tenant, team))
                .map((team) => ({ workspace, team: team.slug }))
                .sort((a, b) => order(a.team, b.team))
            : []
        )
      ),
      schedule: <A, E, F>(
        workspace: WorkspaceId,
        slug: TeamSlug,
        decide: (at: Workload) => Either.Either<Decided<A, F>, E>
      ) =>
        within<A, E, F>(workspace, slug, (tenant, team, now, keys) =>
          decide({
            now,
            team,
            unfinished: unfinished(tenant, (run) => run.team === slug).length,
            spentToday: spentSince(tenant, slug, DateTime.startOf(now, "day")),
            spentThisMonth: spentSince(tenant, slug, DateTime.startOf(now, "month")),
            ready: ready(tenant, team),
            freshRuns: freeRuns(tenant, keys)
          })
        )
    })
  })
)
