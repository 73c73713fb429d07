import type { DateTime } from "effect"
import { followUp } from "./NotifyPlan.ts"
import type { Job, JobId } from "../work/Job.ts"
import { Alert } from "./Alert.ts"
import { Incident, type Standing } from "./Incident.ts"

/** Ends alerts that no tool will send a recovery of, and the open incidents that hold no others. */
export const ended = (
  firing: ReadonlyArray<Alert>,
  incidents: ReadonlyArray<Standing>,
  now: DateTime.Utc,
  explanation: string
) => ({
  alerts: firing.map(
    (alert) => new Alert({ ...alert, status: "resolved", endedAt: now, reason: "recovered", explanation })
  ),
  incidents: incidents
    .filter(
      ({ firing: all, incident }) =>
        incident.status === "open" &&
        all > 0 &&
        all === firing.filter((alert) => alert.incident === incident.key).length
    )
    .map(({ incident }) => new Incident({ ...incident, status: "resolved", resolvedAt: now }))
})

/** Returns the jobs that follow resolved incidents. */
export const followed = (
  incidents: ReadonlyArray<Incident>,
  fresh: ReadonlyArray<JobId>,
  now: DateTime.Utc
): ReadonlyArray<Job> =>
  incidents.flatMap((incident, index) => {
    const id = fresh[index]
    return id === undefined ? [] : [followUp(id, incident, "resolved", now)]
  })
