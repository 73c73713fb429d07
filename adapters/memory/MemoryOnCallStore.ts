import { DateTime, Effect, type Either, Layer, Struct } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { OnCallStore, type Scope } from "../../application/ports/OnCallStore.ts"
import type { OnCall, OnCallContext } from "../../domain/oncall/commands/OnCallContext.ts"
import { type Alert, AlertView, view } from "../../domain/oncall/Alert.ts"
import type { Decided } from "../../domain/Change.ts"
import { type Incident, IncidentNotFound, IncidentView } from "../../domain/oncall/Incident.ts"
import { Service } from "../../domain/oncall/Service.ts"
import { SignalSource } from "../../domain/oncall/SignalSource.ts"
import { freshId } from "../../domain/work/Fresh.ts"
import type { JobId } from "../../domain/work/Job.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { isHeld, standing, values } from "./MemoryWorkContext.ts"
import { conclude, evidence, follow } from "./MemoryIncidentContext.ts"
import { historyOf } from "./MemoryIncidentHistory.ts"
import { newest } from "./MemoryPages.ts"
import { change, State, type Tenant } from "./MemoryState.ts"

const encodeAlert = Json.encoder(AlertView)
const encodeIncident = Json.encoder(IncidentView)

const byName = (a: { readonly name: string }, b: { readonly name: string }) =>
  a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1

/** A service is deleted with its team. */
export const services = (tenant: Tenant): ReadonlyArray<Service> =>
  [...tenant.services.values()]
    .map((service) => {
      const deletedAt = service.deletedAt ?? tenant.teams.get(service.team)?.deletedAt ?? null
      return new Service({ ...service, deletedAt })
    })
    .sort(byName)

/** A source is deleted with its workspace. */
export const sources = (tenant: Tenant): ReadonlyArray<SignalSource> =>
  [...tenant.sources.values()]
    .map((source) => new SignalSource({ ...source, deletedAt: source.deletedAt ?? tenant.workspace.deletedAt }))
    .sort(byName)

const look = (tenant: Tenant | undefined, now: DateTime.Utc): OnCall =>
  tenant === undefined
    ? { now, teams: [], members: [], services: [], sources: [], places: [] }
    : {
        now,
        teams: [...tenant.teams.values()].filter(({ deletedAt }) => deletedAt === null).map(({ slug }) => slug),
        members: [...tenant.members.values()].filter(({ removedAt }) => removedAt === null),
        services: services(tenant),
        sources: sources(tenant),
        places: [...tenant.places.values()].filter((place) => place.removedAt === null && isHeld(tenant, place.team))
      }

const onCallContext = (tenant: Tenant, now: DateTime.Utc, scope: Scope): OnCallContext => {
  return {
    ...look(tenant, now),
    freshJobs: [...tenant.incidents.keys()].map(() => freshId<JobId>()),
    incidents: values(tenant.incidents)
      .filter(({ key, status }) => status === "open" || key === scope.incident)
      .map((incident) => standing(tenant, incident)),
    firing: values(tenant.alerts).filter(
      (alert) =>
        alert.status === "firing" &&
        ((scope.incident !== undefined && alert.incident === scope.incident) ||
          (alert.service !== null && is(tenant.services.get(alert.service)?.name, scope.service)) ||
          is(tenant.sources.get(alert.source)?.name, scope.source))
    )
  }
}

const is = (name: string | undefined, wanted: string | null | undefined) =>
  wanted != null && name?.toLowerCase() === wanted.toLowerCase()

const nameOfService = (tenant: Tenant | undefined, { service }: Pick<Incident, "service">) =>
  tenant?.services.get(service)?.name ?? ""

const incidentText = (tenant: Tenant | undefined) => (incident: Incident) =>
  encodeIncident({ ...incident, service: nameOfService(tenant, incident) })

const nameOfSource = (tenant: Tenant | undefined, { source }: Alert) => tenant?.sources.get(source)?.name ?? ""

const alertText = (tenant: Tenant | undefined, now: DateTime.Utc) => (alert: Alert) => {
  const service = alert.service === null ? null : (tenant?.services.get(alert.service)?.name ?? null)
  return encodeAlert(view(alert, { source: nameOfSource(tenant, alert), service }, now))
}

export const layer = Layer.effect(
  OnCallStore,
  Effect.map(State, (state) =>
    OnCallStore.of({
      look: (workspace) => Effect.map(DateTime.now, (now) => look(state.get(workspace), now)),
      sources: (workspace) =>
        Effect.map(DateTime.now, (now) => Struct.pick(look(state.get(workspace), now), "now", "sources")),
      refusals: (workspace) => Effect.sync(() => new Map(state.get(workspace)?.refusals)),
      incident: (workspace, key) =>
        Effect.suspend(() => {
          const tenant = state.get(workspace)
          const found = tenant?.incidents.get(key)?.value
          return found === undefined
            ? new IncidentNotFound({ incident: key })
            : Effect.succeed(incidentText(tenant)(found))
        }),
      history: (workspace, key) => Effect.sync(() => historyOf(state.get(workspace), key)),
      incidentPage: (workspace, { service, since, status }, request) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          return newest(
            tenant?.incidents.values() ?? [],
            (incident) =>
              (status === null || incident.status === status) &&
              (service === null || is(nameOfService(tenant, incident), service)) &&
              (since === null || DateTime.greaterThanOrEqualTo(incident.openedAt, since)),
            incidentText(tenant),
            request
          )
        }),
      alertPage: (workspace, { incident, source, status }, request) =>
        Effect.map(DateTime.now, (now) => {
          const tenant = state.get(workspace)
          return newest(
            tenant?.alerts.values() ?? [],
            (alert) =>
              alert.count > 0 &&
              (incident === null || alert.incident === incident) &&
              (source === null || is(nameOfSource(tenant, alert), source)) &&
              (status === null || alert.status === status),
            alertText(tenant, now),
            request
          )
        }),
      alerts: (workspace, incident) =>
        Effect.map(DateTime.now, (now) => {
          const tenant = state.get(workspace)
          return values(tenant?.alerts)
            .filter((alert) => alert.count > 0 && alert.incident === incident)
            .map(alertText(tenant, now))
            .toReversed()
        }),
      change: <A, E, F>(
        workspace: WorkspaceId,
        scope: Scope,
        decide: (at: OnCallContext) => Either.Either<Decided<A, F>, E>
      ) =>
        change<A, E, F>(
          state,
          () => state.get(workspace),
          (tenant, now) =>
            decide(
              tenant
                ? onCallContext(tenant, now, scope)
                : { ...look(undefined, now), incidents: [], firing: [], freshJobs: [] }
            )
        ),
      follow: follow(state),
      evidence: evidence(state),
      conclude: conclude(state)
    })
  )
)
