import { DateTime, Schema } from "effect"
import type { CloseReason, IssueSnapshot } from "../../domain/tracker/TrackerIssue.ts"
import { oneLine, printable } from "../../domain/value/Text.ts"

const Account = Schema.NullOr(Schema.Struct({ login: Schema.String }))

/** An issue as the REST API shows it; so is a pull request. */
export const Issue = Schema.Struct({
  id: Schema.Number,
  number: Schema.Number,
  html_url: Schema.String,
  title: Schema.String,
  body: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null }),
  state: Schema.String,
  state_reason: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null }),
  labels: Schema.Array(Schema.Union(Schema.String, Schema.Struct({ name: Schema.optional(Schema.String) }))),
  user: Account,
  created_at: Schema.DateTimeUtc,
  updated_at: Schema.DateTimeUtc,
  pull_request: Schema.optional(Schema.Unknown)
})
export type Issue = typeof Issue.Type

export const Comment = Schema.Struct({
  id: Schema.Number,
  body: Schema.optionalWith(Schema.String, { default: () => "" }),
  user: Account
})

export const Repository = Schema.Struct({
  full_name: Schema.String,
  html_url: Schema.String,
  has_issues: Schema.Boolean
})

/** Name of an account that was deleted, as GitHub shows it. */
export const ghost = "ghost"

export const isPullRequest = ({ pull_request }: Issue) => pull_request !== undefined && pull_request !== null

const closedOf = ({ state, state_reason }: Issue): CloseReason | null => {
  if (state === "open") return null
  return state_reason === "not_planned" || state_reason === "duplicate" ? state_reason : "completed"
}

const nameOf = (label: Issue["labels"][number]) => (typeof label === "string" ? label : (label.name ?? ""))

/** The key of an issue, such as acme/pay#7. */
export const keyOf = (repository: string, number: number) => `${repository}#${number}`

/** The number at the end of a key; null when it has none. */
export const numberOf = (key: string): number | null => {
  const found = /#([1-9]\d{0,9})$/.exec(key)
  return found === null ? null : Number(found[1])
}

/** Title and description without characters that no screen shows. */
export const shownText = ({ body, title }: { readonly body: string | null; readonly title: string }) => ({
  title: oneLine(printable(title)),
  body: printable(body ?? "")
})

export const snapshotOf = (repository: string, issue: Issue): IssueSnapshot => ({
  id: String(issue.id),
  key: keyOf(repository, issue.number),
  url: issue.html_url,
  ...shownText(issue),
  closed: closedOf(issue),
  labels: issue.labels.map((label) => printable(nameOf(label))),
  status: null,
  statusSince: null,
  author: issue.user?.login ?? ghost,
  updatedAt: DateTime.unsafeMake(issue.updated_at.epochMillis)
})
