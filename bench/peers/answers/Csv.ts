import type { Entry } from "./Audit.ts"

const columns =
  "id timestamp event result actor_type actor_name actor_user_id team run_key entity_type entity_id entity_name details"

const cells = ({ actor, details, entity, ...entry }: Entry) => [
  entry.id,
  entry.timestamp,
  entry.event,
  entry.result,
  actor.type,
  actor.name,
  actor.userId,
  entry.team,
  entry.runKey,
  entity.type,
  entity.id,
  entity.name,
  JSON.stringify(details)
]

/** Quotes where needed; prefixes a cell that a spreadsheet would evaluate with an apostrophe. */
const cell = (value: string | null) => {
  const text = value !== null && /^[=+\-@\t\r]/.test(value) ? `'${value}` : (value ?? "")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** RFC 4180: lines end in CRLF. */
export const csv = (entries: ReadonlyArray<Entry>): string =>
  [columns.split(" "), ...entries.map(cells)].map((row) => `${row.map(cell).join(",")}\r\n`).join("")
