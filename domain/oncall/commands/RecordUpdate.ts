import { Either, Schema } from "effect"
import type { OnCall } from "./OnCallContext.ts"
import type { AlertView } from "../Alert.ts"
import { SignalSource, SourceId } from "../SignalSource.ts"
import { answered, type Decided } from "../../Change.ts"
import { IncidentKey } from "../../value/IncidentKey.ts"
import type { By } from "../../workspace/Actor.ts"
import * as Audit from "../../workspace/Audit.ts"

/** Payload of a job that updates an incident's alerts in their tool. */
export const Update = Schema.Struct({
  incident: IncidentKey,
  source: SourceId,
  to: Schema.Literal("acknowledged", "resolved")
})
export type Update = typeof Update.Type

/** Records the update of one alert; the source shows a problem until an update succeeds. */
export const recordUpdate =
  (
    by: By,
    { incident, source: id, to }: Update,
    alert: Pick<typeof AlertView.Encoded, "id" | "fingerprint" | "title">,
    problem: string | null
  ) =>
  ({ sources }: OnCall): Either.Either<Decided<void>, "gone"> => {
    const source = sources.find((one) => one.id === id)
    if (source === undefined) return Either.left("gone")
    const { fingerprint, title } = alert
    const details = { source: source.name, fingerprint, incident, to, ...(problem !== null && { problem }) }
    const entity = Audit.entityOf("alert", { id: alert.id, name: title })
    const fact = Audit.fact(by, "alert_updated_in_source", entity, { details })
    const changed = source.trouble === problem ? {} : { sources: [new SignalSource({ ...source, trouble: problem })] }
    return answered({ changed, audit: [{ ...fact, result: problem === null ? "success" : "failure" }] }, undefined)
  }
