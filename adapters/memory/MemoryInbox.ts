import { DateTime, Effect, Layer } from "effect"
import { Inbox, mostCounted } from "../../application/ports/Inbox.ts"
import * as Json from "../../application/ports/Json.ts"
import { atLeast, type MemberId } from "../../domain/workspace/Member.ts"
import { Notification } from "../../domain/oncall/InboxEntry.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { isHeld, values } from "./MemoryWorkContext.ts"
import { State, write } from "./MemoryState.ts"

const encode = Json.encoder(Notification)

const counted = <A>(rows: ReadonlyArray<A>, isCounted: (row: A) => boolean) =>
  Math.min(mostCounted, rows.filter(isCounted).length)

export const layer = Layer.effect(
  Inbox,
  Effect.map(State, (state) => {
    const own = (workspace: WorkspaceId, member: MemberId) =>
      values(state.get(workspace)?.notifications).filter((one) => one.member === member)
    return Inbox.of({
      list: (workspace, member) => Effect.sync(() => own(workspace, member).toReversed().map(encode)),
      counts: (workspace, { id, role }) =>
        Effect.sync(() => {
          const tenant = state.get(workspace)
          return {
            decisions: counted(
              values(tenant?.decisions),
              ({ authority, status, team }) => status === "pending" && atLeast(role, authority) && isHeld(tenant, team)
            ),
            incidents: counted(values(tenant?.incidents), ({ status }) => status === "open"),
            unread: counted(own(workspace, id), ({ readAt }) => readAt === null)
          }
        }),
      read: (workspace, member, id) =>
        Effect.map(DateTime.now, (readAt) => {
          const tenant = state.get(workspace)
          const unread = own(workspace, member).filter((one) => one.readAt === null && (id === null || one.id === id))
          if (tenant) write(tenant, { notifications: unread.map((one) => new Notification({ ...one, readAt })) })
          return unread.length
        }),
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
