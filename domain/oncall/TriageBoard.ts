import { DateTime } from "effect"
import { byService } from "../workspace/Actor.ts"
import { Alert, type AlertId } from "./Alert.ts"
import type * as Audit from "../workspace/Audit.ts"
import type { Change, Rows } from "../Change.ts"
import type { Arrival } from "./Delivery.ts"
import { foldSeconds, followUp } from "./NotifyPlan.ts"
import { Incident, incidentFact, type Standing } from "./Incident.ts"
import type { IncidentKey } from "../value/IncidentKey.ts"
import { take } from "../work/Fresh.ts"
import type { Job, JobId } from "../work/Job.ts"
import type { NoticeEvent } from "./Notice.ts"
import type { Service, ServiceId } from "./Service.ts"
import { type Severity, worst } from "../value/Severity.ts"
import type { SignalSource, SourceId } from "./SignalSource.ts"
import { skipValidation } from "../value/SkipValidation.ts"

/** Snapshot a triage batch reads. */
export interface TriageSnapshot {
  readonly now: DateTime.Utc
  /** In order of arrival. */
  readonly arrivals: ReadonlyArray<Arrival>
  readonly sources: ReadonlyArray<SignalSource>
  readonly services: ReadonlyArray<Service>
  /** The newest episode of each fingerprint in the arrivals, and the alerts firing where an incident may open. */
  readonly alerts: ReadonlyArray<Alert>
  /** Open incidents, and the incidents of the alerts. */
  readonly incidents: ReadonlyArray<Standing>
  /** One of each per signal. */
  readonly freshAlerts: ReadonlyArray<AlertId>
  readonly freshIncidents: ReadonlyArray<IncidentKey>
  /** Three per signal: one signal may open, update and end an incident. */
  readonly freshJobs: ReadonlyArray<JobId>
}

interface News {
  readonly joined: number
  readonly severity: Severity
  readonly isReopened: boolean
}

/** Title and severity of the worst alert so far. */
const worse = ({ severity, title }: Incident, alert: Alert): Pick<Incident, "severity" | "title"> =>
  worst(severity, alert.severity) === severity ? { severity, title } : { severity: alert.severity, title: alert.title }

/** Working copy of the snapshot; `outcome` turns it into one change. */
export const board = (snapshot: TriageSnapshot) => {
  const sources = new Map(snapshot.sources.map((source) => [source.id, source]))
  const services = new Map(snapshot.services.map((service) => [service.id, service]))
  const known = new Set(snapshot.alerts.map(({ id }) => id))
  const placeOf = ({ fingerprint, source }: Pick<Alert, "fingerprint" | "source">) => `${source} ${fingerprint}`
  const alerts = new Map(snapshot.alerts.map((alert) => [placeOf(alert), alert]))
  const touched = new Map<AlertId, Alert>()
  const incidents = new Map(snapshot.incidents.map((standing) => [standing.incident.key, standing]))
  const [opened, changed] = [new Set<IncidentKey>(), new Set<IncidentKey>()]
  const spotOf = (service: ServiceId, environment: string | null) => `${service} ${JSON.stringify(environment)}`
  const openAt = new Map<string, IncidentKey>()
  for (const { incident } of snapshot.incidents)
    if (incident.status === "open") openAt.set(spotOf(incident.service, incident.environment), incident.key)
  const [freshAlerts, freshIncidents] = [snapshot.freshAlerts.values(), snapshot.freshIncidents.values()]
  const freshJobs = snapshot.freshJobs.values()
  const audit: Array<Audit.Fact> = []
  const jobs: Array<Job> = []
  const news = new Map<IncidentKey, News>()

  const keep = (alert: Alert) => {
    alerts.set(placeOf(alert), alert)
    touched.set(alert.id, alert)
  }

  const stand = (standing: Standing) => {
    const { environment, key, service, status } = standing.incident
    incidents.set(key, standing)
    changed.add(key)
    if (status === "open") openAt.set(spotOf(service, environment), key)
    else if (openAt.get(spotOf(service, environment)) === key) openAt.delete(spotOf(service, environment))
  }

  const record = (event: Parameters<typeof incidentFact>[1], incident: Incident, details: Audit.Fact["details"]) => {
    const service = services.get(incident.service)?.name ?? null
    audit.push(incidentFact(byService, event, incident, { service, ...details }))
  }

  const follow = (event: NoticeEvent, incident: Incident, dueAt?: DateTime.Utc) =>
    void jobs.push(followUp(take(freshJobs), incident, event, snapshot.now, dueAt && { dueAt }))

  /** Queues one update for all news of an open incident; a new incident's notice includes its news. */
  const followNews = ({ firing, incident }: Standing) => {
    if (opened.has(incident.key) || incident.status !== "open") return
    if (incident.updateDueAt !== null && DateTime.greaterThan(incident.updateDueAt, snapshot.now)) return
    const updateDueAt = DateTime.add(snapshot.now, { seconds: foldSeconds })
    follow("updated", incident, updateDueAt)
    stand({ firing, incident: new Incident({ ...incident, updateDueAt }, skipValidation) })
  }

  /** Collects news, so that a storm is one audit entry and not one per alert. */
  const note = ({ key, severity }: Incident, more: Partial<News>) => {
    const entry = news.get(key) ?? { joined: 0, severity, isReopened: false }
    news.set(key, {
      severity: entry.severity,
      joined: entry.joined + (more.joined ?? 0),
      isReopened: entry.isReopened || more.isReopened === true
    })
  }

  const tellNews = (key: IncidentKey) => {
    const entry = news.get(key)
    const standing = incidents.get(key)
    news.delete(key)
    if (entry === undefined || standing === undefined) return
    const { severity } = standing.incident
    const isWorse = severity !== entry.severity
    record("incident_updated", standing.incident, {
      ...(entry.joined > 0 && { joined: entry.joined }),
      ...(isWorse && { before: { severity: entry.severity }, after: { severity } }),
      ...(entry.isReopened && { reopened: true })
    })
    if (entry.isReopened) follow("reopened", standing.incident)
    else followNews(standing)
  }

  const standingOf = (key: IncidentKey | null) => (key === null ? undefined : incidents.get(key))

  /** True when the alert belongs to an open incident. */
  const isIn = ({ incident }: Alert) => standingOf(incident)?.incident.status === "open"

  const join = (alert: Alert, { firing, incident }: Standing, explanation: string): Alert => {
    const isReopened = incident.status === "resolved"
    note(incident, { joined: 1, isReopened })
    stand({
      incident: new Incident(
        {
          ...incident,
          status: "open",
          resolvedAt: null,
          // The person who acknowledged it believes that it is over.
          ...(isReopened && { acknowledgedAt: null, acknowledgedBy: null }),
          alerts: incident.alerts + (alerts.get(placeOf(alert))?.incident === incident.key ? 0 : 1),
          ...worse(incident, alert)
        },
        skipValidation
      ),
      firing: firing + 1
    })
    const joined = new Alert({ ...alert, incident: incident.key, reason: "joined", explanation }, skipValidation)
    keep(joined)
    return joined
  }

  /** Opens an incident with the alert and all others that fire in its service and environment. */
  const open = (alert: Alert, service: Service, openedAt: DateTime.Utc): Alert => {
    const key = take(freshIncidents)
    const { environment, severity, title } = alert
    const incident = new Incident(
      {
        key,
        team: service.team,
        service: service.id,
        environment,
        status: "open",
        severity,
        title,
        alerts: 1,
        openedAt,
        resolvedAt: null,
        acknowledgedAt: null,
        acknowledgedBy: null
      },
      skipValidation
    )
    opened.add(key)
    stand({ incident, firing: 1 })
    record("incident_opened", incident, { severity, environment })
    follow("opened", incident)
    const first = new Alert(
      { ...alert, incident: key, reason: "opened", explanation: `It opened ${key}.` },
      skipValidation
    )
    keep(first)
    for (const other of alerts.values())
      if (
        other.status === "firing" &&
        other.service === service.id &&
        other.environment === environment &&
        other.reason !== "test" &&
        !isIn(other) &&
        sources.get(other.source)?.pausedAt === null
      )
        join(other, standingOf(key) ?? { incident, firing: 1 }, `It still fired when ${key} opened.`)
    return first
  }

  return {
    alertOf: (source: SourceId, fingerprint: string) => alerts.get(placeOf({ source, fingerprint })),
    freshAlert: () => take(freshAlerts),
    source: (id: SourceId) => sources.get(id),
    openIncident: (service: ServiceId, environment: string | null) =>
      standingOf(openAt.get(spotOf(service, environment)) ?? null),
    standingOf,
    isIn,
    keep,
    join,
    open,
    worsen: (standing: Standing, severity: Severity, title: string) => {
      if (worst(standing.incident.severity, severity) === standing.incident.severity) return
      note(standing.incident, {})
      stand({ ...standing, incident: new Incident({ ...standing.incident, severity, title }, skipValidation) })
    },
    /** Counts one firing alert fewer; the last one resolves the incident. */
    ease: ({ firing, incident }: Standing, at: DateTime.Utc) => {
      if (firing > 1) return stand({ incident, firing: firing - 1 })
      tellNews(incident.key)
      const current = standingOf(incident.key)?.incident ?? incident
      const over = new Incident({ ...current, status: "resolved", resolvedAt: at }, skipValidation)
      stand({ incident: over, firing: 0 })
      record("incident_resolved", over, { by: "recovery" })
      follow("resolved", over)
    },
    /** Number of audit entries so far. */
    recorded: () => audit.length,
    /** Inserts an entry before the entries it caused. */
    tellAt: (place: number, fact: Audit.Fact) => void audit.splice(place, 0, fact),
    /** Returns all changes of the working copy. */
    outcome: (): { readonly added: Rows; readonly changed: Rows; readonly audit: Change["audit"] } => {
      for (const key of news.keys()) tellNews(key)
      const isOpen = ({ status }: Incident) => Number(status === "open")
      const standing = [...changed].flatMap((key) => incidents.get(key)?.incident ?? [])
      const all = [...touched.values()]
      return {
        added: {
          incidents: standing.filter(({ key }) => opened.has(key)),
          alerts: all.filter(({ id }) => !known.has(id)),
          jobs
        },
        changed: {
          // Only one incident may be open per service and environment, so resolved ones are written first.
          incidents: standing.filter(({ key }) => !opened.has(key)).toSorted((a, b) => isOpen(a) - isOpen(b)),
          alerts: all.filter(({ id }) => known.has(id))
        },
        // Every triaged delivery has an audit entry.
        audit: audit as unknown as Change["audit"]
      }
    }
  }
}
export type Board = ReturnType<typeof board>
