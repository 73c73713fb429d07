import { Schema } from "effect"
import type { Notice } from "./Notice.ts"

/** Kinds of mail that a member can turn off; the inbox has everything. */
export const MailKind = Schema.Literal("incident_opened", "incident_resolved", "token_expires")
export type MailKind = typeof MailKind.Type

export const kindOf = ({ event }: Pick<Notice, "event">): MailKind =>
  event === "resolved" ? "incident_resolved" : "incident_opened"

/** A service's settings name the members to wake: a critical incident reaches them even if they turned its mails off. */
export const isMailed = (off: ReadonlyArray<MailKind>, notice: Pick<Notice, "event" | "incident">): boolean =>
  !off.includes(kindOf(notice)) || (notice.incident.severity === "critical" && notice.event !== "resolved")
