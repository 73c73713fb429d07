import { Schema } from "effect"
import { Notification } from "../../../domain/oncall/InboxEntry.ts"
import { at, fields, table } from "./Table.ts"

const incidentColumns = `
  key text, team text, service uuid, environment text, status text, severity text, title text, alerts integer,
  opened_at timestamptz, resolved_at timestamptz, acknowledged_at timestamptz, acknowledged_by text,
  update_due_at timestamptz, told text, notified_at timestamptz, reached_at timestamptz, investigation json`
export const incidents = table("incidents", ["key"], incidentColumns)
export const incident = fields("i", incidentColumns)

/** An incident with the number of its firing alerts. */
export const standing = `
  (SELECT row_to_json(o) FROM (SELECT ${incident}) o) AS incident,
  (SELECT count(*)::int FROM alerts f
    WHERE f.workspace_id = i.workspace_id AND f.incident = i.key AND f.status = 'firing') AS firing`

/** From `incidents i JOIN services v`. */
export const incidentView = `
  i.key, i.status, i.severity, v.name AS service, i.team, i.environment, i.title, i.alerts,
  ${at("i.opened_at", "openedAt")}, ${at("i.resolved_at", "resolvedAt")}, ${at("i.acknowledged_at", "acknowledgedAt")},
  i.acknowledged_by AS "acknowledgedBy", i.investigation`

const alertColumns = `
  id uuid, source uuid, service uuid, fingerprint text, status text, severity text, title text, environment text,
  description text, labels json, links json, started_at timestamptz, ended_at timestamptz, fired_at timestamptz,
  recovered_at timestamptz, first_seen_at timestamptz, last_seen_at timestamptz, count integer, reason text,
  explanation text, incident text`
export const alerts = table("alerts", ["id"], alertColumns)
export const alert = fields("a", alertColumns)

/** From `alerts a JOIN signal_sources s LEFT JOIN services v`. */
export const alertView = (staleHours: number) => `
  a.id, a.title, a.status, a.fingerprint, a.severity, s.name AS source, v.name AS service, a.environment, a.description,
  ${at("a.started_at", "startedAt")}, ${at("a.ended_at", "endedAt")}, a.labels, a.links, a.incident, a.reason,
  a.explanation, a.count, ${at("a.first_seen_at", "firstSeenAt")}, ${at("a.last_seen_at", "lastSeenAt")},
  a.status = 'firing' AND a.last_seen_at <= statement_timestamp() - interval '${staleHours} hours' AS stale`

const notificationColumns = `
  id uuid, member uuid, incident text, event text, subject text, text text, created_at timestamptz,
  read_at timestamptz`
export const notifications = table("notifications", ["id"], notificationColumns)
export const notification = fields("n", notificationColumns)
export const ofNotification = Schema.encodeSync(Notification)
