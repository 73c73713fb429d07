import { Either } from "effect"
import type { OnCallContext } from "./OnCallContext.ts"
import { ended, followed } from "../EndAlerts.ts"
import {
  Incident,
  IncidentAcknowledged,
  incidentFact,
  IncidentNoteMissing,
  IncidentNotFound,
  IncidentResolved
} from "../Incident.ts"
import { answered, type Decided } from "../../Change.ts"
import type { IncidentKey } from "../../value/IncidentKey.ts"
import type { NoteTooLong } from "../../work/DecisionErrors.ts"
import { checkNote } from "../../work/ResolveDecision.ts"
import type { By } from "../../workspace/Actor.ts"

const find = ({ incidents }: OnCallContext, key: IncidentKey): Either.Either<Incident, IncidentNotFound> => {
  const found = incidents.find(({ incident }) => incident.key === key)
  return found === undefined ? Either.left(new IncidentNotFound({ incident: key })) : Either.right(found.incident)
}

/** Finds an open incident. */
const open = (at: OnCallContext, key: IncidentKey): Either.Either<Incident, IncidentNotFound | IncidentResolved> =>
  Either.filterOrLeft(
    find(at, key),
    ({ status }) => status === "open",
    () => new IncidentResolved({ incident: key })
  )

/** Records that a person looks after the incident. */
export const acknowledge =
  (by: By, key: IncidentKey) =>
  (at: OnCallContext): Either.Either<Decided<Incident>, IncidentNotFound | IncidentResolved | IncidentAcknowledged> =>
    Either.flatMap(open(at, key), (incident) => {
      if (incident.acknowledgedBy !== null)
        return Either.left(new IncidentAcknowledged({ incident: key, by: incident.acknowledgedBy }))
      const acknowledgedBy = by.actor.name
      const after = new Incident({ ...incident, acknowledgedAt: at.now, acknowledgedBy })
      const fact = incidentFact(by, "incident_updated", after, { after: { acknowledgedBy } })
      return answered({ changed: { incidents: [after] }, audit: [fact] }, after)
    })

/** Resolves an incident by hand, with its alerts, since some tools never send a recovery. */
export const resolve =
  (by: By, key: IncidentKey) =>
  (at: OnCallContext): Either.Either<Decided<Incident>, IncidentNotFound | IncidentResolved> =>
    Either.flatMap(open(at, key), (incident) => {
      const after = new Incident({ ...incident, status: "resolved", resolvedAt: at.now })
      const { alerts } = ended(at.firing, [], at.now, `${by.actor.name} resolved ${key}.`)
      const fact = incidentFact(by, "incident_resolved", after, { by: "hand" })
      const jobs = followed([after], at.freshJobs, at.now)
      return answered({ added: { jobs }, changed: { incidents: [after], alerts }, audit: [fact] }, after)
    })

/** Records a person's note, also on a resolved incident. */
export const note =
  (by: By, key: IncidentKey, text: string) =>
  (at: OnCallContext): Either.Either<Decided<Incident>, IncidentNotFound | IncidentNoteMissing | NoteTooLong> =>
    Either.gen(function* () {
      const incident = yield* find(at, key)
      yield* checkNote(text)
      if (text.trim() === "") return yield* Either.left(new IncidentNoteMissing({ incident: key }))
      return yield* answered({ audit: [incidentFact(by, "incident_updated", incident, { note: text })] }, incident)
    })
