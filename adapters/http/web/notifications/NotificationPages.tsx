import { Effect, Either, Schema } from "effect"
import * as Preferences from "../../../../application/oncall/Preferences.ts"
import type { Cursors } from "../../../../application/workspace/Cursors.ts"
import * as Listing from "../../../../application/workspace/Listing.ts"
import type { AuditLog } from "../../../../application/ports/AuditLog.ts"
import { Inbox } from "../../../../application/ports/Inbox.ts"
import * as Json from "../../../../application/ports/Json.ts"
import { permit } from "../../../../application/workspace/Authorization.ts"
import { Notification, NotificationId } from "../../../../domain/oncall/InboxEntry.ts"
import { MailKind } from "../../../../domain/oncall/MailPreference.ts"
import type { Done } from "../Flash.ts"
import type { Page, View, Visit } from "../Page.ts"
import { redirect } from "../Render.tsx"
import { NotificationsPage } from "./NotificationViews.tsx"

const decode = Json.decoder(Schema.Array(Notification))

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

const list = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, counts, person, query } = visit
    const { member, workspace } = person
    const inbox = yield* Inbox
    const cursor = query.get("cursor")
    const read = Listing.page(
      { workspace, list: "pages of notifications", filters: { member: member.id } },
      { limit: rowsPerPage, cursor },
      (request) => inbox.page(workspace, member.id, request)
    )
    // A refusal must not interrupt the counts, which its page shows too.
    const [page, { unread }, mailed] = yield* Effect.all([Effect.either(read), counts, Preferences.get(person)], {
      concurrency: "unbounded"
    })
    const { items, nextCursor } = yield* page
    const view: View = {
      title: unread === 0 ? "Notifications" : `${unread} unread`,
      section: "notifications",
      body: (
        <NotificationsPage
          base={base}
          notifications={decode(items)}
          unread={unread}
          cursor={cursor}
          nextCursor={nextCursor}
          mailed={mailed}
        />
      )
    }
    return view
  })

const isCursor = /^[\w-]{1,500}$/

/** To the page of the inbox that the form was on. */
const back = ({ base, form }: Visit, done?: Done) => {
  const from = form.get("from")
  return redirect(`${base}/notifications${isCursor.test(from) ? `?cursor=${from}` : ""}`, done)
}

const read = (visit: Visit, id: NotificationId | null) =>
  Effect.gen(function* () {
    const { person } = visit
    yield* permit(person, "notification read")
    yield* (yield* Inbox).read(person.workspace, person.member.id, id)
    return id === null ? back(visit, "all-read") : back(visit)
  })

const readOne = (visit: Visit) => {
  const notification = visit.parameters["id"] ?? ""
  return Either.match(idOf(notification), {
    onLeft: () => Effect.fail(new NotificationNotFound({ notification })),
    onRight: (id) => read(visit, id)
  })
}

const setMails = (visit: Visit) =>
  Effect.gen(function* () {
    const kinds = visit.form.all("kinds")
    for (const kind of MailKind.literals) yield* Preferences.set(visit.person, kind, kinds.includes(kind))
    return back(visit, "mails-saved")
  })

export const pages: ReadonlyArray<Page<AuditLog | Cursors | Inbox>> = [
  { path: "notifications", get: list },
  { path: "notifications/read", post: (visit) => read(visit, null) },
  { path: "notifications/mail", post: setMails },
  { path: "notifications/:id/read", post: readOne }
]
