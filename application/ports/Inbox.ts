import { Context, type Effect } from "effect"
import type { Member, MemberId } from "../../domain/workspace/Member.ts"
import type { MailKind } from "../../domain/oncall/MailPreference.ts"
import type { Notification, NotificationId } from "../../domain/oncall/InboxEntry.ts"
import type { Expiring } from "../../domain/workspace/TokenExpiry.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Json } from "./Json.ts"

/** Numbers of what waits for a member; each stops at `mostCounted`. */
export interface Counts {
  /** Pending decisions that the member's role may resolve. */
  readonly decisions: number
  /** Open incidents. */
  readonly incidents: number
  /** Unread notifications. */
  readonly unread: number
}

export const mostCounted = 100

/** Notifications of members, and which of them they want by mail. */
export class Inbox extends Context.Tag("application/Inbox")<
  Inbox,
  {
    /** A member's own notifications, newest first. */
    readonly list: (workspace: WorkspaceId, member: MemberId) => Effect.Effect<ReadonlyArray<Json<Notification>>>
    readonly counts: (workspace: WorkspaceId, member: Pick<Member, "id" | "role">) => Effect.Effect<Counts>
    /** Marks one or all of a member's notifications as read; returns the number of unread ones. */
    readonly read: (workspace: WorkspaceId, member: MemberId, id: NotificationId | null) => Effect.Effect<number>
    /** The kinds of notices that a member wants no mail of. */
    readonly mailOff: (workspace: WorkspaceId, member: MemberId) => Effect.Effect<ReadonlyArray<MailKind>>
    readonly setMail: (
      workspace: WorkspaceId,
      member: MemberId,
      kind: MailKind,
      isMailed: boolean
    ) => Effect.Effect<void>
    /** Notifies the members of tokens that expire soon, once for each notice; returns those it notified. */
    readonly noticeExpiring: (
      noticeOf: (expiring: Expiring) => { readonly subject: string; readonly text: string }
    ) => Effect.Effect<ReadonlyArray<Expiring & { readonly isMailed: boolean }>>
    /** Deletes notifications that were read that many days ago. */
    readonly purge: (days: number) => Effect.Effect<void>
  }
>() {}
