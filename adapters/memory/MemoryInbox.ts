import { DateTime, Effect, Layer } from "effect"
import { Inbox } from "../../application/ports/Inbox.ts"
import * as Json from "../../application/ports/Json.ts"
import type { MemberId } from "../../domain/workspace/Member.ts"
import { Notification } from "../../domain/oncall/InboxEntry.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { values } from "./MemoryWorkContext.ts"
import { newest } from "./MemoryPages.ts"
import { State, write } from "./MemoryState.ts"

const encode = Json.encoder(Notification)

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
