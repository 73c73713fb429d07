import { DateTime, Effect, Either } from "effect"
import type { OnCallStore } from "../../application/ports/OnCallStore.ts"
import { type Candidate, hoursOfSuspicion, mostAlertsRead } from "../../domain/oncall/Investigation.ts"
import type { Incident } from "../../domain/oncall/Incident.ts"
import { freshId } from "../../domain/work/Fresh.ts"
import type { Job, JobId } from "../../domain/work/Job.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { drawn, isHeld, workContext, freshFor, raising, standing, values } from "./MemoryWorkContext.ts"
import { record, type State, type Tenant, write } from "./MemoryState.ts"

type Store = OnCallStore["Type"]
type States = typeof State.Service

interface About {
  readonly tenant: Tenant
  readonly job: Job
  readonly incident: Incident
}

/** An unfinished job and its incident. */
const about = (state: States, workspace: WorkspaceId, id: JobId): About | null => {
  const tenant = state.get(workspace)
  const job = tenant?.jobs.get(id)?.value
  const incident = values(tenant?.incidents).find(({ key }) => key === job?.payload["incident"])
  return !tenant || !job || !incident || job.status === "done" ? null : { tenant, job, incident }
}

const few = 5

const alertsOf = (tenant: Tenant, { key }: Incident) => values(tenant.alerts).filter((alert) => alert.incident === key)

export const follow =
  (state: States): Store["follow"] =>
  (workspace, id, plan) =>
    Effect.map(DateTime.now, (now) => {
      const found = about(state, workspace, id)
      const service = found && found.tenant.services.get(found.incident.service)
      if (!found || !service) return
      const { incident, job, tenant } = found
      const members = [...tenant.members.values()].filter(({ removedAt }) => removedAt === null)
      const places = [...tenant.places.values()].filter(
        ({ removedAt, team }) => removedAt === null && team === incident.team && isHeld(tenant, team)
      )
      const alerts = alertsOf(tenant, incident)
      const sources = [...tenant.sources.values()].filter((one) => alerts.some(({ source }) => source === one.id))
      const { added, changed } = plan({
        now,
        job,
        workspace: tenant.workspace.slug,
        standing: standing(tenant, incident),
        service,
        members,
        places,
        sources,
        alerts: alerts.toReversed().slice(0, few),
        decision: values(tenant.decisions).find(({ key }) => key === job.payload["decision"]) ?? null,
        freshIds: Array.from({ length: 2 * members.length + places.length + sources.length + 2 }, freshId)
      })
      write(tenant, added)
      write(tenant, changed)
    })

const mergesOf = (tenant: Tenant, { team }: Incident, now: DateTime.Utc): ReadonlyArray<Candidate> => {
  const since = DateTime.subtract(now, { hours: hoursOfSuspicion })
  const runs = values(tenant.runs).filter((run) => run.team === team)
  const done = values(tenant.jobs).filter(({ kind, status }) => kind === "merge_pull_request" && status === "done")
  return runs
    .flatMap((run) => [
      ...(run.mergedAt === null ? [] : [{ run, mergedAt: run.mergedAt }]),
      ...done.filter(({ runKey }) => runKey === run.key).map(({ updatedAt }) => ({ run, mergedAt: updatedAt }))
    ])
    .filter(({ mergedAt }) => DateTime.greaterThan(mergedAt, since))
    .map(({ mergedAt, run: { evidence, key, pullRequest, story } }) => ({
      runKey: key,
      story,
      pullRequest,
      mergedAt,
      title: tenant.stories.get(story)?.value.title ?? "",
      paths: evidence?.diff?.paths ?? null
    }))
    .sort((a, b) => b.mergedAt.epochMillis - a.mergedAt.epochMillis)
}

export const evidence =
  (state: States): Store["evidence"] =>
  (workspace, key) =>
    Effect.map(DateTime.now, (now) => {
      const tenant = state.get(workspace)
      const incident = tenant?.incidents.get(key)?.value
      if (!tenant || !incident) return null
      const { environment, openedAt, service, team, title } = incident
      const others = [...tenant.services.values()].filter((one) => one.team === team && one.deletedAt === null)
      return {
        title,
        service: tenant.services.get(service)?.name ?? "",
        environment,
        openedAt,
        otherServices: others.flatMap((one) => (one.id === service ? [] : one.name)).sort(),
        alerts: alertsOf(tenant, incident)
          .slice(0, mostAlertsRead)
          .flatMap(({ description, labels, source, startedAt, title }) => {
            const kind = tenant.sources.get(source)?.kind
            return kind === undefined ? [] : [{ title, description, labels, startedAt, kind }]
          }),
        merges: mergesOf(tenant, incident, now)
      }
    })

export const conclude =
  (state: States): Store["conclude"] =>
  (workspace, id, decide) =>
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const keys = yield* drawn
      const found = about(state, workspace, id)
      const service = found && found.tenant.services.get(found.incident.service)
      const team = found && found.tenant.teams.get(found.incident.team)
      if (!found || !service || !team) return
      const { incident, job, tenant } = found
      const decided = decide({
        ...workContext(tenant, now, team, null, null),
        ...raising(tenant, keys, team.slug),
        job,
        standing: standing(tenant, incident),
        service,
        fresh: freshFor(tenant, team, keys)
      })
      if (Either.isLeft(decided)) return
      const { added = {}, audit, changed = {} } = decided.right.change
      write(tenant, added)
      write(tenant, changed)
      record(tenant, now, audit)
    })
