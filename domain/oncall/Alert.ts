import { DateTime, Schema, Struct } from "effect"
import { IncidentKey } from "../value/IncidentKey.ts"
import { ServiceId } from "./Service.ts"
import { Severity } from "../value/Severity.ts"
import { Link } from "./Signal.ts"
import { SourceId } from "./SignalSource.ts"
import { Timestamp } from "../value/Timestamp.ts"

export const AlertId = Schema.UUID.pipe(Schema.brand("AlertId"))
export type AlertId = typeof AlertId.Type

/** The reason an alert is in an incident or not. */
export const Reason = Schema.Literal(
  "opened",
  "joined",
  "below_severity",
  "outside_hours",
  "source_paused",
  "no_service",
  "test",
  "recovered"
)
export type Reason = typeof Reason.Type

/** One episode of a fingerprint in a source: it fires until it recovers. */
export class Alert extends Schema.Class<Alert>("Alert")({
  id: AlertId,
  source: SourceId,
  service: Schema.NullOr(ServiceId),
  fingerprint: Schema.String,
  status: Schema.Literal("firing", "resolved"),
  severity: Severity,
  title: Schema.String,
  environment: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  labels: Schema.Record({ key: Schema.String, value: Schema.String }),
  links: Schema.Array(Link),
  startedAt: Schema.NullOr(Timestamp),
  endedAt: Schema.NullOr(Timestamp),
  /** The newest times the tool itself gave for a firing and for a recovery of the fingerprint. */
  firedAt: Schema.NullOr(Timestamp),
  recoveredAt: Schema.NullOr(Timestamp),
  firstSeenAt: Timestamp,
  lastSeenAt: Timestamp,
  /** Number of firing signals; 0 for an alert that is only known to be over. */
  count: Schema.Int,
  reason: Reason,
  /** The reason in words. */
  explanation: Schema.String,
  incident: Schema.NullOr(IncidentKey)
}) {}

export const staleHours = 24

/** True for an alert without a signal for long; its tool may never send a recovery. */
export const isStale = (alert: Pick<Alert, "status" | "lastSeenAt">, now: DateTime.Utc): boolean =>
  alert.status === "firing" &&
  DateTime.lessThanOrEqualTo(alert.lastSeenAt, DateTime.subtract(now, { hours: staleHours }))

/** Alert as people see it. */
export const AlertView = Schema.Struct({
  id: AlertId,
  title: Schema.String,
  status: Schema.Literal("firing", "resolved"),
  fingerprint: Schema.String,
  severity: Severity,
  source: Schema.String,
  service: Schema.NullOr(Schema.String),
  environment: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  startedAt: Schema.NullOr(Timestamp),
  endedAt: Schema.NullOr(Timestamp),
  labels: Schema.Record({ key: Schema.String, value: Schema.String }),
  links: Schema.Array(Link),
  incident: Schema.NullOr(IncidentKey),
  reason: Reason,
  explanation: Schema.String,
  count: Schema.Int,
  firstSeenAt: Timestamp,
  lastSeenAt: Timestamp,
  stale: Schema.Boolean
})
export type AlertView = typeof AlertView.Type

export const view = (
  alert: Alert,
  names: { readonly source: string; readonly service: string | null },
  now: DateTime.Utc
): AlertView => ({
  ...Struct.omit({ ...alert }, "firedAt", "recoveredAt"),
  ...names,
  stale: isStale(alert, now)
})
