import { Schema } from "effect"
import { Place } from "../../../domain/oncall/Place.ts"
import { Service } from "../../../domain/oncall/Service.ts"
import { SignalSource } from "../../../domain/oncall/SignalSource.ts"
import { array, at, fields, table } from "./Table.ts"

const serviceColumns = `
  id uuid, team text, name text, settings json, created_at timestamptz, updated_at timestamptz,
  deleted_at timestamptz`
export const services = table("services", ["id"], serviceColumns)
export const ofService = Schema.encodeSync(Service)
/** From `services v JOIN teams t`: a service is deleted with its team. */
export const service = fields("v", serviceColumns, {
  deleted_at: at("coalesce(v.deleted_at, t.deleted_at)", "deletedAt")
})
export const allServices = array(
  service,
  `services v JOIN teams t ON t.workspace_id = v.workspace_id AND t.slug = v.team
  WHERE v.workspace_id = $1 ORDER BY lower(v.name), v.id`
)

const placeColumns = `
  team text, name text, kind text, address text, created_at timestamptz, removed_at timestamptz`
export const places = table("places", ["team", "name"], placeColumns)
export const ofPlace = Schema.encodeSync(Place)
export const place = fields("p", placeColumns)

const sourceColumns = `
  id uuid, name text, kind text, token text, secrets json, services uuid[], is_timestamp_required boolean,
  topic text, disconnected_at timestamptz, credentials text, trouble text, check_settings json, severities json,
  paused_at timestamptz, created_at timestamptz, updated_at timestamptz, deleted_at timestamptz`
export const sources = table("signal_sources", ["id"], sourceColumns)
const encodeSource = Schema.encodeSync(SignalSource)
export const ofSource = (signalSource: SignalSource) => {
  const { check, ...rest } = encodeSource(signalSource)
  return { ...rest, checkSettings: check }
}
/** From `signal_sources s JOIN workspaces w`: a source is deleted with its workspace. */
export const source = fields("s", sourceColumns, {
  check_settings: "s.check_settings AS check",
  deleted_at: at("coalesce(s.deleted_at, w.deleted_at)", "deletedAt")
})
export const allSources = array(
  source,
  `signal_sources s JOIN workspaces w ON w.id = s.workspace_id
  WHERE s.workspace_id = $1 ORDER BY lower(s.name), s.id`
)
