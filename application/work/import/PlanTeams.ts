import { Array, type DateTime, Either } from "effect"
import type { By } from "../../../domain/workspace/Actor.ts"
import * as Repository from "../../../domain/value/Repository.ts"
import * as Policy from "../../../domain/workspace/Policy.ts"
import { OnCallSettings, Service, ServiceId } from "../../../domain/oncall/Service.ts"
import { Team, TeamId, type TeamSlug } from "../../../domain/workspace/Team.ts"
import type { Catalog } from "../../ports/ImportStore.ts"
import type { Document } from "./ImportDocument.ts"
import { build, isStated, orRefuse, type Path, type Planned, refuse, unique } from "./ImportErrors.ts"

const planPolicy = (path: Path, given: NonNullable<Document["teams"][number]["policy"]>, now: DateTime.Utc) => {
  const preset = given.preset ?? "standard"
  const { budgets, custom, pausedAt: _, preset: __, updatedAt, version, ...stated } = given
  const defaults = Policy.presets[preset]
  const settings = {
    ...defaults,
    ...Object.fromEntries(Object.entries(stated).filter(([, value]) => isStated(value))),
    budgets: { ...defaults.budgets, ...budgets }
  }
  return build(
    path,
    () =>
      new Policy.Policy({
        ...settings,
        deniedPaths: Array.dedupe([...settings.deniedPaths, Policy.acceptanceFolder]),
        preset,
        custom: custom ?? Policy.departs(preset, settings),
        version: version ?? 1,
        updatedAt: updatedAt ?? now
      })
  )
}

export const planTeams = (
  given: Document["teams"],
  catalog: Catalog,
  by: By,
  uuid: () => string
): Planned<Array<Team>> =>
  Either.gen(function* () {
    yield* unique("teams", given, "id", (team) => team.id)
    yield* unique("teams", given, "slug", (team) => team.slug)
    yield* unique("teams", given, "keyPrefix", (team) => team.keyPrefix)
    const teams: Array<Team> = []
    for (const [index, team] of given.entries()) {
      const path = ["teams", index]
      const pausedSince = team.policy?.pausedAt ?? null
      if (catalog.teams.some((existing) => existing.id === team.id))
        return yield* refuse([...path, "id"], `'${team.id}' is taken in this workspace, or was`)
      if (catalog.teams.some((existing) => existing.slug === team.slug))
        return yield* refuse([...path, "slug"], `'${team.slug}' is taken in this workspace, or was`)
      if (catalog.teams.some((existing) => existing.keyPrefix === team.keyPrefix))
        return yield* refuse([...path, "keyPrefix"], `'${team.keyPrefix}' is taken in this workspace, or was`)
      if (team.paused === false && pausedSince !== null)
        return yield* refuse([...path, "paused"], "is false, but policy.pausedAt says since when it is paused")
      for (const [place, address] of (team.repositories ?? []).entries()) {
        const problem = Repository.problemOf(address, by.actor.type === "system")
        if (problem !== null) return yield* refuse([...path, "repositories", place], problem)
      }
      const policy = team.policy ? yield* planPolicy([...path, "policy"], team.policy, catalog.now) : null
      const { keyPrefix, name, slug } = team
      const planned = yield* build(
        path,
        () =>
          new Team({
            id: TeamId.make(team.id ?? uuid()),
            slug,
            name,
            description: team.description ?? null,
            keyPrefix,
            pausedAt: pausedSince ?? (team.paused ? catalog.now : null),
            policy,
            trackerProject: team.trackerProject ?? null,
            repositories: team.repositories ?? [],
            createdAt: team.createdAt ?? catalog.now,
            updatedAt: team.updatedAt ?? null,
            deletedAt: null
          })
      )
      teams.push(planned)
    }
    return teams
  })

/** Finds a team a document may refer to: its own and the workspace's. */
export const finder = (teams: ReadonlyArray<Team>) => (slug: TeamSlug, path: Path) =>
  orRefuse(
    teams.find((team) => team.slug === slug),
    path,
    `there is no team '${slug}' in this document or workspace`
  )

export const planServices = (
  given: Document["services"],
  catalog: Catalog,
  teamOf: ReturnType<typeof finder>,
  uuid: () => string
): Planned<Array<Service>> =>
  Either.gen(function* () {
    yield* unique("services", given, "name", (service) => service.name.toLowerCase())
    const services: Array<Service> = []
    for (const [index, { name, settings, team }] of given.entries()) {
      yield* teamOf(team, ["services", index, "team"])
      if (catalog.services.some((existing) => existing.name.toLowerCase() === name.toLowerCase()))
        return yield* refuse(["services", index, "name"], `'${name}' is taken in this workspace, or was`)
      services.push(
        new Service({
          id: ServiceId.make(uuid()),
          team,
          name,
          settings: settings ?? OnCallSettings.make({}),
          createdAt: catalog.now,
          updatedAt: null,
          deletedAt: null
        })
      )
    }
    return services
  })
