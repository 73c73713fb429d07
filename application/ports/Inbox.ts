import { Context, type Effect } from "effect"
import type { MemberId } from "../../domain/workspace/Member.ts"
import type { Notification, NotificationId } from "../../domain/oncall/InboxEntry.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Page, PageRequest } from "./Page.ts"

/** Notifications of members about incidents. */
export class Inbox extends Context.Tag("application/Inbox")<
  Inbox,
  {
    /** A member's own notifications, newest first. */
    readonly page: (workspace: WorkspaceId, member: MemberId, request: PageRequest) => Effect.Effect<Page<Notification>>
    /** Marks one or all of a member's notifications as read; returns the number of unread ones. */
    readonly read: (workspace: WorkspaceId, member: MemberId, id: NotificationId | null) => Effect.Effect<number>
    /** Deletes notifications that were read that many days ago. */
    readonly purge: (days: number) => Effect.Effect<void>
  }
>() {}
