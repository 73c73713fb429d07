import type { DateTime } from "effect"
import type { Alert } from "../Alert.ts"
import { ended } from "../EndAlerts.ts"
import { incidentFact, type Standing } from "../Incident.ts"
import type { Decision } from "../../work/Decision.ts"
import type { Run } from "../../work/Run.ts"
import { cancelled, stopped } from "../../work/WorkContext.ts"
import type { By } from "../../workspace/Actor.ts"

/** Work and outages that the deletion of a team or workspace ends. */
export interface Unfinished {
  readonly now: DateTime.Utc
  readonly unfinishedRuns: ReadonlyArray<Run>
  readonly openIncidents: ReadonlyArray<Standing>
  readonly firingAlerts: ReadonlyArray<Alert>
}

/** Stops runs, cancels pending decisions, and resolves alerts and incidents. */
export const endUnfinished = (by: By, at: Unfinished, pending: ReadonlyArray<Decision>, explanation: string) => {
  const { audit: stops, runs } = stopped(by, at.unfinishedRuns, at.now)
  const { audit: cancellations, decisions } = cancelled(by, pending)
  const over = ended(at.firingAlerts, at.openIncidents, at.now, explanation)
  return {
    rows: { runs, decisions, ...over },
    audit: [
      ...stops,
      ...cancellations,
      ...over.incidents.map((incident) => incidentFact(by, "incident_resolved", incident))
    ]
  }
}
