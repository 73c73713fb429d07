import type { DateTime } from "effect"
import { Alert } from "./Alert.ts"
import { Incident, type Standing } from "./Incident.ts"

/** Ends alerts that nobody will send a recovery of, and the open incidents that hold no others. */
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
