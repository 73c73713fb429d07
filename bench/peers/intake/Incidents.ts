// @effect-diagnostics globalDate:off
import { randomInt, randomUUID } from "node:crypto"
import type { Severity } from "./Alerts.ts"
import { byService, type Fact } from "../answers/AuditLog.ts"
import { type ServiceRow, worst } from "./OnCall.ts"
import { type Sql, statement } from "../Statements.ts"

export interface IncidentRow {
  readonly key: string
  readonly team: string
  readonly status: "open" | "resolved"
  readonly severity: Severity
  readonly title: string
  readonly update_due_at: Date | null
}

/** A firing alert with the fields an incident needs. */
export interface Firing {
  readonly id: string
  readonly severity: Severity
  readonly environment: string | null
  readonly title: string
}

/** State of a delivery during its triage. */
export interface Bench {
  readonly sql: Sql
  readonly workspace: string
  readonly now: Date
  readonly receivedAt: Date
  readonly facts: Array<Fact>
  readonly opened: Set<string>
  /** News of incidents, each recorded once in the end. */
  readonly news: Map<
    string,
    { readonly service: string; readonly before: IncidentRow; after: IncidentRow; joined: number }
  >
}

const columns = "key, team, status, severity, title, update_due_at"

const findOpen = statement(
  "open_incident",
  `SELECT ${columns} FROM incidents WHERE workspace_id = $1 AND service = $2 AND environment IS NOT DISTINCT FROM $3
     AND status = 'open' FOR UPDATE`
)
const find = statement("incident", `SELECT ${columns} FROM incidents WHERE workspace_id = $1 AND key = $2 FOR UPDATE`)

const insert = statement(
  "insert_incident",
  `INSERT INTO incidents (workspace_id, key, team, service, environment, status, severity, title, alerts, opened_at)
   VALUES ($1, $2, $3, $4, $5, 'open', $6, $7, 1, $8) ON CONFLICT (workspace_id, key) DO NOTHING RETURNING ${columns}`
)
const grow = statement(
  "grow_incident",
  "UPDATE incidents SET alerts = alerts + $3, severity = $4 WHERE workspace_id = $1 AND key = $2"
)
const setDue = statement(
  "incident_update_due",
  "UPDATE incidents SET update_due_at = $3 WHERE workspace_id = $1 AND key = $2"
)
const resolveIt = statement(
  "resolve_incident",
  "UPDATE incidents SET status = 'resolved', resolved_at = $3 WHERE workspace_id = $1 AND key = $2"
)
const countFiring = statement(
  "firing_alerts",
  "SELECT count(*)::int AS firing FROM alerts WHERE workspace_id = $1 AND incident = $2 AND status = 'firing'"
)
const takeLoose = statement(
  "join_loose_alerts",
  `UPDATE alerts a SET incident = $4, reason = 'joined', explanation = $5 FROM signal_sources s
   WHERE a.workspace_id = $1 AND a.service = $2 AND a.environment IS NOT DISTINCT FROM $3 AND a.status = 'firing'
     AND a.incident IS NULL AND a.id <> $6 AND a.reason <> 'test' AND s.workspace_id = $1 AND s.id = a.source AND s.paused_at IS NULL
   RETURNING a.severity`
)
const insertJob = statement(
  "follow_incident",
  `INSERT INTO jobs (workspace_id, id, kind, status, team, payload, tries, lane, due_at, created_at, updated_at)
   VALUES ($1, $2, 'follow_incident', 'queued', $3, $4, 0, $5, $6, $7, $7)`
)

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const drawKey = () => `inc-${Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join("")}`

/** A job notifies members and places; its worker is not part of this service. */
const follow = (
  { now, sql, workspace }: Bench,
  { key, team }: IncidentRow,
  event: string,
  dueAt: Date | null = null
) => {
  const payload = { incident: key, event, decision: null, isLater: false }
  return sql.query(insertJob, [workspace, randomUUID(), team, JSON.stringify(payload), `follow ${key}`, dueAt, now])
}

const tell = ({ facts }: Bench, event: string, { key, team, title }: IncidentRow, details: object) =>
  void facts.push(byService({ event, team, entity: { type: "incident", id: key, name: title } }, details))

export const openOf = async ({ sql, workspace }: Bench, service: string, environment: string | null) =>
  (await sql.query<IncidentRow>(findOpen, [workspace, service, environment]))[0]

export const incidentOf = async ({ sql, workspace }: Bench, key: string | null) =>
  key === null ? undefined : (await sql.query<IncidentRow>(find, [workspace, key]))[0]

/** Adds that many alerts with the severity of the worst. */
export const join = async (at: Bench, service: string, incident: IncidentRow, severity: Severity, alerts = 1) => {
  const after = { ...incident, severity: worst(incident.severity, severity) }
  if (alerts === 0 && after.severity === incident.severity) return
  await at.sql.query(grow, [at.workspace, incident.key, alerts, after.severity])
  const known = at.news.get(incident.key) ?? { service, before: incident, after, joined: 0 }
  at.news.set(incident.key, { ...known, after, joined: known.joined + alerts })
}

const draw = async (at: Bench, values: (key: string) => ReadonlyArray<unknown>): Promise<IncidentRow> => {
  const [drawn] = await at.sql.query<IncidentRow>(insert, values(drawKey()))
  return drawn ?? draw(at, values)
}

/** Opens an incident with an alert and all others that fire in its service and environment. */
export const open = async (at: Bench, service: ServiceRow, { environment, id, severity, title }: Firing) => {
  const { receivedAt, sql, workspace } = at
  const about = [service.team, service.id, environment, severity, title, receivedAt]
  const incident = await draw(at, (key) => [workspace, key, ...about])
  at.opened.add(incident.key)
  tell(at, "incident_opened", incident, { service: service.name, severity, environment })
  await follow(at, incident, "opened")
  const explanation = `It still fired when ${incident.key} opened.`
  const values = [workspace, service.id, environment, incident.key, explanation, id]
  const loose = await sql.query<{ readonly severity: Severity }>(takeLoose, values)
  const most = loose.reduce((one, other) => worst(one, other.severity), severity)
  await join(at, service.name, incident, most, loose.length)
  return incident
}

const foldSeconds = 15

/** Records the news of an incident once, and queues its follow-up once in a while. */
export const tellNews = async (at: Bench, key: string) => {
  const found = at.news.get(key)
  at.news.delete(key)
  if (found === undefined) return
  const { after, before, joined, service } = found
  tell(at, "incident_updated", after, {
    service,
    ...(joined > 0 && { joined }),
    ...(after.severity !== before.severity && {
      before: { severity: before.severity },
      after: { severity: after.severity }
    })
  })
  if (at.opened.has(key) || (after.update_due_at !== null && after.update_due_at > at.now)) return
  const dueAt = new Date(at.now.getTime() + foldSeconds * 1000)
  await follow(at, after, "updated", dueAt)
  await at.sql.query(setDue, [at.workspace, key, dueAt])
}

/** Counts one firing alert fewer; the last one resolves the incident. */
export const ease = async (at: Bench, service: string, incident: IncidentRow) => {
  const [left] = await at.sql.query<{ readonly firing: number }>(countFiring, [at.workspace, incident.key])
  if (incident.status !== "open" || (left?.firing ?? 0) > 0) return
  await tellNews(at, incident.key)
  await at.sql.query(resolveIt, [at.workspace, incident.key, at.receivedAt])
  tell(at, "incident_resolved", incident, { service, by: "recovery" })
  await follow(at, incident, "resolved")
}
