import { type DateTime, Schema } from "effect"
import type { By } from "../workspace/Actor.ts"
import * as Audit from "../workspace/Audit.ts"
import { IncidentKey } from "../value/IncidentKey.ts"
import { NotificationEvent } from "./InboxEntry.ts"
import { Investigation } from "./Investigation.ts"
import { JobStatus } from "../work/Job.ts"
import { MemberId } from "../workspace/Member.ts"
import { orNull } from "../value/Nullable.ts"
import { ServiceId } from "./Service.ts"
import type { RunKey } from "../value/RunKey.ts"
import { Severity } from "../value/Severity.ts"
import { TeamSlug } from "../workspace/Team.ts"
import { Timestamp } from "../value/Timestamp.ts"

/** A problem of a service in one environment; alerts without an environment have incidents of their own. */
export class Incident extends Schema.Class<Incident>("Incident")({
  key: IncidentKey,
  team: TeamSlug,
  service: ServiceId,
  environment: Schema.NullOr(Schema.String),
  status: Schema.Literal("open", "resolved"),
  /** The highest so far. */
  severity: Severity,
  /** Title of the first alert, or of the one that last raised the severity. */
  title: Schema.String,
  /** Number of alerts that ever joined it; one that fires again counts once. */
  alerts: Schema.Int,
  openedAt: Timestamp,
  resolvedAt: Schema.NullOr(Timestamp),
  acknowledgedAt: Schema.NullOr(Timestamp),
  acknowledgedBy: Schema.NullOr(Schema.String),
  /** News waits until then, so that a storm is one message. */
  updateDueAt: orNull(Timestamp),
  /** The state last notified to members. */
  told: orNull(Schema.Literal("open", "resolved")),
  /** Time of the last notice of a reopening to members. */
  notifiedAt: orNull(Timestamp),
  /** Time of the first mail or post about it, where alerts are acknowledged in their source. */
  reachedAt: orNull(Timestamp),
  investigation: orNull(Investigation)
}) {}

export const IncidentView = Schema.Struct({
  key: IncidentKey,
  status: Schema.Literal("open", "resolved"),
  severity: Severity,
  service: Schema.String,
  team: TeamSlug,
  environment: Schema.NullOr(Schema.String),
  title: Schema.String,
  alerts: Schema.Int,
  openedAt: Timestamp,
  resolvedAt: Schema.NullOr(Timestamp),
  acknowledgedAt: Schema.NullOr(Timestamp),
  acknowledgedBy: Schema.NullOr(Schema.String),
  investigation: Schema.NullOr(Investigation)
})
export type IncidentView = typeof IncidentView.Type

/** A notice in a member's inbox. */
export const Notified = Schema.Struct({
  member: MemberId,
  name: Schema.String,
  event: NotificationEvent,
  createdAt: Timestamp,
  readAt: Schema.NullOr(Timestamp)
})
export type Notified = typeof Notified.Type

/** A mail, a post or an update of a source, with its outcome. */
export const Sent = Schema.Struct({
  kind: Schema.Literal("notify_member", "post_to_place", "update_source"),
  /** Name of the member, the place or the source. */
  to: Schema.String,
  /** Event of the notice, or the new state in the source. */
  event: Schema.String,
  status: JobStatus,
  tries: Schema.Int,
  error: Schema.NullOr(Schema.String),
  createdAt: Timestamp,
  updatedAt: Timestamp
})
export type Sent = typeof Sent.Type

/** Most rows of each list. */
export const longestHistory = 500

/** Everything recorded about an incident besides its alerts, each list newest first. */
export const IncidentHistory = Schema.Struct({
  entries: Schema.Array(Audit.RecordedEntry),
  notified: Schema.Array(Notified),
  /** Without those that were done and are forgotten. */
  sent: Schema.Array(Sent)
})
export type IncidentHistory = typeof IncidentHistory.Type

/** An incident and the number of its alerts that fire. */
export interface Standing {
  readonly incident: Incident
  readonly firing: number
}

export const reopensWithinMinutes = 10

/** A fingerprint that fires again so soon belongs to the resolved incident. */
export const mayReopen = ({ resolvedAt }: Incident, at: DateTime.Utc): boolean =>
  resolvedAt !== null && at.epochMillis - resolvedAt.epochMillis <= reopensWithinMinutes * 60_000

export const incidentFact = (
  by: By,
  event: "incident_opened" | "incident_updated" | "incident_resolved",
  incident: Incident,
  details: Audit.Fact["details"] = {},
  runKey: RunKey | null = null
): Audit.Fact => Audit.fact(by, event, Audit.entityOf("incident", incident), { team: incident.team, runKey, details })

export class IncidentNotFound extends Schema.TaggedError<IncidentNotFound>()("IncidentNotFound", {
  incident: Schema.String
}) {
  override get message() {
    return `There is no incident '${this.incident}' in this workspace; 'gatehouse incident list' shows them.`
  }
}

export class IncidentResolved extends Schema.TaggedError<IncidentResolved>()("IncidentResolved", {
  incident: Schema.String
}) {
  override get message() {
    return `The incident ${this.incident} is resolved already.`
  }
}

export class IncidentAcknowledged extends Schema.TaggedError<IncidentAcknowledged>()("IncidentAcknowledged", {
  incident: Schema.String,
  by: Schema.String
}) {
  override get message() {
    return `The incident ${this.incident} is acknowledged already, by ${this.by}.`
  }
}

export class IncidentNoteMissing extends Schema.TaggedError<IncidentNoteMissing>()("IncidentNoteMissing", {
  incident: Schema.String
}) {
  override get message() {
    return `note must not be empty. Write what you saw or did about ${this.incident}.`
  }
}
