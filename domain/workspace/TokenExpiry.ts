import { DateTime } from "effect"
import { oneLine } from "../value/Text.ts"
import { format } from "../value/Timestamp.ts"
import type { ApiToken } from "./ApiToken.ts"
import type { Member } from "./Member.ts"
import type { Workspace } from "./Workspace.ts"

/** Days before a token's end on which its member is notified. */
export const noticeDays = [14, 3] as const

/** The notice that is due: the latest whose day has come and that was not given; none for a token that is over. */
export const dueNotice = (
  { expiresAt, revokedAt }: Pick<ApiToken, "expiresAt" | "revokedAt">,
  given: number | null,
  now: DateTime.Utc
): number | null => {
  if (revokedAt !== null || DateTime.lessThanOrEqualTo(expiresAt, now)) return null
  const day = noticeDays.findLast((days) => DateTime.greaterThanOrEqualTo(now, DateTime.subtract(expiresAt, { days })))
  return day === undefined || (given !== null && given <= day) ? null : day
}

/** A token whose member is to be notified. */
export interface Expiring {
  readonly token: Pick<ApiToken, "name" | "prefix" | "expiresAt">
  readonly member: Pick<Member, "id" | "email">
  readonly workspace: Pick<Workspace, "id" | "slug">
  readonly days: number
}

export const noticeOf = ({ days, token, workspace }: Expiring, base: string) => {
  const name = oneLine(token.name)
  return {
    subject: `Your API token '${name}' expires in ${days} days`,
    text: [
      `The API token '${name}' (${token.prefix}…) of the workspace ${workspace.slug} expires at ${format(token.expiresAt)}.`,
      "Create a new one, put it where the old one is used, and revoke the old one:",
      `${base}/${workspace.slug}/settings/api`
    ].join("\n")
  }
}
