import type { DateTime } from "effect"
import type { IncidentHistory, Notified, Sent } from "../../../../domain/oncall/Incident.ts"
import type { MemberId } from "../../../../domain/workspace/Member.ts"

/** A member or a place, with the newest message to it. */
export interface Recipient {
  readonly name: string
  readonly member: MemberId | null
  /** The newest notice in the inbox of a member. */
  readonly inbox: { readonly readAt: DateTime.Utc | null } | null
  /** The newest mail or post; null when it is forgotten, or was never to be sent. */
  readonly last: Sent | null
  readonly posts: number
  /** Mails or posts before the newest that were given up. */
  readonly lost: ReadonlyArray<Sent>
}

const newest = <A>(rows: ReadonlyArray<A>, nameOf: (row: A) => string): ReadonlyMap<string, A> => {
  const found = new Map<string, A>()
  for (const row of rows) if (!found.has(nameOf(row))) found.set(nameOf(row), row)
  return found
}

const lostOf = (sent: ReadonlyArray<Sent>, last: Sent | undefined) =>
  sent.filter((one) => one.status === "failed" && one !== last)

/** Members and places that were notified of an incident, members first. */
export const recipientsOf = ({
  notified,
  sent
}: Pick<IncidentHistory, "notified" | "sent">): ReadonlyArray<Recipient> => {
  const mails = newest(
    sent.filter(({ kind }) => kind === "notify_member"),
    ({ to }) => to
  )
  const posts = sent.filter(({ kind }) => kind === "post_to_place")
  const members = newest<Notified>(notified, ({ member }) => member)
  return [
    ...[...members.values()].map((one) => ({
      name: one.name,
      member: one.member,
      inbox: { readAt: one.readAt },
      last: mails.get(one.name) ?? null,
      posts: 0,
      lost: lostOf(
        sent.filter(({ kind, to }) => kind === "notify_member" && to === one.name),
        mails.get(one.name)
      )
    })),
    ...[...newest(posts, ({ to }) => to)].map(([name, last]) => ({
      name,
      member: null,
      inbox: null,
      last,
      posts: posts.filter(({ to }) => to === name).length,
      lost: lostOf(
        posts.filter(({ to }) => to === name),
        last
      )
    }))
  ]
}
