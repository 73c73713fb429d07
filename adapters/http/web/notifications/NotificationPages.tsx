import { Effect, Either, Schema } from "effect"
import * as Preferences from "../../../../application/oncall/Preferences.ts"
import type { AuditLog } from "../../../../application/ports/AuditLog.ts"
import { Inbox } from "../../../../application/ports/Inbox.ts"
import * as Json from "../../../../application/ports/Json.ts"
import { permit } from "../../../../application/workspace/Authorization.ts"
import { Notification, NotificationId } from "../../../../domain/oncall/InboxEntry.ts"
import { MailKind } from "../../../../domain/oncall/MailPreference.ts"
import type { Page, View, Visit } from "../Page.ts"
import { redirect } from "../Render.tsx"
import { NotificationsPage } from "./NotificationViews.tsx"

const decode = Json.decoder(Notification)

const rowsPerPage = 50

const idOf = Schema.decodeUnknownEither(NotificationId)

/** No notification has it, so nothing of a member is found under it. */
export class NotificationNotFound extends Schema.TaggedError<NotificationNotFound>()("NotificationNotFound", {
  notification: Schema.String
}) {
  override get message() {
    return `You have no notification '${this.notification}'.`
  }
}

const own = ({ person: { member, workspace } }: Visit) =>
  Effect.map(
    Effect.flatMap(Inbox, (inbox) => inbox.list(workspace, member.id)),
    (all) => all.map(decode)
  )

const list = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, person, query } = visit
    const all = yield* own(visit)
    const after = query.get("after") ?? ""
    const first = all.findIndex(({ id }) => id === after) + 1
    const unread = all.filter(({ readAt }) => readAt === null).length
    const view: View = {
      title: unread === 0 ? "Notifications" : `${unread} unread`,
      section: "notifications",
      body: (
        <NotificationsPage
          base={base}
          notifications={all.slice(first, first + rowsPerPage)}
          unread={unread}
          after={first === 0 ? "" : after}
          hasMore={all.length > first + rowsPerPage}
          mailed={yield* Preferences.get(person)}
        />
      )
    }
    return view
  })

const back = ({ base, form }: Visit) =>
  Either.match(idOf(form.get("from")), {
    onLeft: () => redirect(`${base}/notifications`),
    onRight: (after) => redirect(`${base}/notifications?after=${after}`)
  })

const read = (visit: Visit, id: NotificationId | null) =>
  Effect.gen(function* () {
    const { person } = visit
    yield* permit(person, "notification read")
    yield* (yield* Inbox).read(person.workspace, person.member.id, id)
    return back(visit)
  })

const readOne = (visit: Visit) =>
  Effect.gen(function* () {
    const notification = visit.parameters["id"] ?? ""
    const found = (yield* own(visit)).find(({ id }) => id === notification)
    if (found === undefined) return yield* new NotificationNotFound({ notification })
    return yield* read(visit, found.id)
  })

const setMails = (visit: Visit) =>
  Effect.gen(function* () {
    const kinds = visit.form.all("kinds")
    for (const kind of MailKind.literals) yield* Preferences.set(visit.person, kind, kinds.includes(kind))
    return back(visit)
  })

export const pages: ReadonlyArray<Page<AuditLog | Inbox>> = [
  { path: "notifications", get: list },
  { path: "notifications/read", post: (visit) => read(visit, null) },
  { path: "notifications/mail", post: setMails },
  { path: "notifications/:id/read", post: readOne }
]
