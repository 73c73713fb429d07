import { DateTime, Effect, Layer } from "effect"
import { Inbox, mostCounted, mostTeams } from "../../application/ports/Inbox.ts"
import * as Json from "../../application/ports/Json.ts"
import { atLeast, type MemberId } from "../../domain/workspace/Member.ts"
import { Notification, type NotificationId } from "../../domain/oncall/InboxEntry.ts"
import { dueNotice } from "../../domain/workspace/TokenExpiry.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { isHeld, values } from "./MemoryWorkContext.ts"
import { newest } from "./MemoryPages.ts"
import { byName } from "./MemoryTeamStore.ts"
import { State, write } from "./MemoryState.ts"

const expiryNotice = (
  member: MemberId,
  notice: { readonly subject: string; readonly text: string },
  createdAt: DateTime.Utc
) =>
  new Notification({
    id: crypto.randomUUID() as string as NotificationId,
    member,
    incident: null,
    event: "token_expires",
    ...notice,
    createdAt,
    readAt: null
  })

const encode = Json.encoder(Notification)

const counted = <A>(rows: ReadonlyArray<A>, isCounted: (row: A) => boolean) =>
  Math.min(mostCounted, rows.filter(isCounted).length)

export const layer = Layer.effect(
  Inbox,
  Effect.map(State, (state) => {
    const own = (workspace: WorkspaceId, member: MemberId) =>
      values(state.get(workspace)?.notifications).filter((one) => one.member === member)
    return Inbox.of({
      page: (workspace, member, request) =>
        Effect.sync(() =>
          newest(state.get(workspace)?.notifications.values() ?? [], (one) => one.member === member, encode, request)
        ),
      counts: (workspace, { id, role }) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          const pending = (isOwn: boolean) =>
            counted(
              values(tenant?.decisions),
              ({ authority, status, team }) =>
                status === "pending" && atLeast(role, authority) === isOwn && isHeld(tenant, team)
            )
          return {
            decisions: pending(true),
            others: pending(false),
            incidents: counted(values(tenant?.incidents), ({ status }) => status === "open"),
            unread: counted(own(workspace, id), ({ readAt }) => readAt === null),
            teams: byName(tenant)
              .slice(0, mostTeams)
              .map(({ name, pausedAt, slug }) => ({ slug, name, paused: pausedAt !== null }))
          }
        }),
      read: (workspace, member, id) =>
        Effect.map(DateTime.now, (readAt) => {
          const tenant = state.get(workspace)
          const unread = own(workspace, member).filter((one) => one.readAt === null && (id === null || one.id === id))
          if (tenant) write(tenant, { notifications: unread.map((one) => new Notification({ ...one, readAt })) })
          return unread.length
        }),
      mailOff: (workspace, member) => Effect.sync(() => state.get(workspace)?.mailOff.get(member) ?? []),
      setMail: (workspace, member, kind, isMailed) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          const others = tenant?.mailOff.get(member)?.filter((one) => one !== kind) ?? []
          tenant?.mailOff.set(member, isMailed ? others : [...others, kind])
        }),
      noticeExpiring: (noticeOf) =>
        Effect.map(DateTime.now, (now) =>
          [...state.values()].flatMap((tenant) => {
            const { expiryNotices, mailOff, members, tokens, workspace } = tenant
            if (workspace.deletedAt !== null) return []
            return [...tokens.values()].flatMap((token) => {
              const days = dueNotice(token, expiryNotices.get(token.id) ?? null, now)
              const member = members.get(token.memberId)
              if (days === null || member === undefined || member.removedAt !== null) return []
              expiryNotices.set(token.id, days)
              const expiring = { token, member, workspace, days }
              write(tenant, { notifications: [expiryNotice(member.id, noticeOf(expiring), now)] })
              return [{ ...expiring, isMailed: mailOff.get(member.id)?.includes("token_expires") !== true }]
            })
          })
        ),
      purge: (days) =>
        Effect.map(DateTime.now, (now) => {
          const before = DateTime.subtract(now, { days })
          for (const { notifications } of state.values())
            for (const { id, readAt } of values(notifications))
              if (readAt !== null && DateTime.lessThanOrEqualTo(readAt, before)) notifications.delete(id)
        })
    })
  })
)
