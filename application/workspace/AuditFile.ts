import { type DateTime, Schema } from "effect"
import { RecordedEntry } from "../../domain/workspace/Audit.ts"
import { format as iso, formatOrNull } from "../../domain/value/Timestamp.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Csv from "./Csv.ts"
import * as Json from "../ports/Json.ts"
import type { AuditFilter } from "../ports/AuditLog.ts"

export type Format = "csv" | "json"

const columns = [
  "id",
  "timestamp",
  "event",
  "result",
  "actor_type",
  "actor_name",
  "actor_user_id",
  "team",
  "run_key",
  "entity_type",
  "entity_id",
  "entity_name",
  "details"
]

const decode = Json.decoder(Schema.Array(RecordedEntry))

const row = ({ actor, details, entity, ...entry }: RecordedEntry) => [
  entry.id,
  iso(entry.timestamp),
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

/** The file's text: the entries as the list shows them, or one CSV line each. */
export const write = (format: Format, entries: Json.Json<ReadonlyArray<RecordedEntry>>): string =>
  format === "json" ? entries : Csv.file([columns, ...decode(entries).map(row)])

export const nameOf = (workspace: WorkspaceSlug, filter: AuditFilter, now: DateTime.Utc, format: Format) => {
  const from = formatOrNull(filter.from)?.slice(0, 10) ?? "start"
  const to = iso(filter.to ?? now).slice(0, 10)
  return `audit-${workspace}-${from}-${to}.${format}`
}
