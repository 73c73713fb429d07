import type { By } from "../workspace/Actor.ts"
import * as Audit from "../workspace/Audit.ts"
import type { Incident } from "./Incident.ts"

/** Audit entry of a change to an incident. */
export const incidentFact = (
  by: By,
  event: "incident_updated" | "incident_resolved",
  { key, team, title }: Incident,
  details: Audit.Fact["details"] = {}
): Audit.Fact => Audit.fact(by, event, { type: "incident", id: key, name: title }, { team, details })
