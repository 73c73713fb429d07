import { alertsOf, incidentsOf } from "../../support/OnCall.ts"
import * as SqlClient from "@effect/sql/SqlClient"
import { Duration, Effect, Option, TestClock } from "effect"
import * as TriageWorker from "../../../application/jobs/TriageWorker.ts"
import * as Json from "../../../application/ports/Json.ts"
import { AuditLog } from "../../../application/ports/AuditLog.ts"
import { OnCallStore } from "../../../application/ports/OnCallStore.ts"
import { type Received, SignalStore } from "../../../application/ports/SignalStore.ts"
import { sourceChanged } from "../../../domain/oncall/commands/ChangeSource.ts"
import { bySystem } from "../../../domain/workspace/Actor.ts"
import { AlertView } from "../../../domain/oncall/Alert.ts"
import { RecordedEntry } from "../../../domain/workspace/Audit.ts"
import { answered } from "../../../domain/Change.ts"
import { DeliveryId, DeliveryView } from "../../../domain/oncall/Delivery.ts"
import { IncidentView } from "../../../domain/oncall/Incident.ts"
import type { IncidentKey } from "../../../domain/value/IncidentKey.ts"
import type { Signal } from "../../../domain/oncall/Signal.ts"
import { SignalSource, SourceId } from "../../../domain/oncall/SignalSource.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import * as People from "../../support/People.ts"
import * as Seed from "../../support/Seed.ts"

const document = {
  teams: [
    { slug: "payments", name: "Payments", keyPrefix: "PAY" },
    { slug: "web", name: "Web shop", keyPrefix: "WEB" }
  ],
  services: [
    { team: "payments", name: "checkout" },
    { team: "web", name: "search" }
  ]
}

/** A source of the workspace that feeds these services. */
export const connect = (
  workspace: WorkspaceId,
  name: string,
  services: ReadonlyArray<string>,
  more: Partial<Pick<SignalSource, "kind" | "check">> = {}
) =>
  Effect.flatMap(OnCallStore, (store) =>
    store.change(workspace, {}, (at) => {
      const source = new SignalSource({
        id: SourceId.make(crypto.randomUUID()),
        name,
        kind: "generic",
        token: crypto.randomUUID().replaceAll("-", ""),
        secrets: [{ sealed: "v1", until: null }],
        services: at.services.filter((service) => services.includes(service.name)).map(({ id }) => id),
        isTimestampRequired: false,
        topic: null,
        disconnectedAt: null,
        credentials: null,
        pausedAt: null,
        createdAt: at.now,
        updatedAt: null,
        deletedAt: null,
        ...more
      })
      return answered(sourceChanged(bySystem, null, source), source)
    })
  )

/** A workspace with two teams, a service of each, and a source that feeds checkout; no delivery waits anywhere. */
export const place = Effect.gen(function* () {
  yield* TriageWorker.drain()
  const { id, slug } = yield* Seed.workspace
  yield* Seed.load(slug, document)
  const owner = yield* People.person(slug)
  return { id, slug, owner, source: yield* connect(id, "grafana", ["checkout"]) }
})
export type Place = Effect.Effect.Success<typeof place>

export const newId = () => DeliveryId.make(crypto.randomUUID())

/** Posts a delivery with these signals and returns its id. */
export const send = (
  { id: workspace, source }: Pick<Place, "id" | "source">,
  signals: ReadonlyArray<Signal>,
  more: Partial<Received> = {}
) =>
  Effect.gen(function* () {
    const id = newId()
    const kept = { workspace, source: source.id, id, name: null, signals, known: [], body: "{}", ...more }
    yield* (yield* SignalStore).receive(kept)
    return id
  })

/** Posts a delivery and triages it. */
export const tell = (at: Place, ...signals: ReadonlyArray<Signal>) =>
  Effect.tap(send(at, signals), TriageWorker.drain())

/** Newest first. */
export const ledger = ({ id, source }: Pick<Place, "id" | "source">, most = 1000) =>
  Effect.map(
    Effect.flatMap(SignalStore, (store) => store.ledger(id, source.id, { limit: most, before: null })),
    ({ items }) => Json.each(items).map(Json.decoder(DeliveryView))
  )

/** The verdicts of each delivery in one word. */
export const words = (deliveries: ReadonlyArray<DeliveryView>) =>
  deliveries.map(({ verdicts }) => verdicts.map(({ verdict }) => verdict).join())

export const alerts = ({ id }: Pick<Place, "id">, incident: IncidentKey | null = null) =>
  Effect.map(
    incident === null ? alertsOf(id) : Effect.flatMap(OnCallStore, (store) => store.alerts(id, incident)),
    (all) => all.map(Json.decoder(AlertView))
  )

export const incidents = ({ id }: Pick<Place, "id">) =>
  Effect.map(incidentsOf(id), (all) => all.map(Json.decoder(IncidentView)))

/** Oldest first. */
export const entries = ({ id }: Pick<Place, "id">) =>
  Effect.map(
    Effect.flatMap(AuditLog, (log) => log.page(id, Seed.anyEntry, { limit: 10_000, before: null })),
    ({ items }) => Json.each(items).map(Json.decoder(RecordedEntry)).toReversed()
  )

export const events = (at: Pick<Place, "id">) => Effect.map(entries(at), (all) => all.map(({ event }) => event))

/** Ages columns such as `alerts.last_seen_at` by hours; in memory, everything. */
export const ageing =
  (...columns: ReadonlyArray<string>) =>
  (hours: number) =>
    Effect.flatMap(
      Effect.serviceOption(SqlClient.SqlClient),
      Option.match({
        onNone: () => TestClock.adjust(Duration.hours(hours)),
        onSome: (sql) =>
          Effect.forEach(columns, (path) => {
            const [table, column] = path.split(".")
            return Effect.orDie(sql.unsafe(`UPDATE ${table} SET ${column} = ${column} - interval '${hours} hours'`))
          })
      })
    )

/** Ages stored deliveries and alerts by hours. */
export const age = ageing("delivery_names.seen_at", "deliveries.received_at", "alerts.last_seen_at")
