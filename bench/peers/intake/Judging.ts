import { randomUUID } from "node:crypto"
import type { Severity, Signal } from "./Alerts.ts"
import type { Verdict } from "./Deliveries.ts"
import { type Bench, ease, type Firing, incidentOf, join, open, openOf } from "./Incidents.ts"
import { refusalOf, type ServiceRow, serviceOf } from "./OnCall.ts"
import { statement } from "../Statements.ts"

/**
 * Triage of one alert of a delivery. Left out, since it is not measured: reopening an incident resolved for less than
 * ten minutes, late firings and recoveries, recoveries of unknown alerts, replays, tests, acknowledgements.
 */
export interface SourceOf {
  readonly id: string
  readonly name: string
  readonly isPaused: boolean
  readonly services: ReadonlyArray<ServiceRow>
}

interface AlertRow {
  readonly id: string
  readonly status: "firing" | "resolved"
  readonly severity: Severity
  readonly title: string
  readonly environment: string | null
  readonly incident: string | null
}

interface Placed {
  readonly reason: string
  readonly explanation: string
  readonly incident: string | null
}

const findAlert = statement(
  "alert_by_fingerprint",
  `SELECT id, status, severity, title, environment, incident FROM alerts
   WHERE workspace_id = $1 AND source = $2 AND fingerprint = $3 ORDER BY seq DESC LIMIT 1`
)
const insertAlert = statement(
  "insert_alert",
  `INSERT INTO alerts (workspace_id, id, source, service, fingerprint, status, severity, title, environment, description,
     labels, links, started_at, fired_at, first_seen_at, last_seen_at, count, reason, explanation, incident)
   VALUES ($1, $2, $3, $4, $5, 'firing', $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, 1, $15, $16, $17)`
)
const repeatAlert = statement(
  "repeat_alert",
  `UPDATE alerts SET severity = $3, description = coalesce($4, description), labels = $5, links = $6,
     fired_at = greatest(fired_at, $7), last_seen_at = greatest(last_seen_at, $8), count = count + 1, service = $9
   WHERE workspace_id = $1 AND id = $2`
)
const placeAlert = statement(
  "place_alert",
  "UPDATE alerts SET reason = $3, explanation = $4, incident = $5 WHERE workspace_id = $1 AND id = $2"
)
const recoverAlert = statement(
  "recover_alert",
  `UPDATE alerts SET status = 'resolved', ended_at = coalesce($3::timestamptz, $4), recovered_at = greatest(recovered_at, $3),
     last_seen_at = greatest(last_seen_at, $4), reason = 'recovered', explanation = 'It recovered.'
   WHERE workspace_id = $1 AND id = $2`
)

const outside = (reason: string, explanation: string): Placed => ({ reason, explanation, incident: null })

/** Decides the incident of a firing alert, if any. */
const place = async (
  at: Bench,
  source: SourceOf,
  service: ServiceRow | null,
  alert: Firing & { readonly named: string | null }
): Promise<Placed> => {
  if (source.isPaused) return outside("source_paused", `The source ${source.name} is paused.`)
  if (service === null)
    return outside(
      "no_service",
      alert.named === null
        ? `It names no service, and the source ${source.name} does not feed exactly one.`
        : `The source ${source.name} feeds no service named '${alert.named}'.`
    )
  const current = await openOf(at, service.id, alert.environment)
  if (current !== undefined) {
    await join(at, service.name, current, alert.severity)
    return { reason: "joined", explanation: `${current.key} was open.`, incident: current.key }
  }
  const refusal = refusalOf(service, alert.severity, at.receivedAt)
  if (refusal !== null) return { ...refusal, incident: null }
  const { key } = await open(at, service, alert)
  return { reason: "opened", explanation: `It opened ${key}.`, incident: key }
}

const told = (
  verdict: string,
  explanation: string,
  signal: Signal,
  alert: string | null,
  incident: string | null
): Verdict => ({
  verdict,
  explanation,
  fingerprint: signal.fingerprint,
  alert,
  incident
})

/** Repeats a firing. Outside an incident the alert is triaged again: it may be worse now, or hours may have begun. */
const repeat = async (at: Bench, source: SourceOf, signal: Signal, before: AlertRow): Promise<Verdict> => {
  const severity = signal.severity ?? before.severity
  const service = serviceOf(source.services, signal.service)
  const { description, labels, links } = signal
  const values = [severity, description, JSON.stringify(labels), JSON.stringify(links), signal.at, at.receivedAt]
  await at.sql.query(repeatAlert, [at.workspace, before.id, ...values, service?.id ?? null])
  const current = await incidentOf(at, before.incident)
  if (current?.status === "open") {
    await join(at, service?.name ?? "", current, severity, 0)
    return told("repeat", `It still fires in ${current.key}.`, signal, before.id, current.key)
  }
  const { environment, title } = before
  const placed = await place(at, source, service, {
    id: before.id,
    severity,
    environment,
    title,
    named: signal.service
  })
  if (placed.incident === null) return told("repeat", `It still fires. ${placed.explanation}`, signal, before.id, null)
  await at.sql.query(placeAlert, [at.workspace, before.id, placed.reason, placed.explanation, placed.incident])
  return told(placed.reason, placed.explanation, signal, before.id, placed.incident)
}

const fire = async (at: Bench, source: SourceOf, signal: Signal, before: AlertRow | undefined): Promise<Verdict> => {
  if (before?.status === "firing") return repeat(at, source, signal, before)
  const id = randomUUID()
  const { description, environment, fingerprint, labels, links, title } = signal
  const service = serviceOf(source.services, signal.service)
  const severity = signal.severity ?? before?.severity ?? "medium"
  const placed = await place(at, source, service, { id, severity, environment, title, named: signal.service })
  const said = [severity, title, environment, description, JSON.stringify(labels), JSON.stringify(links)]
  const when = [signal.startedAt, signal.at, at.receivedAt]
  const where = [placed.reason, placed.explanation, placed.incident]
  const whose = [at.workspace, id, source.id, service?.id ?? null, fingerprint]
  await at.sql.query(insertAlert, [...whose, ...said, ...when, ...where])
  return told(placed.reason, placed.explanation, signal, id, placed.incident)
}

const recover = async (at: Bench, source: SourceOf, signal: Signal, before: AlertRow | undefined): Promise<Verdict> => {
  if (before === undefined) return told("nothing_to_recover", "No alert of this fingerprint fires.", signal, null, null)
  if (before.status === "resolved")
    return told("nothing_to_recover", "It had recovered already.", signal, before.id, before.incident)
  await at.sql.query(recoverAlert, [at.workspace, before.id, signal.endedAt, at.receivedAt])
  const current = await incidentOf(at, before.incident)
  if (current !== undefined) await ease(at, serviceOf(source.services, signal.service)?.name ?? "", current)
  return told("recovered", "It recovered.", signal, before.id, before.incident)
}

export const judge = async (at: Bench, source: SourceOf, signal: Signal): Promise<Verdict> => {
  const [before] = await at.sql.query<AlertRow>(findAlert, [at.workspace, source.id, signal.fingerprint])
  return signal.status === "firing" ? fire(at, source, signal, before) : recover(at, source, signal, before)
}
