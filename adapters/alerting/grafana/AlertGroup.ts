import { Effect } from "effect"
import * as Severity from "../../../domain/value/Severity.ts"
import { fingerprintOf } from "../../../domain/oncall/Signal.ts"
import * as PayloadFields from "../PayloadFields.ts"
import { status } from "../AlertStates.ts"

/** One alert of a group. */
export interface Grouped {
  readonly alert: PayloadFields.Fields
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly group: PayloadFields.Fields
}

/** Labels or annotations, best first, in which a tool's users write values that Alertmanager has no field for. */
interface Places {
  readonly severity: ReadonlyArray<string>
  readonly service: ReadonlyArray<string>
  readonly environment: ReadonlyArray<string>
  readonly description: ReadonlyArray<string>
  readonly links: (grouped: Grouped) => Readonly<Record<string, unknown>>
  readonly isTest: (grouped: Grouped) => boolean
  /** Setting that makes the tool send all alerts of a group. */
  readonly unlimited: string
  /** The source's own words for severities. */
  readonly severities: Severity.Words | undefined
}

const words = { firing: "firing", resolved: "resolved" } as const

const signal = (alert: PayloadFields.Fields, group: PayloadFields.Fields, index: number, places: Places) =>
  Effect.gen(function* () {
    const labels = PayloadFields.labels(alert["labels"])
    const annotations = PayloadFields.labels(alert["annotations"])
    const grouped = { alert, labels, annotations, group }
    const named = (names: ReadonlyArray<string>) => PayloadFields.first(...names.map((name) => labels[name]))
    // The group's own status is firing while any of its alerts fires.
    const state = yield* status(`alerts[${index}].status`, alert["status"], words)
    const startedAt = PayloadFields.time(alert["startsAt"])
    const endedAt = state === "resolved" ? PayloadFields.time(alert["endsAt"]) : null
    const everyLabel = Object.entries(labels).map((pair) => pair.join("="))
    return yield* PayloadFields.signal({
      title: PayloadFields.first(annotations["summary"], labels["alertname"], everyLabel.join(", ")),
      status: state,
      fingerprint:
        PayloadFields.text(alert["fingerprint"]) ?? (yield* fingerprintOf(labels["alertname"] ?? "", labels)),
      severity: state === "firing" ? Severity.read(named(places.severity), places.severities) : null,
      service: named(places.service),
      environment: named(places.environment),
      description: PayloadFields.first(...places.description.map((name) => annotations[name])),
      startedAt,
      endedAt,
      labels,
      links: PayloadFields.links(places.links(grouped)),
      at: state === "firing" ? startedAt : endedAt,
      isTest: places.isTest(grouped)
    })
  })

/** Decodes a group as Alertmanager sends it, and Grafana after its model; names the number of alerts it left out. */
export const alertGroup = (group: PayloadFields.Fields, places: Places) => {
  const left = Number(PayloadFields.text(group["truncatedAlerts"]) ?? 0)
  const read = PayloadFields.several(
    PayloadFields.list(group["alerts"]).map((alert, index) => signal(PayloadFields.fields(alert), group, index, places))
  )
  if (!(left > 0)) return read
  const ignored = `${left} more alerts of this group were not sent (truncatedAlerts); ${places.unlimited}`
  return Effect.map(read, (decoded) => ({ ...decoded, ignored }))
}
