import { Schema } from "effect"
import { IncidentKey } from "./IncidentKey.ts"
import { MemberId } from "./Member.ts"
import { NoticeEvent } from "./Notice.ts"
import { Timestamp } from "./Timestamp.ts"

export const NotificationId = Schema.UUID.pipe(Schema.brand("NotificationId"))
export type NotificationId = typeof NotificationId.Type

/** What a member was told, as their inbox keeps it. */
export class Notification extends Schema.Class<Notification>("Notification")({
  id: NotificationId,
  member: MemberId,
  incident: IncidentKey,
  event: NoticeEvent,
  subject: Schema.String,
  text: Schema.String,
  createdAt: Timestamp,
  readAt: Schema.NullOr(Timestamp)
}) {}
