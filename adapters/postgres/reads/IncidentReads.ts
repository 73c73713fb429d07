import type * as SqlClient from "@effect/sql/SqlClient"
import { Effect, type Runtime } from "effect"
import type { OnCallStore } from "../../../application/ports/OnCallStore.ts"
import { type AlertView, staleHours } from "../../../domain/oncall/Alert.ts"
import {
  type IncidentHistory,
  IncidentNotFound,
  type IncidentView,
  longestHistory
} from "../../../domain/oncall/Incident.ts"
import type { IncidentKey } from "../../../domain/value/IncidentKey.ts"
import { formatOrNull } from "../../../domain/value/Timestamp.ts"
import * as Json from "../../../application/ports/Json.ts"
import { orDie } from "../connection/Transactions.ts"
import * as AuditRows from "../rows/AuditRows.ts"
import * as IncidentRows from "../rows/IncidentRows.ts"
import * as Table from "../rows/Table.ts"
import { one, page } from "./PageReads.ts"

const incidents = `
  incidents i CROSS JOIN LATERAL (
    SELECT (SELECT x.name FROM services x WHERE x.workspace_id = i.workspace_id AND x.id = i.service) AS name) v`

const alerts = `
  alerts a JOIN signal_sources s ON s.workspace_id = a.workspace_id AND s.id = a.source
  LEFT JOIN services v ON v.workspace_id = a.workspace_id AND v.id = a.service`

// Triage takes turns in a workspace, so incidents are numbered in the order they open.
const firstSince = `
  SELECT x.seq FROM incidents x WHERE x.workspace_id = q.workspace AND x.opened_at >= q.since::timestamptz
  ORDER BY x.opened_at, x.seq LIMIT 1`

const lastOf = (alias: string) => `ORDER BY ${alias}.seq DESC LIMIT ${longestHistory}`

const recipient = `
  CASE j.kind WHEN 'post_to_place' THEN j.payload->>'place'
    WHEN 'notify_member' THEN (
      SELECT m.name FROM members m WHERE m.workspace_id = j.workspace_id AND m.id = (j.payload->>'member')::uuid)
    ELSE (
      SELECT s.name FROM signal_sources s WHERE s.workspace_id = j.workspace_id AND s.id = (j.payload->>'source')::uuid)
  END AS "to"`

const historyFields = `
  ${Table.array(
    AuditRows.auditEntry,
    `audit_entries e WHERE e.workspace_id = $1 AND e.entity_type = 'incident' AND e.entity_id = $2 ${lastOf("e")}`
  )} AS entries,
  ${Table.array(
    `n.member, m.name, n.event, ${Table.at("n.created_at", "createdAt")}, ${Table.at("n.read_at", "readAt")}`,
    `notifications n JOIN members m ON m.workspace_id = n.workspace_id AND m.id = n.member
    WHERE n.workspace_id = $1 AND n.incident = $2 ${lastOf("n")}`
  )} AS notified,
  ${Table.array(
    `j.kind, ${recipient}, coalesce(j.payload->'notice'->>'event', j.payload->>'to') AS event, j.status, j.tries, j.error,
    ${Table.at("j.created_at", "createdAt")}, ${Table.at("j.updated_at", "updatedAt")}`,
    `jobs j WHERE j.workspace_id = $1 AND j.payload->>'incident' = $2
      AND j.kind IN ('notify_member', 'post_to_place', 'update_source') ${lastOf("j")}`
  )} AS sent`

const history = `SELECT ${Table.object(historyFields)} AS json`

/** Lists of incidents and alerts, which also keep those of deleted teams, services and sources. */
export const make = (
  sql: SqlClient.SqlClient,
  runtime: Runtime.Runtime<never>
): Pick<typeof OnCallStore.Service, "incident" | "history" | "incidentPage" | "alertPage"> => {
  const incidentPage = page<IncidentView>(sql, runtime, {
    from: incidents,
    alias: "i",
    json: Table.object(IncidentRows.incidentView),
    ofDeletedTeams: true,
    filters: {
      status: "i.status = q.status",
      service: `i.service = (
        SELECT x.id FROM services x WHERE x.workspace_id = q.workspace AND lower(x.name) = lower(q.service))`,
      since: `i.seq >= (${firstSince})`
    }
  })
  const alertPage = page<AlertView>(sql, runtime, {
    from: alerts,
    alias: "a",
    json: Table.object(IncidentRows.alertView(staleHours)),
    ofDeletedTeams: true,
    always: "a.count > 0",
    filters: {
      incident: "a.incident = q.incident",
      source: `a.source = (
        SELECT x.id FROM signal_sources x WHERE x.workspace_id = q.workspace AND lower(x.name) = lower(q.source))`,
      status: "a.status = q.status"
    }
  })
  return {
    incident: one<IncidentView, IncidentKey, IncidentNotFound>(
      sql,
      runtime,
      {
        json: Table.object(IncidentRows.incidentView),
        from: `${incidents} WHERE i.workspace_id = q.workspace AND i.key = q.key`
      },
      (incident) => new IncidentNotFound({ incident })
    ),
    history: (workspace, key) =>
      Effect.map(orDie(sql.unsafe<{ readonly json: string }>(history, [workspace, key])), ([row]) =>
        Json.trust<IncidentHistory>(row?.json ?? "")
      ),
    // Without a team filter no team can be missing.
    incidentPage: (workspace, { service, since, status }, request) =>
      Effect.orDie(incidentPage(workspace, null, { status, service, since: formatOrNull(since) }, request)),
    alertPage: (workspace, { incident, source, status }, request) =>
      Effect.orDie(alertPage(workspace, null, { incident, source, status }, request))
  }
}
