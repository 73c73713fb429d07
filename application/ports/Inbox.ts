import { Context, type Effect } from "effect"
import type { Member, MemberId } from "../../domain/workspace/Member.ts"
import type { MailKind } from "../../domain/oncall/MailPreference.ts"
import type { Notification, NotificationId } from "../../domain/oncall/InboxEntry.ts"
import type { Expiring } from "../../domain/workspace/TokenExpiry.ts"
import type { TeamView } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Page, PageRequest } from "./Page.ts"

/** The side bar of a member: numbers of what waits, each of which stops at `mostCounted`, and teams. */
export interface Counts {
  /** Pending decisions that the member's role may resolve. */
  readonly decisions: number
  /** Pending decisions that take a higher role. */
  readonly others: number
  /** Open incidents. */
  readonly incidents: number
  /** Unread notifications. */
  readonly unread: number
  /** The first teams by name. */
  readonly teams: ReadonlyArray<Pick<TeamView, "slug" | "name" | "paused">>
}

export const mostCounted = 100
/** Teams that the side bar names. */
export const mostTeams = 8

/** Notifications of members, and which of them they want by mail. */
export class Inbox extends Context.Tag("application/Inbox")<
  Inbox,
  {
    /** A member's own notifications, newest first. */
    readonly page: (workspace: WorkspaceId, member: MemberId, request: PageRequest) => Effect.Effect<Page<Notification>>
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
