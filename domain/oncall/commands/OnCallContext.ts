import type { DateTime } from "effect"
import type { Alert } from "../Alert.ts"
import { ended, followed } from "../EndAlerts.ts"
import { incidentFact, type Standing } from "../Incident.ts"
import type { Place } from "../Place.ts"
import type { Service } from "../Service.ts"
import type { SignalSource } from "../SignalSource.ts"
import type { Change } from "../../Change.ts"
import type { JobId } from "../../work/Job.ts"
import type { By } from "../../workspace/Actor.ts"
import type { Member } from "../../workspace/Member.ts"
import type { TeamSlug } from "../../workspace/Team.ts"

/** All on-call settings; also deleted services and sources, since their names are not reused. */
export interface OnCall {
  readonly now: DateTime.Utc
  readonly teams: ReadonlyArray<TeamSlug>
  readonly members: ReadonlyArray<Pick<Member, "id" | "email" | "name">>
  readonly services: ReadonlyArray<Service>
  readonly sources: ReadonlyArray<SignalSource>
  readonly places: ReadonlyArray<Place>
}

/** The alerts and incidents that a change may end. */
export interface OnCallContext extends OnCall {
  /** Open incidents, and the one in scope. */
  readonly incidents: ReadonlyArray<Standing>
  /** Firing alerts of the incident, service or source in scope. */
  readonly firing: ReadonlyArray<Alert>
  /** One for each incident. */
  readonly freshJobs: ReadonlyArray<JobId>
}

interface Named {
  readonly name: string
}

export const isNamed =
  (name: string) =>
  (one: Named): boolean =>
    one.name.toLowerCase() === name.toLowerCase()

/** Finds an object by its name among those that are not deleted. */
export const findNamed = <A extends Named & { readonly deletedAt: unknown }>(
  all: ReadonlyArray<A>,
  name: string
): A | undefined => all.find((one) => one.deletedAt === null && isNamed(name)(one))

/** Adds the end of the alerts and incidents in scope to the deletion of their service or source. */
export const withEndedAlerts = (by: By, at: OnCallContext, deletion: Change, explanation: string): Change => {
  const over = ended(at.firing, at.incidents, at.now, explanation)
  return {
    added: { jobs: followed(over.incidents, at.freshJobs, at.now) },
    changed: { ...deletion.changed, ...over },
    audit: [...deletion.audit, ...over.incidents.map((incident) => incidentFact(by, "incident_resolved", incident))]
  }
}
