import { Schema } from "effect"
import { Line, Text, WebAddress } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"

/** An issue in the words of its tracker: the id stays for ever, the key may change. */
export const IssueRef = Schema.Struct({ id: Line(200), key: Line(200) })
export type IssueRef = typeof IssueRef.Type

/** An account of the tracker. */
export const IssuePerson = Schema.Struct({
  name: Line(200),
  /** True when the account may change every issue of the project; the service's own account may. */
  mayWrite: Schema.Boolean,
  /** True for the service's own account, whose mark says nothing about the text. */
  isOwn: Schema.optional(Schema.Boolean)
})
export type IssuePerson = typeof IssuePerson.Type

/** An account with the time of its last act of a kind. */
export const IssueAct = Schema.Struct({ by: IssuePerson, at: Timestamp })
export type IssueAct = typeof IssueAct.Type

/** The acts on an issue by which its text is trusted. */
export const IssueTrail = Schema.Struct({
  /** Last act that gave the issue one of the marks asked for, which it still has; null when the tracker does not know. */
  readied: Schema.NullOr(IssueAct),
  /** Last edit of title or description by an account that may not write; the opening is none. Null without one. */
  foreignEdit: Schema.NullOr(IssueAct),
  /** True when an act was made so shortly before that the tracker may not have recorded it yet. */
  isEarly: Schema.optional(Schema.Boolean),
  /** Title and description as they were when the acts were read. */
  text: Schema.Struct({ title: Text, body: Text })
})
export type IssueTrail = typeof IssueTrail.Type

/** Reasons for which an issue is closed. */
export const CloseReason = Schema.Literal("completed", "not_planned", "duplicate")
export type CloseReason = typeof CloseReason.Type

/** An issue of a tracker's project as it was at one time. */
export const IssueSnapshot = Schema.Struct({
  ...IssueRef.fields,
  url: WebAddress,
  title: Text,
  /** Markdown; empty when there is none. */
  body: Text,
  /** Null while it is open. */
  closed: Schema.NullOr(CloseReason),
  labels: Schema.Array(Text),
  /** Status of a board or workflow; null where the tracker has none. */
  status: Schema.NullOr(Text),
  /** Time at which the status was set, since that need not change the issue; null where the tracker does not say. */
  statusSince: Schema.NullOr(Timestamp),
  author: Text,
  /** Time of the tracker's clock, whole seconds on some: a later one is a later state. */
  updatedAt: Timestamp
})
export type IssueSnapshot = typeof IssueSnapshot.Type

/** Answer for an issue that the project does not hold any more. */
export const GoneReason = Schema.Literal("deleted", "transferred", "converted")
export type GoneReason = typeof GoneReason.Type
