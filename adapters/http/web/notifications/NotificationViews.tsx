import type { Notification } from "../../../../domain/oncall/InboxEntry.ts"
import { MailKind } from "../../../../domain/oncall/MailPreference.ts"
import { Choices } from "../components/Form.tsx"
import { Heading, Lede } from "../components/Heading.tsx"
import type { IconName } from "../components/Icon.tsx"
import { Live } from "../components/Live.tsx"
import { Badge, Button, Empty, LinkButton, Panel } from "../components/Parts.tsx"
import { Age, WithTimes } from "../components/Time.tsx"
import { withMoments } from "../components/Times.ts"
import { useReader } from "../Reader.ts"

const events: Record<Notification["event"], readonly [word: string, icon: IconName]> = {
  opened: ["Opened", "siren"],
  reopened: ["Opened again", "siren"],
  updated: ["News", "siren"],
  asked: ["Question", "person"],
  resolved: ["Resolved", "check"],
  delivery_refused: ["Refused post", "lock"],
  token_expires: ["Token expires", "key"],
  connection_failing: ["Connection does not work", "warn"]
}

const mailWords: Record<MailKind, readonly [label: string, hint: string]> = {
  incident_opened: ["An incident opens", "Critical ones are always mailed to the members whom their service names"],
  incident_resolved: ["An incident is resolved", "Only to those who were notified that it opened"],
  token_expires: ["One of your tokens expires", "14 and 3 days before"]
}

const pages: Partial<Record<Notification["event"], string>> = {
  token_expires: "settings/api",
  connection_failing: "settings/connections"
}

const pageOf = (base: string, event: Notification["event"]): string | null =>
  pages[event] === undefined ? null : `${base}/${pages[event]}`

/** The page that a notification is about. */
const subjectPath = (base: string, { event, incident }: Notification): string | null =>
  incident !== null ? `${base}/incidents/${incident}` : pageOf(base, event)

/** The lines after the subject, without the link to the page that the row leads to. */
const rest = ({ text }: Notification): string =>
  text
    .split("\n")
    .slice(1)
    .filter((line) => !/^https?:\/\//.test(line))
    .join("\n")

const Row = ({
  base,
  from,
  notification
}: {
  readonly base: string
  readonly from: string
  readonly notification: Notification
}) => {
  const { createdAt, event, id, readAt, subject } = notification
  const [word, icon] = events[event]
  const path = subjectPath(base, notification)
  const reader = useReader()
  const isUnread = readAt === null
  return (
    <li class={`note-row${isUnread ? " unread" : ""}`} id={`notification-${id}`}>
      <div>
        <p>
          {path === null ? (
            <b>
              <WithTimes text={subject} />
            </b>
          ) : (
            <a href={path} data-row>
              <WithTimes text={subject} />
            </a>
          )}
        </p>
        <p class="small muted said">
          <WithTimes text={rest(notification)} />
        </p>
      </div>
      <p class="meta">
        {isUnread ? (
          <Badge icon="bell" tone="run">
            Unread
          </Badge>
        ) : null}
        <Badge icon={icon} tone="line">
          {word}
        </Badge>
        <Age at={createdAt} />
      </p>
      {isUnread ? (
        <form method="post" action={`${base}/notifications/${id}/read`}>
          <input type="hidden" name="from" value={from} />
          <button class="btn" type="submit" aria-label={`Mark as read: ${withMoments(subject, reader)}`}>
            Mark as read
          </button>
        </form>
      ) : null}
    </li>
  )
}

const Mail = ({ base, mailed }: { readonly base: string; readonly mailed: Readonly<Record<MailKind, boolean>> }) => (
  <Panel id="mail" title="Mail">
    <form class="body stack" method="post" action={`${base}/notifications/mail`}>
      <Choices
        name="kinds"
        label="Also mail me when"
        type="checkbox"
        filled={{ values: { kinds: MailKind.literals.filter((kind) => mailed[kind]).join(" ") }, errors: {} }}
        options={MailKind.literals.map((value) => ({ value, label: mailWords[value][0], hint: mailWords[value][1] }))}
      />
      <p>
        <Button>Save the mail settings</Button>
      </p>
    </form>
  </Panel>
)

export interface Inbox {
  readonly base: string
  /** One page, newest first. */
  readonly notifications: ReadonlyArray<Notification>
  readonly unread: number
  /** Of this page; null on the first. */
  readonly cursor: string | null
  readonly nextCursor: string | null
  readonly mailed: Readonly<Record<MailKind, boolean>>
}

const pathOf = (base: string, cursor: string | null) =>
  `${base}/notifications${cursor === null ? "" : `?cursor=${encodeURIComponent(cursor)}`}`

/** The inbox of a member, and which of it is mailed, too. */
export const NotificationsPage = ({ base, cursor, mailed, nextCursor, notifications, unread }: Inbox) => (
  <>
    <Heading
      title="Notifications"
      actions={
        unread === 0 ? null : (
          <form method="post" action={`${base}/notifications/read`}>
            <Button icon="check">Mark all as read</Button>
          </form>
        )
      }
    >
      <Lede>Messages about incidents, sources and tokens of yours, newest first.</Lede>
    </Heading>
    <div class="cols">
      <Live id="inbox" path={pathOf(base, cursor)} topics={["notifications"]}>
        <p class="vh" role="status">
          {unread === 0 ? "Nothing is unread" : `${unread} unread`}
        </p>
        {notifications.length === 0 ? (
          <Empty title="Nothing here yet" icon="bell">
            You are notified when an incident opens and the settings of its service name you, and before a token of
            yours expires.
          </Empty>
        ) : (
          <ul class="rows">
            {notifications.map((notification) => (
              <Row base={base} from={cursor ?? ""} notification={notification} />
            ))}
          </ul>
        )}
        {nextCursor === null ? null : (
          <p class="gap-top">
            <LinkButton href={pathOf(base, nextCursor)}>Older notifications</LinkButton>
          </p>
        )}
      </Live>
      <Mail base={base} mailed={mailed} />
    </div>
  </>
)
