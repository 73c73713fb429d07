// @effect-diagnostics globalDate:off
import { invalidParameter } from "./Refusal.ts"

/** A parsed query string; a repeated parameter is an array. */
export type Query = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const key = (kind: string) => new RegExp(`^${kind}-[0-9a-hjkmnp-tv-z]{4}$`)
const keys = { run: key("run"), decision: key("dec") }

/** Accepts keys in any case; null for a malformed key. */
export const parseKey = (kind: keyof typeof keys, text: string): string | null =>
  keys[kind].test(text.toLowerCase()) ? text.toLowerCase() : null

const parseSlug = (text: string) =>
  text.length <= 64 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text.toLowerCase()) ? text.toLowerCase() : null

const given = <A>(query: Query, name: string, allowed: string, parse: (text: string) => A | null): A | null => {
  const text = query[name]
  if (text === undefined) return null
  const value = typeof text === "string" ? parse(text) : null
  if (value === null) throw invalidParameter(name, allowed)
  return value
}

const oneOf =
  <A extends string>(...words: ReadonlyArray<A>) =>
  (text: string): A | null =>
    words.find((word) => word === text) ?? null

export const paging = (query: Query) => ({
  limit:
    given(query, "limit", "a whole number of at least 1", (text) =>
      /^\d+$/.test(text) && /[1-9]/.test(text) ? Math.min(Number(text), 100) : null
    ) ?? 25,
  cursor: given(query, "cursor", "given once", (text) => text)
})

export const team = (query: Query) => given(query, "team", "a team slug", parseSlug)
export const run = (query: Query) => given(query, "run", "a run key such as run-7f3k", (text) => parseKey("run", text))

const statuses = oneOf("pending", "resolved", "expired", "cancelled", "superseded")
export const status = (query: Query) => given(query, "status", "the status of a decision", statuses)

const actors: Readonly<Record<string, string>> = {
  human: "human",
  service: "service",
  "the service": "service",
  system: "system"
}
export const actor = (query: Query) => given(query, "actor", "human, service or system", (text) => actors[text] ?? null)

export const format = (query: Query) => given(query, "format", "csv or json", oneOf("csv", "json")) ?? "json"

const events = oneOf(
  ..."decision_resolved decision_raised decision_expired decision_cancelled decision_superseded policy_changed".split(
    " "
  ),
  ..."team_created team_deleted team_paused team_resumed run_state_changed story_written story_moved".split(" "),
  ..."story_changed service_changed signal_source_changed signal_received incident_opened incident_updated".split(" "),
  ..."incident_resolved alert_updated_in_source audit_exported token_created token_revoked member_added".split(" "),
  ..."member_removed access_denied workspace_created workspace_deleted".split(" ")
)
export const event = (query: Query) =>
  given(query, "event", "an audit event", (text) => events(text.trim().toLowerCase().replaceAll(" ", "_")))

const shape = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/

/** Parses an ISO 8601 day or timestamp, UTC by default; a day that no calendar has is null. */
export const time = (text: string): Date | null => {
  if (!shape.test(text)) return null
  const at = new Date(text.length === 10 || /(Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`)
  const day = new Date(text.slice(0, 10))
  return Number.isNaN(at.getTime()) || day.toISOString().slice(0, 10) !== text.slice(0, 10) ? null : at
}

const moment = "a day such as 2026-01-31 or an ISO 8601 timestamp"
const wholeDay = 24 * 60 * 60 * 1000 - 1

/** A day without a time includes the whole day. */
export const range = (query: Query) => {
  const from = given(query, "from", moment, time)
  const to = given(query, "to", moment, (text) => {
    const at = time(text)
    return at !== null && text.length === 10 ? new Date(at.getTime() + wholeDay) : at
  })
  if (from !== null && to !== null && from > to) throw invalidParameter("from", "not after to")
  return { from, to }
}
