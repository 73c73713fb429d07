import type { Sent } from "../../../../domain/oncall/Incident.ts"
import type { MemberId } from "../../../../domain/workspace/Member.ts"
import { Icon } from "../components/Icon.tsx"
import { Avatar } from "../components/Parts.tsx"
import { Time } from "../components/Time.tsx"
import type { Recipient } from "./Recipients.ts"
import { counted } from "./IncidentWords.ts"

/** State of a mail or post. */
const Arrival = ({ of: { error, kind, status, tries, updatedAt } }: { readonly of: Sent }) => {
  const what = kind === "notify_member" ? "Mail" : "Post"
  const reason = error === null ? "" : `: ${error}`
  switch (status) {
    case "done":
      return (
        <>
          {what} sent <Time at={updatedAt} as="clock" />
        </>
      )
    case "failed":
      return (
        <span class="s-bad">
          <Icon name="x" /> {what} not sent{reason}
        </span>
      )
    case "no_adapter":
      return (
        <span class="s-warn">
          <Icon name="warn" /> {what} not sent:{" "}
          {kind === "notify_member" ? "mail is not set up" : "nothing can post there"}
        </span>
      )
    default:
      return tries === 0 ? (
        <>{what} waits</>
      ) : (
        <span class="s-warn">
          <Icon name="retry" /> {what} is tried again{reason}
        </span>
      )
  }
}

const Inbox = ({ of: { inbox } }: { readonly of: Recipient }) =>
  inbox === null ? null : inbox.readAt === null ? (
    <>Inbox, not read</>
  ) : (
    <>
      Inbox, read <Time at={inbox.readAt} as="clock" />
    </>
  )

/** Who was notified, and whether it arrived. */
export const RecipientList = ({ of, self }: { readonly of: ReadonlyArray<Recipient>; readonly self: MemberId }) => (
  <ul class="people">
    {of.map((one) => (
      <li>
        {one.member === null ? (
          <span class="avatar" aria-hidden="true">
            <Icon name="chat" />
          </span>
        ) : (
          <Avatar name={one.name} />
        )}
        <span>
          {one.name}
          {one.member === self ? " (you)" : ""}
          <small>
            <Inbox of={one} />
            {one.inbox !== null && one.last !== null ? ". " : ""}
            {one.posts > 1 ? `${counted(one.posts, "post")}. ` : ""}
            {one.last === null ? null : <Arrival of={one.last} />}
            {one.lost.length === 0 ? null : (
              <span class="s-bad">
                . <Icon name="x" /> {counted(one.lost.length, "message")} before not sent
                {one.lost[0]?.error == null ? "" : `: ${one.lost[0].error}`}
              </span>
            )}
          </small>
        </span>
      </li>
    ))}
  </ul>
)
