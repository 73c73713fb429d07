import type { Rows } from "../Change.ts"
import type { Followed } from "./NotifyPlan.ts"
import { Incident } from "./Incident.ts"
import { sourceJobs } from "./IncidentJob.ts"
import type { JobId } from "../work/Job.ts"

/** After the first mail sent or post made about an open incident: alerts are silenced in their source only once somebody was notified. */
export const acknowledge = (at: Followed): { readonly added: Rows; readonly changed: Rows } => {
  const { incident } = at.standing
  if (incident.status !== "open" || incident.reachedAt !== null) return { added: {}, changed: {} }
  const ids = at.freshIds.values()
  return {
    added: { jobs: sourceJobs(incident, at, "acknowledged", () => ids.next().value as JobId) },
    changed: { incidents: [new Incident({ ...incident, reachedAt: at.now })] }
  }
}
