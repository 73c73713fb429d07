import type { Rows } from "../Change.ts"
import type { FollowContext } from "./NotifyPlan.ts"
import { Incident } from "./Incident.ts"
import { sourceJobs } from "./IncidentJob.ts"
import { take } from "../work/Fresh.ts"
import type { JobId } from "../work/Job.ts"

/** Acknowledges alerts in their source after the first mail or post about an open incident, never before. */
export const acknowledge = (at: FollowContext): { readonly added: Rows; readonly changed: Rows } => {
  const { incident } = at.standing
  if (incident.status !== "open" || incident.reachedAt !== null) return { added: {}, changed: {} }
  const ids = at.freshIds.values()
  return {
    added: { jobs: sourceJobs(incident, at, "acknowledged", () => take(ids) as JobId) },
    changed: { incidents: [new Incident({ ...incident, reachedAt: at.now })] }
  }
}
