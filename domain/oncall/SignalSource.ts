import { type DateTime, Schema } from "effect"
import { orNull } from "../value/Nullable.ts"
import { ServiceId } from "./Service.ts"
import { Words } from "../value/Severity.ts"
import { Line } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"
import { Check } from "./UptimeCheck.ts"

export const SourceId = Schema.UUID.pipe(Schema.brand("SourceId"))
export type SourceId = typeof SourceId.Type

/** Tools that post their alerts. */
export const PostingKind = Schema.Literal(
  "generic",
  "grafana",
  "pagerduty",
  "sentry",
  "alertmanager",
  "datadog",
  "newrelic",
  "opsgenie",
  "cloudwatch",
  "azure-monitor",
  "statuspage"
)
export type PostingKind = typeof PostingKind.Type
export const isPosting = Schema.is(PostingKind)

/** No tool posts for `uptime`: the service checks the address itself. */
export const SourceKind = Schema.Literal(...PostingKind.literals, "uptime")
export type SourceKind = typeof SourceKind.Type

/** A tool as people call it. */
export const toolNames: Readonly<Record<SourceKind, string>> = {
  generic: "generic",
  grafana: "Grafana",
  pagerduty: "PagerDuty",
  sentry: "Sentry",
  alertmanager: "Alertmanager",
  datadog: "Datadog",
  newrelic: "New Relic",
  opsgenie: "Opsgenie",
  cloudwatch: "CloudWatch",
  "azure-monitor": "Azure Monitor",
  statuspage: "Statuspage",
  uptime: "uptime"
}

/** A sealed secret and its end of validity; the newest has none. */
export const KeptSecret = Schema.Struct({ sealed: Schema.String, until: Schema.NullOr(Timestamp) })
export type KeptSecret = typeof KeptSecret.Type

/** A source of signals: usually an alerting tool, which posts to the source's own address. */
export class SignalSource extends Schema.Class<SignalSource>("SignalSource")({
  id: SourceId,
  name: Line(200),
  kind: SourceKind,
  /** The last part of its address. */
  token: Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9]{32}$/)),
  secrets: Schema.NonEmptyArray(KeptSecret),
  /** The services its alerts may be about. */
  services: Schema.Array(ServiceId),
  /** True when deliveries without a signed time are refused. */
  isTimestampRequired: Schema.Boolean,
  /** The only topic whose messages are accepted, once the first was confirmed; cloudwatch only. */
  topic: Schema.NullOr(Line(500)),
  /** Time the tool announced that it sends no more. */
  disconnectedAt: Schema.NullOr(Timestamp),
  /** Sealed credentials for the tool's API. */
  credentials: Schema.NullOr(Schema.String),
  /** The reason the last call of the tool's API failed. */
  trouble: orNull(Schema.String),
  /** The address to check; uptime only. */
  check: orNull(Check),
  /** Its own words for severities. */
  severities: Schema.optionalWith(Words, { default: () => ({}) }),
  pausedAt: Schema.NullOr(Timestamp),
  createdAt: Timestamp,
  updatedAt: Schema.NullOr(Timestamp),
  deletedAt: Schema.NullOr(Timestamp)
}) {}

/** Secrets that are valid at a moment: the newest, and the one before it for a day. */
export const passing = (source: SignalSource, now: DateTime.Utc): ReadonlyArray<KeptSecret> =>
  source.secrets.filter(({ until }) => until === null || now.epochMillis < until.epochMillis)

export class SourceNotFound extends Schema.TaggedError<SourceNotFound>()("SourceNotFound", {}) {
  override get message() {
    return "There is no signal source at this address. Copy the whole address that 'gatehouse source create' printed."
  }
}
