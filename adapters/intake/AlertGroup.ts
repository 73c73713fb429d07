import { Effect } from "effect"
import * as Severity from "../../domain/Severity.ts"
import { fingerprintOf } from "../../domain/Signal.ts"
import * as Reading from "./Reading.ts"
import { status } from "./States.ts"

/** One alert of a group. */
export interface Grouped {
  readonly alert: Reading.Fields
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly group: Reading.Fields
}

/** Where a tool's users write what Alertmanager has no field for: names of labels or annotations, best first. */
interface Places {
  readonly severity: ReadonlyArray<string>
  readonly service: ReadonlyArray<string>
  readonly environment: ReadonlyArray<string>
  readonly description: ReadonlyArray<string>
  readonly links: (grouped: Grouped) => Readonly<Record<string, unknown>>
  readonly isTest: (grouped: Grouped) => boolean
  /** What lets the tool send all alerts of a group. */
  readonly unlimited: string
  /** The source's own words. */
  readonly severities: Severity.Words | undefined
}

const words = { firing: "firing", resolved: "resolved" } as const

const signal = (alert: Reading.Fields, group: Reading.Fields, index: number, places: Places) =>
  Effect.gen(function* () {
    const labels = Reading.labels(alert["labels"])
    const annotations = Reading.labels(alert["annotations"])
    const grouped = { alert, labels, annotations, group }
    const named = (names: ReadonlyArray<string>) => Reading.first(...names.map((name) => labels[name]))
    // The group's own status is firing while any one of its alerts is.
    const state = yield* status(`alerts[${index}].status`, alert["status"], words)
    const startedAt = Reading.time(alert["startsAt"])
    const endedAt = state === "resolved" ? Reading.time(alert["endsAt"]) : null
    const everyLabel = Object.entries(labels).map((pair) => pair.join("="))
    return yield* Reading.signal({
      title: Reading.first(annotations["summary"], labels["alertname"], everyLabel.join(", ")),
      status: state,
      fingerprint: Reading.text(alert["fingerprint"]) ?? (yield* fingerprintOf(labels["alertname"] ?? "", labels)),
      severity: state === "firing" ? Severity.read(named(places.severity), places.severities) : null,
      service: named(places.service),
      environment: named(places.environment),
      description: Reading.first(...places.description.map((name) => annotations[name])),
      startedAt,
      endedAt,
      labels,
      links: Reading.links(places.links(grouped)),
      at: state === "firing" ? startedAt : endedAt,
      isTest: places.isTest(grouped)
    })
  })

/** The alerts of a group as Alertmanager sends them, and Grafana after its model; those it left out are told of. */
export const alertGroup = (group: Reading.Fields, places: Places) => {
  const left = Number(Reading.text(group["truncatedAlerts"]) ?? 0)
  const read = Reading.several(
    Reading.list(group["alerts"]).map((alert, index) => signal(Reading.fields(alert), group, index, places))
  )
  if (!(left > 0)) return read
  const ignored = `${left} more alerts of this group were not sent (truncatedAlerts); ${places.unlimited}`
  return Effect.map(read, (decoded) => ({ ...decoded, ignored }))
}
