import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option, Schema } from "effect"
import { permit } from "../../../application/workspace/Authorization.ts"
import { Inbox } from "../../../application/ports/Inbox.ts"
import { type Notification, NotificationId } from "../../../domain/oncall/InboxEntry.ts"
import { option } from "../Options.ts"
import { paged, pageOf, personalList } from "../Paging.ts"
import { personalVerb } from "../Command.ts"

type Shown = typeof Notification.Encoded

const line = ({ createdAt, id, incident, readAt, subject }: Shown) =>
  [id, readAt === null ? "unread" : "read", incident ?? "–", createdAt, subject].join("  ")

const list = personalList(
  "list",
  "List what you were told of incidents, newest first",
  paged,
  ({ member, workspace }, asked) =>
    Effect.flatMap(Inbox, (inbox) =>
      pageOf<Notification, Shown, never, never>(
        { workspace, list: "notifications", filters: { member: member.id } },
        asked,
        (request) => inbox.page(workspace, member.id, request)
      )
    ),
  "No notifications.",
  (all) => all.map(line)
)

const id = option("id", Schema.compose(Schema.Lowercase, NotificationId), "the id of a notification", {
  description: "Id of the notification; without it, all of them",
  placeholder: "ID"
})

const read = personalVerb(
  "read",
  "Mark a notification of yours as read, or all of them",
  { id: Options.optional(id) },
  (person, input) =>
    Effect.gen(function* () {
      yield* permit(person, "notification read")
      const count = yield* (yield* Inbox).read(person.workspace, person.member.id, Option.getOrNull(input.id))
      return { read: count }
    }),
  ({ read }) => (read === 1 ? "1 notification is read now." : `${read} notifications are read now.`)
)

export const notificationCommand = Command.make("notification").pipe(
  Command.withDescription("See what you were told of incidents"),
  Command.withSubcommands([list, read])
)
