import { Effect, Either } from "effect"
import { answered } from "../../domain/Change.ts"
import * as EndAlerts from "../../domain/oncall/EndAlerts.ts"
import { Incident, IncidentAcknowledged, IncidentNotFound, IncidentResolved } from "../../domain/oncall/Incident.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import { byOf, permit, type Person } from "../workspace/Authorization.ts"
import { type OnCallContext, OnCallStore } from "../ports/OnCallStore.ts"
import { incidentFact } from "../../domain/oncall/IncidentFact.ts"

/** Finds an open incident. */
const open = (
  { incidents }: OnCallContext,
  key: IncidentKey
): Either.Either<Incident, IncidentNotFound | IncidentResolved> => {
  const found = incidents.find(({ incident }) => incident.key === key)
  if (found === undefined) return Either.left(new IncidentNotFound({ incident: key }))
  return found.incident.status === "open"
    ? Either.right(found.incident)
    : Either.left(new IncidentResolved({ incident: key }))
}

/** Records that a person looks after the incident. */
export const acknowledge = Effect.fn("Incidents.acknowledge")(function* (person: Person, key: IncidentKey) {
  yield* permit(person, "incident acknowledge")
  const store = yield* OnCallStore
  return yield* store.change(person.workspace, { incident: key }, (at) =>
    Either.flatMap(open(at, key), (incident) => {
      if (incident.acknowledgedBy !== null)
        return Either.left(new IncidentAcknowledged({ incident: key, by: incident.acknowledgedBy }))
      const { name } = person.member
      const after = new Incident({ ...incident, acknowledgedAt: at.now, acknowledgedBy: name })
      const fact = incidentFact(byOf(person), "incident_updated", after, { after: { acknowledgedBy: name } })
      return answered({ changed: { incidents: [after] }, audit: [fact] }, after)
    })
  )
})

/** Resolves an incident by hand, with its alerts, since some tools never send a recovery. */
export const resolve = Effect.fn("Incidents.resolve")(function* (person: Person, key: IncidentKey) {
  yield* permit(person, "incident resolve")
  const store = yield* OnCallStore
  return yield* store.change(person.workspace, { incident: key }, (at) =>
    Either.flatMap(open(at, key), (incident) => {
      const after = new Incident({ ...incident, status: "resolved", resolvedAt: at.now })
      const { alerts } = EndAlerts.ended(at.firing, [], at.now, `${person.member.name} resolved ${key}.`)
      const fact = incidentFact(byOf(person), "incident_resolved", after, { by: "hand" })
      const jobs = EndAlerts.followed([after], at.freshJobs, at.now)
      return answered({ added: { jobs }, changed: { incidents: [after], alerts }, audit: [fact] }, after)
    })
  )
})
