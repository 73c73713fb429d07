import { type DateTime, Schema } from "effect"
import { AlertId, Reason } from "./Alert.ts"
import { IncidentKey } from "../value/IncidentKey.ts"
import type { Signal } from "./Signal.ts"
import type { SourceId } from "./SignalSource.ts"
import { Timestamp } from "../value/Timestamp.ts"

export const DeliveryId = Schema.UUID.pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

/** Result of triage for one alert of a delivery, with its reason. */
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

/** An authenticated and decoded delivery that waits for triage. */
export interface Arrival {
  readonly id: DeliveryId
  readonly source: SourceId
  readonly receivedAt: DateTime.Utc
  /** Triaged again at a person's request. */
  readonly isReplay: boolean
  readonly signals: ReadonlyArray<Signal>
  /** Verdicts from the intake: of undecodable alerts, or of a delivery without alerts. */
  readonly known: ReadonlyArray<Verdict>
}

/** One delivery as its source's ledger shows it. */
export const DeliveryView = Schema.Struct({
  id: DeliveryId,
  source: Schema.String,
  receivedAt: Timestamp,
  status: Schema.Literal("waiting", "done", "duplicate", "failed"),
  verdicts: Schema.Array(Verdict),
  /** The payload without secrets; null once it is deleted. */
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

/** Names of fields whose values are never shown. */
export const secretNames =
  /pass(word|wd)?|secret|token|authorization|api[-_]?key|credential|subscribeurl|signature|routing_key/i

/** Redacts the values of fields that are named like secrets, with all that they contain. */
export const redacted = (value: unknown, isSecret = false): unknown => {
  if (typeof value === "string" || typeof value === "number") return isSecret ? "<redacted>" : value
  if (Array.isArray(value)) return value.map((item) => redacted(item, isSecret))
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, redacted(inner, isSecret || secretNames.test(key))])
    )
  return value
}
