import { DateTime } from "effect"
import type { AlertView } from "../../../../domain/oncall/Alert.ts"
import type { IncidentHistory, IncidentView, Notified, Sent } from "../../../../domain/oncall/Incident.ts"
import type { Investigation } from "../../../../domain/oncall/Investigation.ts"
import type { DecisionView } from "../../../../domain/work/Decision.ts"
import type { RecordedEntry } from "../../../../domain/workspace/Audit.ts"
import { spotOf } from "./Severity.tsx"
import { counted } from "./IncidentWords.ts"

/** Everything that the page of an incident shows. */
export interface Facts {
  readonly incident: IncidentView
  /** Its newest alerts, newest first. */
  readonly alerts: ReadonlyArray<AlertView>
  readonly hasMoreAlerts: boolean
  readonly history: IncidentHistory
  readonly decision: DecisionView | null
}

/** A reason in words: the verdict, then why. */
export interface Why {
  readonly verdict: string
  readonly because: string
}

type Part =
  | { readonly type: "fired"; readonly alert: AlertView; readonly why: Why }
  | { readonly type: "notified"; readonly notices: ReadonlyArray<Notified> }
  | { readonly type: "sent"; readonly sent: ReadonlyArray<Sent> }
  | { readonly type: "found"; readonly investigation: Investigation }
  | { readonly type: "asked"; readonly decision: DecisionView }
  | { readonly type: "answered"; readonly decision: DecisionView }
  | { readonly type: "ended"; readonly alert: AlertView; readonly why: Why | null }
  | { readonly type: "recorded"; readonly entry: RecordedEntry }

export type Moment = Part & { readonly at: DateTime.Utc }

/** Order of what happened in the same millisecond. */
const order = ["fired", "notified", "sent", "found", "asked", "answered", "ended", "recorded"] as const

const quiet = "Members are notified when an incident opens, not again for each alert."

const openedWhy = (incident: IncidentView): Why => ({
  verdict: "Opened this incident.",
  because: `It came within the on-call hours of ${incident.service}, its severity was high enough, and nothing was open for ${spotOf(incident)}.`
})

/** An alert that is over has another reason now; then its times say how it came into the incident. */
const firedWhy = (incident: IncidentView, alert: AlertView, isOpener: boolean): Why => {
  if (isOpener) return openedWhy(incident)
  if (alert.reason === "joined") return { verdict: "Joined.", because: `${alert.explanation} ${quiet}` }
  return DateTime.lessThan(alert.firstSeenAt, incident.openedAt)
    ? { verdict: "Joined.", because: "It fired already when the incident opened." }
    : { verdict: "Joined.", because: `${incident.key} was open, or had ended within 10 minutes. ${quiet}` }
}

/** The alert that opened the incident: it says so itself, or it is the first one since. */
const openerOf = ({ alerts, hasMoreAlerts, incident }: Facts): AlertView | undefined =>
  alerts.find(({ reason }) => reason === "opened") ??
  (hasMoreAlerts
    ? undefined
    : alerts.findLast(
        ({ firstSeenAt, reason }) =>
          reason !== "joined" && DateTime.greaterThanOrEqualTo(firstSeenAt, incident.openedAt)
      ))

const endOf = ({ endedAt, firstSeenAt, lastSeenAt }: AlertView) => DateTime.max(endedAt ?? lastSeenAt, firstSeenAt)

const endedWhy = ({ alerts, hasMoreAlerts }: Facts, alert: AlertView): Why | null => {
  if (alert.explanation !== "It recovered.") return { verdict: "Ended by hand.", because: alert.explanation }
  const end = endOf(alert)
  const fired = alerts.filter(
    (other) =>
      DateTime.lessThanOrEqualTo(other.firstSeenAt, end) &&
      (other.status === "firing" || DateTime.greaterThan(endOf(other), end))
  ).length
  if (hasMoreAlerts) return null
  return fired === 0
    ? { verdict: "Ended the incident.", because: "It was the last alert that fired." }
    : { verdict: "Stays open.", because: `${counted(fired, "alert")} still fired.` }
}

/** Groups rows of the same event and time, in their order. */
const grouped = <A extends { readonly event: string; readonly createdAt: DateTime.Utc }>(
  rows: ReadonlyArray<A>,
  more: (row: A) => string = () => ""
): ReadonlyArray<readonly [A, ...ReadonlyArray<A>]> => {
  const groups = new Map<string, [A, ...Array<A>]>()
  for (const row of rows) {
    const name = `${row.event} ${row.createdAt.epochMillis} ${more(row)}`
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [row])
    else group.push(row)
  }
  return [...groups.values()]
}

/** Entries that say something of their own; alerts and the investigation are shown themselves. */
const isOwn = ({ details, event, result }: RecordedEntry): boolean =>
  result === "success" &&
  event !== "incident_opened" &&
  (event === "incident_resolved" ||
    ["note", "after", "reopened"].some((field) => details[field] !== undefined && details[field] !== false))

const ofDecision = (decision: DecisionView | null): ReadonlyArray<Moment> =>
  decision === null
    ? []
    : [
        { type: "asked", at: decision.createdAt, decision },
        ...(decision.resolvedAt === null ? [] : [{ type: "answered" as const, at: decision.resolvedAt, decision }])
      ]

/** Events of an incident, oldest first, so that new ones are appended. */
export const timeLine = (facts: Facts): ReadonlyArray<Moment> => {
  const { alerts, decision, history, incident } = facts
  const opener = openerOf(facts)
  const { investigation } = incident
  const moments: ReadonlyArray<Moment> = [
    ...alerts
      .toReversed()
      .flatMap((alert): ReadonlyArray<Moment> => [
        { type: "fired", at: alert.firstSeenAt, alert, why: firedWhy(incident, alert, alert.id === opener?.id) },
        ...(alert.status === "firing"
          ? []
          : [{ type: "ended" as const, at: endOf(alert), alert, why: endedWhy(facts, alert) }])
      ]),
    ...grouped(history.notified.toReversed()).map((notices) => ({
      type: "notified" as const,
      at: notices[0].createdAt,
      notices
    })),
    // Mails belong to the notices in the inbox.
    ...grouped(
      history.sent.toReversed().filter(({ kind }) => kind !== "notify_member"),
      ({ kind, status }) => `${kind} ${status}`
    ).map((sent) => ({ type: "sent" as const, at: sent[0].createdAt, sent })),
    ...(investigation === null ? [] : [{ type: "found" as const, at: investigation.at, investigation }]),
    ...ofDecision(decision),
    ...history.entries
      .toReversed()
      .filter(isOwn)
      .map((entry) => ({ type: "recorded" as const, at: entry.timestamp, entry }))
  ]
  return moments.toSorted(
    (a, b) => a.at.epochMillis - b.at.epochMillis || order.indexOf(a.type) - order.indexOf(b.type)
  )
}
