import { Array, DateTime } from "effect"
import { byService } from "../workspace/Actor.ts"
import { Alert, type Reason } from "./Alert.ts"
import * as Audit from "../workspace/Audit.ts"
import type { Arrival, DeliveryId, Verdict } from "./Delivery.ts"
import { mayReopen, reopensWithinMinutes } from "./Incident.ts"
import * as OnCallHours from "./OnCallHours.ts"
import type { Service } from "./Service.ts"
import { atLeast, worst } from "../value/Severity.ts"
import type { Signal } from "./Signal.ts"
import { guessed } from "./SeverityGuess.ts"
import type { SignalSource } from "./SignalSource.ts"
import { skipValidation } from "../value/SkipValidation.ts"
import { type Board, board, type TriageSnapshot } from "./TriageBoard.ts"

/** One alert of a delivery with the state that triage reads. */
interface Case {
  readonly at: Board
  readonly signal: Signal
  readonly source: SignalSource
  readonly service: Service | null
  readonly arrival: Arrival
  /** The time used for triage: the arrival, or the request for a replay. */
  readonly moment: DateTime.Utc
  /** The newest episode of the fingerprint. */
  readonly before: Alert | undefined
  /** True for a replayed signal that the alert's state already includes. */
  readonly isPast: boolean
}

interface Judgement extends Pick<Verdict, "verdict" | "explanation"> {
  readonly alert: Alert | null
}

const later = (a: DateTime.Utc | null, b: DateTime.Utc | null): DateTime.Utc | null =>
  a === null ? b : b === null ? a : DateTime.max(a, b)

/** The service of an alert: the source's only one, else the one it names. */
const serviceOf = (source: SignalSource, services: ReadonlyArray<Service>, name: string | null): Service | null => {
  const fed = services.filter(({ deletedAt, id }) => deletedAt === null && source.services.includes(id))
  const [only] = fed
  if (only !== undefined && fed.length === 1) return only
  const lower = name?.toLowerCase()
  return (
    fed.find((service) => service.name === name) ?? fed.find((service) => service.name.toLowerCase() === lower) ?? null
  )
}

/** The fingerprints of a replay whose alerts were seen with it or later. */
const passed = (at: Board, { isReplay, receivedAt, signals, source }: Arrival): ReadonlySet<string> => {
  const isSeen = ({ fingerprint }: Signal) => {
    const before = at.alertOf(source, fingerprint)
    return before !== undefined && DateTime.greaterThanOrEqualTo(before.lastSeenAt, receivedAt)
  }
  return new Set(isReplay ? signals.filter(isSeen).map(({ fingerprint }) => fingerprint) : [])
}

const outside = (alert: Alert, reason: Reason, explanation: string): Alert =>
  new Alert({ ...alert, incident: null, reason, explanation }, skipValidation)

/** Decides the incident of a firing alert, if any. */
const place = ({ at, before, moment, service, signal, source }: Case, alert: Alert): Alert => {
  if (signal.isTest) return outside(alert, "test", "It is a test message of the tool.")
  if (source.pausedAt !== null) return outside(alert, "source_paused", `The source ${source.name} is paused.`)
  if (service === null)
    return outside(
      alert,
      "no_service",
      signal.service === null
        ? `It names no service, and the source ${source.name} does not feed exactly one.`
        : `The source ${source.name} feeds no service named '${signal.service}'.`
    )
  const current = at.openIncident(service.id, alert.environment)
  if (current !== undefined) return at.join(alert, current, `${current.incident.key} was open.`)
  const past = at.standingOf(before?.incident ?? null)
  const isSameSpot = past?.incident.service === service.id && past.incident.environment === alert.environment
  if (past !== undefined && isSameSpot && mayReopen(past.incident, moment)) {
    const explanation = `It fired again within ${reopensWithinMinutes} minutes and reopened ${past.incident.key}.`
    return at.join(alert, past, explanation)
  }
  const { hours, minimumSeverity } = service.settings
  if (!atLeast(alert.severity, minimumSeverity)) {
    const words = `Its severity is ${alert.severity}; ${service.name} opens incidents from ${minimumSeverity} on.`
    return outside(alert, "below_severity", guessed(words, signal, source))
  }
  if (!OnCallHours.contains(hours, moment))
    return outside(
      alert,
      "outside_hours",
      `It came on ${OnCallHours.localTime(hours, moment)}, outside the on-call hours of ${service.name}.`
    )
  return at.open(alert, service, moment)
}

const isOlder = ({ at }: Signal, { firedAt }: Alert): boolean =>
  at !== null && firedAt !== null && DateTime.lessThan(at, firedAt)

/** Repeats a firing. Outside an incident the alert is triaged again: it may be worse now, or hours may have begun. */
const repeat = (one: Case, before: Alert): Judgement => {
  const { arrival, at, service, signal } = one
  const again = new Alert(
    {
      ...before,
      ...(!isOlder(signal, before) && {
        severity: signal.severity ?? before.severity,
        title: signal.title,
        description: signal.description ?? before.description,
        labels: signal.labels,
        links: signal.links
      }),
      firedAt: later(before.firedAt, signal.at),
      lastSeenAt: DateTime.max(before.lastSeenAt, arrival.receivedAt),
      count: before.count + (arrival.isReplay ? 0 : 1)
    },
    skipValidation
  )
  const standing = at.isIn(again) ? at.standingOf(again.incident) : undefined
  if (standing !== undefined) {
    at.keep(again)
    at.worsen(standing, signal.severity ?? again.severity, again.title)
    return { verdict: "repeat", explanation: `It still fires in ${standing.incident.key}.`, alert: again }
  }
  const unplaced = new Alert({ ...again, service: service?.id ?? null }, skipValidation)
  const placed = place({ ...one, before: undefined }, unplaced)
  if (at.isIn(placed)) return { verdict: placed.reason, explanation: placed.explanation, alert: placed }
  at.keep(unplaced)
  return { verdict: "repeat", explanation: `It still fires. ${placed.explanation}`, alert: unplaced }
}

/** Handles an acknowledgement by a person in the tool or by us: the alert stays, and the firing is not counted. */
const acknowledge = ({ arrival, at, signal }: Case, before: Alert): Judgement => {
  const severity = signal.severity ?? before.severity
  const seen = new Alert(
    {
      ...before,
      severity: isOlder(signal, before) ? before.severity : worst(before.severity, severity),
      firedAt: later(before.firedAt, signal.at),
      lastSeenAt: DateTime.max(before.lastSeenAt, arrival.receivedAt)
    },
    skipValidation
  )
  const standing = at.isIn(seen) ? at.standingOf(seen.incident) : undefined
  at.keep(seen)
  if (standing !== undefined) at.worsen(standing, severity, seen.title)
  return { verdict: "ignored", explanation: "It was acknowledged in the tool.", alert: seen }
}

/** True when a person ended the alert: the tool has sent no recovery since it last fired. */
const isEndedByHand = ({ firedAt, recoveredAt, status }: Alert): boolean =>
  status === "resolved" && (recoveredAt === null || (firedAt !== null && DateTime.lessThan(recoveredAt, firedAt)))

const episode = ({ arrival, at, before, service, signal, source }: Case) => ({
  id: at.freshAlert(),
  source: source.id,
  service: service?.id ?? null,
  fingerprint: signal.fingerprint,
  severity: signal.severity ?? before?.severity ?? ("medium" as const),
  title: signal.title,
  environment: signal.environment,
  description: signal.description,
  labels: signal.labels,
  links: signal.links,
  startedAt: signal.startedAt,
  firstSeenAt: arrival.receivedAt,
  lastSeenAt: arrival.receivedAt,
  incident: null
})

const fire = (one: Case): Judgement => {
  const { at, before, isPast, signal } = one
  const recoveredAt = before?.recoveredAt ?? null
  const isLate = signal.at !== null && recoveredAt !== null && !DateTime.greaterThan(signal.at, recoveredAt)
  const late: Judgement = {
    verdict: "late_retry",
    explanation: "It is older than a recovery that came before it.",
    alert: null
  }
  if (isLate && !signal.isReopening) return late
  if (before?.status === "firing") return signal.isAcknowledgement ? acknowledge(one, before) : repeat(one, before)
  if (isPast) return late
  if (signal.isAcknowledgement && before !== undefined && isEndedByHand(before))
    return { verdict: "ignored", explanation: "It was acknowledged in the tool, and is over here.", alert: before }
  const alert = new Alert(
    {
      ...episode(one),
      status: "firing",
      endedAt: null,
      firedAt: later(before?.firedAt ?? null, signal.at),
      recoveredAt,
      count: 1,
      reason: "no_service",
      explanation: ""
    },
    skipValidation
  )
  const placed = place(one, alert)
  if (!at.isIn(placed)) at.keep(placed)
  return { verdict: placed.reason, explanation: placed.explanation, alert: placed }
}

/** Stores a timed recovery of an unknown alert, so that the firing before it is late when it arrives. */
const unheardOf = (one: Case): Judgement => {
  if (one.signal.at !== null)
    one.at.keep(
      new Alert(
        {
          ...episode(one),
          status: "resolved",
          endedAt: one.signal.endedAt,
          firedAt: null,
          recoveredAt: one.signal.at,
          count: 0,
          reason: "recovered",
          explanation: "It had recovered before it was seen to fire."
        },
        skipValidation
      )
    )
  return { verdict: "nothing_to_recover", explanation: "No alert of this fingerprint fires.", alert: null }
}

const recover = (one: Case): Judgement => {
  const { arrival, at, before, isPast, moment, signal } = one
  if (before === undefined) return unheardOf(one)
  const recoveredAt = later(before.recoveredAt, signal.at)
  const isOld =
    isPast || (signal.at !== null && before.firedAt !== null && DateTime.greaterThan(before.firedAt, signal.at))
  if (before.status === "resolved" || isOld) {
    at.keep(new Alert({ ...before, recoveredAt }, skipValidation))
    const explanation =
      before.status === "resolved" ? "It had recovered already." : "It fired again after the time of this recovery."
    return { verdict: "nothing_to_recover", explanation, alert: before }
  }
  const over = new Alert(
    {
      ...before,
      status: "resolved",
      endedAt: signal.endedAt ?? signal.at ?? arrival.receivedAt,
      recoveredAt,
      lastSeenAt: DateTime.max(before.lastSeenAt, arrival.receivedAt),
      reason: "recovered",
      explanation: "It recovered."
    },
    skipValidation
  )
  const standing = at.isIn(before) ? at.standingOf(before.incident) : undefined
  at.keep(over)
  if (standing !== undefined) at.ease(standing, moment)
  return { verdict: "recovered", explanation: over.explanation, alert: over }
}

const received = (source: SignalSource, { id }: Arrival, verdicts: ReadonlyArray<Verdict>): Audit.Fact =>
  Audit.fact(byService, "signal_received", Audit.entityOf("signal_source", source), {
    details: { delivery: id, verdicts: Array.dedupe(verdicts.map(({ verdict }) => verdict)) }
  })

/** The source was deleted, so no recovery will arrive. */
const disowned = (source: SignalSource, { fingerprint }: Signal): Verdict => ({
  verdict: "ignored",
  explanation: `The source ${source.name} was deleted.`,
  fingerprint,
  alert: null,
  incident: null
})

/** Triages deliveries one after the other; the same timed events give the same result in any order. */
export const triage = (snapshot: TriageSnapshot) => {
  const at = board(snapshot)
  const verdicts = new Map<DeliveryId, ReadonlyArray<Verdict>>()
  for (const arrival of snapshot.arrivals) {
    const source = at.source(arrival.source)
    if (source === undefined) continue
    const moment = arrival.isReplay ? snapshot.now : arrival.receivedAt
    const past = passed(at, arrival)
    const judged = (signal: Signal): Verdict => {
      const { fingerprint } = signal
      const service = serviceOf(source, snapshot.services, signal.service)
      const before = at.alertOf(source.id, fingerprint)
      const isPast = past.has(fingerprint)
      const judge = signal.status === "firing" ? fire : recover
      const {
        alert,
        explanation: why,
        verdict
      } = judge({ at, signal, source, service, arrival, moment, before, isPast })
      const explanation = guessed(why, signal, source)
      return { verdict, explanation, fingerprint, alert: alert?.id ?? null, incident: alert?.incident ?? null }
    }
    const place = at.recorded()
    const own = arrival.signals.map((signal) => (source.deletedAt === null ? judged(signal) : disowned(source, signal)))
    const all = [...arrival.known, ...own]
    verdicts.set(arrival.id, all)
    at.tellAt(place, received(source, arrival, all))
  }
  return { change: at.outcome(), verdicts }
}
