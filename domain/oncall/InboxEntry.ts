import { Schema } from "effect"
import { IncidentKey } from "../value/IncidentKey.ts"
import { MemberId } from "../workspace/Member.ts"
import { NoticeEvent } from "./Notice.ts"
import { Timestamp } from "../value/Timestamp.ts"

export const NotificationId = Schema.UUID.pipe(Schema.brand("NotificationId"))
export type NotificationId = typeof NotificationId.Type

/** The events of incidents, refused posts to a signal source, the coming end of a token, and a broken connection. */
export const NotificationEvent = Schema.Literal(
  ...NoticeEvent.literals,
  "delivery_refused",
  "token_expires",
  "connection_failing"
)

/** A notification in a member's inbox. */
export class Notification extends Schema.Class<Notification>("Notification")({
  id: NotificationId,
  member: MemberId,
  /** Null when it is about no incident. */
  incident: Schema.NullOr(IncidentKey),
  event: NotificationEvent,
  subject: Schema.String,
  text: Schema.String,
  createdAt: Timestamp,
  readAt: Schema.NullOr(Timestamp)
}) {}
