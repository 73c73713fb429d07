import type { DateTime } from "effect"
import type { Incident } from "./Incident.ts"
import { type Job, type JobId, type JobKind, queued } from "../work/Job.ts"
import { type Service, updatesSources } from "./Service.ts"
import type { SignalSource } from "./SignalSource.ts"

/** A job about an incident; its payload names the incident. */
export const incidentJob = (
  { key, team }: Pick<Incident, "key" | "team">,
  now: DateTime.Utc,
  given: { readonly id: JobId; readonly kind: JobKind; readonly lane: string } & Partial<Pick<Job, "dueAt" | "payload">>
): Job =>
  queued(
    { team, story: null, runKey: null, decision: null, ...given, payload: { incident: key, ...given.payload } },
    now
  )

/** One job for each source that holds alerts of the incident and can be updated. */
export const sourceJobs = (
  incident: Incident,
  at: { readonly now: DateTime.Utc; readonly service: Service; readonly sources: ReadonlyArray<SignalSource> },
  to: "acknowledged" | "resolved",
  fresh: () => JobId
): ReadonlyArray<Job> => {
  if (!updatesSources(at.service)) return []
  const updatable = at.sources.filter(({ credentials, deletedAt }) => credentials !== null && deletedAt === null)
  return updatable.map(({ id }) => {
    const lane = `source ${incident.key} ${id}`
    return incidentJob(incident, at.now, { id: fresh(), kind: "update_source", lane, payload: { source: id, to } })
  })
}
