import { Effect, Schedule, Schema } from "effect"
import type { DeliveryId } from "../../domain/oncall/Delivery.ts"
import { IncidentView } from "../../domain/oncall/Incident.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import * as TriageWorker from "../jobs/TriageWorker.ts"
import { AlertTools } from "../ports/AlertTools.ts"
import * as Json from "../ports/Json.ts"
import { OnCallStore } from "../ports/OnCallStore.ts"
import { SignalStore } from "../ports/SignalStore.ts"
import type { Person } from "../workspace/Authorization.ts"
import * as Incidents from "./Incidents.ts"
import * as Sources from "./Sources.ts"

const decode = Json.decoder(Schema.Array(IncidentView))

const late = {
  title: "Search results are 40 minutes old",
  fingerprint: "late",
  severity: "high",
  environment: "production",
  description: "Nothing was written to the index for 40 minutes; usually it is every 5 minutes."
}
const slow = {
  title: "Searches take over 2 seconds",
  fingerprint: "slow",
  severity: "critical",
  environment: "production",
  description: "95 of 100 searches took 0.3 seconds an hour ago; now they take 2.4.",
  labels: { region: "eu-central-1" },
  links: [{ label: "Dashboard", url: "https://grafana.example.com/d/search" }]
}
const retries = { ...slow, title: "Retries of the index double", fingerprint: "retries", severity: "medium" }
const disk = { ...slow, title: "Disk of a replica is 81 % full", fingerprint: "disk", severity: "low" }

/** Alerts of a night on call: an incident that is over and one that is open, with what people did about them. */
export const drive = Effect.fn("DemoIncidents.drive")(function* (
  { admin, member, owner }: Readonly<Record<"owner" | "admin" | "member", Person>>,
  service: string
) {
  const { workspace } = owner
  const { source } = yield* Sources.create(owner, {
    name: "monitoring",
    kind: "generic",
    services: [service],
    secret: null,
    isTimestampRequired: false
  })

  const send = Effect.fnUntraced(function* (alert: object) {
    const json = { ...alert, service }
    const { signals } = yield* (yield* AlertTools).generic.decode({ headers: {}, json })
    const id = (yield* Uuid.make) as DeliveryId
    const body = JSON.stringify(json)
    yield* (yield* SignalStore).receive({ workspace, source: source.id, id, name: null, signals, known: [], body })
    yield* TriageWorker.drain()
  })

  /** The open incident; another process may be triaging the alert. */
  const opened = Effect.gen(function* () {
    const filter = { status: "open", service, since: null } as const
    const { items } = yield* (yield* OnCallStore).incidentPage(workspace, filter, { limit: 1, before: null })
    return yield* Effect.fromNullable(decode(items)[0])
  }).pipe(Effect.retry(Schedule.intersect(Schedule.spaced("100 millis"), Schedule.recurs(100))))

  yield* send(late)
  const over = yield* opened
  yield* Incidents.acknowledge(member, over.key)
  yield* Incidents.note(member, over.key, "The job that writes the index hung on a lock. I restarted it.")
  yield* send({ ...late, status: "resolved" })
  yield* Effect.ignore(Incidents.resolve(member, over.key))

  yield* send(slow)
  const open = yield* opened
  for (const alert of [retries, disk]) yield* send(alert)
  yield* Incidents.acknowledge(admin, open.key)
  yield* Incidents.note(admin, open.key, "It began with the new ranking. I compare the plans of its queries.")
  return 2
})
