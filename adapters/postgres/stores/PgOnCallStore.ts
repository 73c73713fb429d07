import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Schema } from "effect"
import * as Json from "../../../application/ports/Json.ts"
import { OnCallStore } from "../../../application/ports/OnCallStore.ts"
import { Alert, type AlertView, staleHours } from "../../../domain/oncall/Alert.ts"
import { freshId } from "../../../domain/work/Fresh.ts"
import type { JobId } from "../../../domain/work/Job.ts"
import { Place } from "../../../domain/oncall/Place.ts"
import { Service } from "../../../domain/oncall/Service.ts"
import { SignalSource, SourceId } from "../../../domain/oncall/SignalSource.ts"
import { TeamSlug } from "../../../domain/workspace/Team.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import { conclude, evidence, follow, members, Standing, Recipient } from "../context/PgIncidentContext.ts"
import * as PgWorkContext from "../context/PgWorkContext.ts"
import { lock } from "../context/OnCallLock.ts"
import * as IncidentReads from "../reads/IncidentReads.ts"
import * as IncidentRows from "../rows/IncidentRows.ts"
import * as OnCallRows from "../rows/OnCallRows.ts"
import * as Table from "../rows/Table.ts"
import { orDie } from "../connection/Transactions.ts"

const OnCall = Schema.Struct({
  now: Timestamp,
  teams: Schema.Array(TeamSlug),
  members: Schema.Array(Recipient),
  services: Schema.Array(Service),
  sources: Schema.Array(SignalSource),
  places: Schema.Array(Place)
})
const decodeOnCall = Schema.decodeUnknownSync(Schema.Tuple(OnCall))
const decodeSources = Schema.decodeUnknownSync(Schema.Tuple(OnCall.pick("now", "sources")))

const look = `
  ${PgWorkContext.now},
  ARRAY(SELECT t.slug FROM teams t WHERE t.workspace_id = $1 AND t.deleted_at IS NULL ORDER BY t.slug) AS teams,
  ${members} AS members,
  ${OnCallRows.allServices} AS services, ${OnCallRows.allSources} AS sources,
  ${Table.array(
    OnCallRows.place,
    `places p WHERE p.workspace_id = $1 AND p.removed_at IS NULL AND ${Table.held("p")}
    ORDER BY p.team, p.name`
  )} AS places`

const OnCallContext = Schema.Struct({
  ...OnCall.fields,
  incidents: Schema.Array(Standing),
  firing: Schema.Array(Alert)
})
const decodeContext = Schema.decodeUnknownSync(Schema.Array(OnCallContext))

const load = `
  SELECT ${look},
    ${Table.array(IncidentRows.standing, "incidents i WHERE i.workspace_id = $1 AND (i.status = 'open' OR i.key = $2) ORDER BY i.seq")}
      AS incidents,
    ${Table.array(
      IncidentRows.alert,
      `alerts a WHERE a.workspace_id = $1 AND a.status = 'firing' AND (a.incident = $2
        OR a.service IN (SELECT v.id FROM services v WHERE v.workspace_id = $1 AND lower(v.name) = lower($3))
        OR a.source IN (SELECT s.id FROM signal_sources s WHERE s.workspace_id = $1 AND lower(s.name) = lower($4)))
      ORDER BY a.seq`
    )} AS firing`

const alerts = `
  SELECT ${Table.object(IncidentRows.alertView(staleHours))} AS json
  FROM alerts a JOIN signal_sources s ON s.workspace_id = a.workspace_id AND s.id = a.source
    LEFT JOIN services v ON v.workspace_id = a.workspace_id AND v.id = a.service
  WHERE a.workspace_id = $1 AND a.count > 0 AND a.incident = $2 ORDER BY a.seq DESC`

const Refused = Schema.Struct({ source: SourceId, count: Schema.Int, lastAt: Timestamp, last: Schema.String })
const decodeRefusals = Schema.decodeUnknownSync(Schema.Array(Refused))

export const layer = Layer.effect(
  OnCallStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const runtime = yield* Effect.runtime()
    return OnCallStore.of({
      look: (workspace) =>
        Effect.map(orDie(sql.unsafe(`SELECT ${look}`, [workspace])), (rows) => decodeOnCall(rows)[0]),
      sources: (workspace) =>
        Effect.map(
          orDie(sql.unsafe(`SELECT ${PgWorkContext.now}, ${OnCallRows.allSources} AS sources`, [workspace])),
          (rows) => decodeSources(rows)[0]
        ),
      refusals: (workspace) =>
        Effect.map(
          orDie(
            sql.unsafe(
              `SELECT r.source_id AS source, r.count::int AS count, iso8601(r.last_at) AS "lastAt", r.last
               FROM source_refusals r WHERE r.workspace_id = $1`,
              [workspace]
            )
          ),
          (rows) => new Map(decodeRefusals(rows).map(({ source, ...rest }) => [source, rest]))
        ),
      ...IncidentReads.make(sql, runtime),
      alerts: (workspace, incident) =>
        Effect.map(orDie(sql.unsafe<{ readonly json: string }>(alerts, [workspace, incident])), (rows) =>
          rows.map((row) => Json.trust<AlertView>(row.json))
        ),
      change: (workspace, { incident = "", service = "", source = "" }, decide) =>
        PgWorkContext.change(
          workspace,
          {
            lock: `SELECT ${lock("$1::text")} WHERE $2::text IS NOT NULL`,
            load,
            parameters: [incident, service, source]
          },
          decodeContext,
          (): never => {
            throw new Error("the look always finds something")
          },
          (at) => decide({ ...at, freshJobs: at.incidents.map(() => freshId<JobId>()) })
        ).pipe(Effect.provideService(SqlClient.SqlClient, sql)),
      follow: follow(sql),
      evidence: evidence(sql),
      conclude: conclude(sql)
    })
  })
)
