import { Schema } from "effect"
import { AuditEntry } from "../workspace/Audit.ts"
import { NotificationEvent } from "./InboxEntry.ts"
import { JobStatus } from "../work/Job.ts"
import { MemberId } from "../workspace/Member.ts"
import { Timestamp } from "../value/Timestamp.ts"

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
  entries: Schema.Array(AuditEntry),
  notified: Schema.Array(Notified),
  /** Without those that were done and are forgotten. */
  sent: Schema.Array(Sent)
})
export type IncidentHistory = typeof IncidentHistory.Type
