import { type DateTime, Schema } from "effect"
import { AlertId, Reason } from "./Alert.ts"
import { IncidentKey } from "../value/IncidentKey.ts"
import type { Signal } from "./Signal.ts"
import type { SourceId } from "./SignalSource.ts"
import { Timestamp } from "../value/Timestamp.ts"

export const DeliveryId = Schema.UUID.pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

/** What became of one alert of a delivery, and why. */
export const Verdict = Schema.Struct({
  verdict: Schema.Literal(
    ...Reason.literals,
    "duplicate",
    "repeat",
    "late_retry",
    "nothing_to_recover",
    "ignored",
    "rejected"
  ),
  explanation: Schema.String,
  fingerprint: Schema.NullOr(Schema.String),
  alert: Schema.NullOr(AlertId),
  incident: Schema.NullOr(IncidentKey)
})
export type Verdict = typeof Verdict.Type

/** A proven and readable post that waits to be judged. */
export interface Arrival {
  readonly id: DeliveryId
  readonly source: SourceId
  readonly receivedAt: DateTime.Utc
  /** Judged once more, because somebody asked for it. */
  readonly isReplay: boolean
  readonly signals: ReadonlyArray<Signal>
  /** What was decided when it came: of alerts that could not be read, or of a delivery that is none. */
  readonly known: ReadonlyArray<Verdict>
}

/** One delivery as its source's ledger shows it. */
export const DeliveryView = Schema.Struct({
  id: DeliveryId,
  source: Schema.String,
  receivedAt: Timestamp,
  status: Schema.Literal("waiting", "done", "duplicate", "failed"),
  verdicts: Schema.Array(Verdict),
  /** What was sent, with secrets left out; null once it is forgotten. */
  body: Schema.NullOr(Schema.Unknown)
})
export type DeliveryView = typeof DeliveryView.Type

export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {
  delivery: Schema.String
}) {
  override get message() {
    return `There is no delivery '${this.delivery}' in this workspace whose body is still kept; 'gatehouse source deliveries' lists them.`
  }
}

/** Names of fields whose values nobody is shown. */
export const secretNames =
  /pass(word|wd)?|secret|token|authorization|api[-_]?key|credential|subscribeurl|signature|routing_key/i

/** A body without what people must not see: values of fields that are named like secrets, and all that is in them. */
export const redacted = (value: unknown, isSecret = false): unknown => {
  if (typeof value === "string" || typeof value === "number") return isSecret ? "<redacted>" : value
  if (Array.isArray(value)) return value.map((item) => redacted(item, isSecret))
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, redacted(inner, isSecret || secretNames.test(key))])
    )
  return value
}
