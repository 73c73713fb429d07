import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Schema } from "effect"
import { Alert, type AlertId } from "../../../domain/oncall/Alert.ts"
import type { Arrival } from "../../../domain/oncall/Delivery.ts"
import type { Incident } from "../../../domain/oncall/Incident.ts"
import { IncidentKey } from "../../../domain/value/IncidentKey.ts"
import { freshId } from "../../../domain/work/Fresh.ts"
import type { JobId } from "../../../domain/work/Job.ts"
import * as Key from "../../../domain/value/Key.ts"
import { Service } from "../../../domain/oncall/Service.ts"
import { SignalSource } from "../../../domain/oncall/SignalSource.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import type { TriageSnapshot } from "../../../domain/oncall/TriageBoard.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import * as PgWorkContext from "./PgWorkContext.ts"
import { Standing } from "./PgIncidentContext.ts"
import * as IncidentRows from "../rows/IncidentRows.ts"
import * as OnCallRows from "../rows/OnCallRows.ts"
import * as Table from "../rows/Table.ts"

/** A limit of one keeps Postgres from reading a whole table for a few rows. */
const one = (table: "alerts" | "incidents", condition: string) => `
  CROSS JOIN LATERAL (SELECT * FROM ${table} x WHERE x.workspace_id = $1 AND ${condition} LIMIT 1)`

const newest = `
  SELECT ${IncidentRows.alert}, a.seq FROM json_to_recordset($2::json) AS k(source uuid, fingerprint text)
  ${one("alerts", "x.source = k.source AND x.fingerprint = k.fingerprint ORDER BY x.seq DESC")} a`

const load = `
  WITH known AS MATERIALIZED (${newest})
  SELECT ${PgWorkContext.now}, ${OnCallRows.allSources} AS sources, ${OnCallRows.allServices} AS services,
    (SELECT coalesce(json_agg(row_to_json(k) ORDER BY k.seq), '[]') FROM known k) AS alerts,
    ${Table.array(
      IncidentRows.standing,
      `(SELECT o.key FROM incidents o WHERE o.workspace_id = $1 AND o.status = 'open'
        UNION SELECT k.incident FROM known k WHERE k.incident IS NOT NULL) n
       ${one("incidents", "x.key = n.key")} i ORDER BY i.seq`
    )} AS incidents,
    ${PgWorkContext.fresh("incidents", "$3")} AS "freshIncidents"`

const Loaded = Schema.Struct({
  now: Timestamp,
  sources: Schema.Array(SignalSource),
  services: Schema.Array(Service),
  alerts: Schema.Array(Alert),
  incidents: Schema.Array(Standing),
  freshIncidents: Schema.Array(IncidentKey)
})
const decodeLoaded = Schema.decodeUnknownSync(Schema.Tuple(Loaded))

/** Reads the snapshot of a triage batch, without the alerts firing elsewhere. */
export const snapshotOf = (workspace: WorkspaceId, arrivals: ReadonlyArray<Arrival>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const signals = arrivals.flatMap(({ signals, source }) =>
      signals.map(({ fingerprint }) => ({ source, fingerprint }))
    )
    const names = new Map(signals.map((signal) => [`${signal.source} ${signal.fingerprint}`, signal]))
    const drawn = yield* Key.drawMany<IncidentKey>("inc", Math.ceil(signals.length * 1.2) + 16)
    const rows = yield* sql.unsafe(load, [workspace, JSON.stringify([...names.values()]), JSON.stringify(drawn)])
    const freshAlerts = signals.map(() => freshId<AlertId>())
    const freshJobs = signals.flatMap(() => [0, 1, 2].map(() => freshId<JobId>()))
    return { ...decodeLoaded(rows)[0], arrivals, freshAlerts, freshJobs } satisfies TriageSnapshot
  })

const loose = `
  SELECT ${Table.array(
    IncidentRows.alert,
    `json_to_recordset($2::json) AS k(service uuid, environment text)
     JOIN alerts a ON a.workspace_id = $1 AND a.status = 'firing' AND a.incident IS NULL AND a.service = k.service
       AND a.environment IS NOT DISTINCT FROM k.environment
     WHERE a.id <> ALL ($3::uuid[]) ORDER BY a.seq`
  )} AS alerts`
const decodeLoose = Schema.decodeUnknownSync(Schema.Tuple(Schema.Struct({ alerts: Schema.Array(Alert) })))

/** Adds the other alerts that fire where incidents open; they may be too many to read when none opens. */
export const withLoose = (workspace: WorkspaceId, snapshot: TriageSnapshot, opened: ReadonlyArray<Incident>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const spots = new Map(
      opened.map(({ environment, service }) => [JSON.stringify([service, environment]), { service, environment }])
    )
    const known = snapshot.alerts.map(({ id }) => id)
    const rows = yield* sql.unsafe(loose, [workspace, JSON.stringify([...spots.values()]), known])
    return { ...snapshot, alerts: [...snapshot.alerts, ...decodeLoose(rows)[0].alerts] }
  })
