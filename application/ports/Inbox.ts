import { Context, type Effect } from "effect"
import type { MemberId } from "../../domain/workspace/Member.ts"
import type { Notification, NotificationId } from "../../domain/oncall/InboxEntry.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Json } from "./Json.ts"

/** What members were told of incidents. */
export class Inbox extends Context.Tag("application/Inbox")<
  Inbox,
  {
    /** A member's own, newest first. */
    readonly list: (workspace: WorkspaceId, member: MemberId) => Effect.Effect<ReadonlyArray<Json<Notification>>>
    /** Marks one of a member's as read, or all of them; answers how many were unread. */
    readonly read: (workspace: WorkspaceId, member: MemberId, id: NotificationId | null) => Effect.Effect<number>
    /** Forgets what was read so many days ago. */
    readonly purge: (days: number) => Effect.Effect<void>
  }
>() {}
