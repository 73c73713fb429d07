import { DateTime, Schema } from "effect"
import type { Alert, AlertId } from "../../../domain/oncall/Alert.ts"
import type { Fact } from "../../../domain/workspace/Audit.ts"
import type { Rows } from "../../../domain/Change.ts"
import type { Arrival, DeliveryId, Verdict } from "../../../domain/oncall/Delivery.ts"
import type { Incident } from "../../../domain/oncall/Incident.ts"
import type { JobId } from "../../../domain/work/Job.ts"
import type { IncidentKey } from "../../../domain/value/IncidentKey.ts"
import { OnCallSettings, Service, type ServiceId } from "../../../domain/oncall/Service.ts"
import type { Signal } from "../../../domain/oncall/Signal.ts"
import { SignalSource, type SourceId } from "../../../domain/oncall/SignalSource.ts"
import type { TeamSlug } from "../../../domain/workspace/Team.ts"
import { triage } from "../../../domain/oncall/Triage.ts"

/** A Friday, 12:00 UTC. */
const noon = DateTime.unsafeMake("2026-01-09T12:00:00.000Z")

/** That many minutes after noon. */
export const at = (minute: number): DateTime.Utc => DateTime.add(noon, { millis: Math.round(minute * 60_000) })

const uuid = (kind: number, number: number) =>
  `0000000${kind}-0000-4000-8000-${number.toString(16).padStart(12, "0")}` as string

export const service = (
  number: number,
  name: string,
  settings: typeof OnCallSettings.Encoded = {},
  more: Partial<Service> = {}
): Service =>
  new Service({
    id: uuid(1, number) as ServiceId,
    team: "payments" as TeamSlug,
    name,
    settings: Schema.decodeSync(OnCallSettings)(settings),
    createdAt: noon,
    updatedAt: null,
    deletedAt: null,
    ...more
  })

export const source = (number: number, name: string, services: ReadonlyArray<Service>): SignalSource =>
  new SignalSource({
    id: uuid(2, number) as SourceId,
    name,
    kind: "generic",
    token: number.toString().padStart(32, "0"),
    secrets: [{ sealed: "v1", until: null }],
    services: services.map(({ id }) => id),
    isTimestampRequired: false,
    topic: null,
    disconnectedAt: null,
    credentials: null,
    pausedAt: null,
    createdAt: noon,
    updatedAt: null,
    deletedAt: null
  })

type Said = Partial<Omit<Signal, "at" | "fingerprint" | "status">> & { readonly at?: number }

const signal = (status: Signal["status"], fingerprint: string, { at: minute, ...said }: Said): Signal => ({
  title: `${fingerprint} is wrong`,
  status,
  fingerprint,
  severity: status === "firing" ? "high" : null,
  service: null,
  environment: null,
  description: null,
  startedAt: null,
  endedAt: null,
  labels: {},
  links: [],
  at: minute === undefined ? null : at(minute),
  isReopening: false,
  isAcknowledgement: false,
  isTest: false,
  ...said
})

/** Signals without a time of their own, unless one is given in minutes after noon. */
export const fires = (fingerprint: string, said: Said = {}) => signal("firing", fingerprint, said)
export const recovers = (fingerprint: string, said: Said = {}) => signal("resolved", fingerprint, said)

/** A delivery: the minute of its arrival, and its signals. */
export type Post = readonly [minute: number, ...signals: ReadonlyArray<Signal>]

/** A workspace in memory: its settings, its deliveries, and their results. */
export const scene = (
  setup: { readonly services?: ReadonlyArray<Service>; readonly sources?: ReadonlyArray<SignalSource> } = {}
) => {
  let services = setup.services ?? [service(1, "checkout")]
  let sources = setup.sources ?? [source(1, "grafana", services)]
  const alerts = new Map<AlertId, Alert>()
  const incidents = new Map<IncidentKey, Incident>()
  const audit: Array<Fact> = []
  const posted: Array<Arrival> = []
  const ledger = new Map<DeliveryId, ReadonlyArray<Verdict>>()

  const placeOf = ({ fingerprint, source: id }: Pick<Alert, "fingerprint" | "source">) => `${id} ${fingerprint}`
  const firing = (key: IncidentKey) =>
    [...alerts.values()].filter(({ incident, status }) => incident === key && status === "firing").length

  const write = ({ alerts: some = [], incidents: few = [] }: Rows) => {
    for (const alert of some) alerts.set(alert.id, alert)
    for (const incident of few) incidents.set(incident.key, incident)
  }

  /** Commits one change for all of them, as a store does. */
  const judge = (arrivals: ReadonlyArray<Arrival>, now: DateTime.Utc) => {
    const spoken = new Set(
      arrivals.flatMap((one) => one.signals.map((said) => placeOf({ ...said, source: one.source })))
    )
    const newest = new Map([...alerts.values()].map((alert) => [placeOf(alert), alert]))
    const known = [...newest].flatMap(([place, alert]) =>
      spoken.has(place) || (alert.status === "firing" && alert.incident === null) ? [alert] : []
    )
    const count = arrivals.reduce((sum, { signals }) => sum + signals.length, 0)
    const fresh = Array.from({ length: count }, (_, index) => index + 1)
    const { change, verdicts } = triage({
      now,
      arrivals,
      sources,
      services,
      alerts: known,
      incidents: [...incidents.values()]
        .filter(({ key, status }) => status === "open" || known.some(({ incident }) => incident === key))
        .map((incident) => ({ incident, firing: firing(incident.key) })),
      freshAlerts: fresh.map((number) => uuid(3, alerts.size + number) as AlertId),
      freshJobs: fresh.flatMap((index) => [1, 2, 3].map((more) => uuid(4, 3 * index + more) as JobId)),
      freshIncidents: fresh.map(
        (number) => `inc-${String(incidents.size + number).padStart(4, "0")}` as string as IncidentKey
      )
    })
    write(change.added)
    write(change.changed)
    audit.push(...change.audit)
    for (const [id, verdict] of verdicts) ledger.set(id, verdict)
    for (const { key, status } of incidents.values())
      if ((status === "open") !== firing(key) > 0) throw new Error(`${key} is ${status}, and ${firing(key)} fire`)
  }

  const arrive = ([minute, ...signals]: Post, by: SignalSource): Arrival => {
    const id = uuid(4, posted.length) as DeliveryId
    const arrival = { id, source: by.id, receivedAt: at(minute), isReplay: false, signals, known: [] }
    posted.push(arrival)
    return arrival
  }

  const main = () => sources[0] as SignalSource
  const verdictsOf = ({ id }: Pick<Arrival, "id">) => ledger.get(id) ?? []
  const words = (arrival: Pick<Arrival, "id">) => verdictsOf(arrival).map(({ verdict }) => verdict)

  return {
    /** Triages one delivery, of the first source unless another is named; returns the verdicts. */
    post: (minute: number, ...signals: ReadonlyArray<Signal>) => {
      const arrival = arrive([minute, ...signals], main())
      judge([arrival], at(minute))
      return words(arrival)
    },
    postBy: (by: SignalSource, minute: number, ...signals: ReadonlyArray<Signal>) => {
      const arrival = arrive([minute, ...signals], by)
      judge([arrival], at(minute))
      return words(arrival)
    },
    /** Triages deliveries together; returns the verdicts of each. */
    batch: (...posts: ReadonlyArray<Post>) => {
      const arrivals = posts.map((post) => arrive(post, main()))
      judge(arrivals, at(Math.max(...posts.map(([minute]) => minute))))
      return arrivals.map(words)
    },
    /** Replays the delivery of that number at a minute. */
    replay: (number: number, minute: number) => {
      const arrival = posted[number] as Arrival
      judge([{ ...arrival, isReplay: true }], at(minute))
      return words(arrival)
    },
    /** Stored, but never triaged. */
    setAside: (minute: number, ...signals: ReadonlyArray<Signal>) => void arrive([minute, ...signals], main()),
    setUp: (next: { readonly services?: ReadonlyArray<Service>; readonly sources?: ReadonlyArray<SignalSource> }) => {
      services = next.services ?? services
      sources = next.sources ?? sources
    },
    pause: (minute: number | null) => {
      const pausedAt = minute === null ? null : at(minute)
      sources = [new SignalSource({ ...main(), pausedAt }), ...sources.slice(1)]
    },
    /** Explanations of the last delivery's verdicts. */
    why: () => verdictsOf(posted.at(-1) as Arrival).map(({ explanation }) => explanation),
    alerts: () => [...alerts.values()],
    /** The newest episode of a fingerprint. */
    alert: (fingerprint: string) =>
      [...alerts.values()].findLast((alert) => alert.fingerprint === fingerprint) as Alert,
    incidents: () => [...incidents.values()],
    ledger: () => [...ledger.values()],
    audit
  }
}
export type Scene = ReturnType<typeof scene>
