import { randomUUID } from "node:crypto"
import type { FastifyInstance, FastifyRequest } from "fastify"
import * as AuditLog from "./AuditLog.ts"
import { csv } from "./Csv.ts"
import type { Entrance } from "../Entrance.ts"
import { iso } from "../Iso.ts"
import { checkTeam, cut, newest } from "../Pages.ts"
import * as Parameters from "../Parameters.ts"
import { Refusal } from "../Refusal.ts"
import * as Respond from "../Respond.ts"
import * as Schemas from "../Schemas.ts"
import type { Database } from "../Statements.ts"

interface EntryRow {
  readonly seq: string
  readonly id: string
  readonly timestamp: Date
  readonly actor_type: string
  readonly actor_name: string
  readonly actor_user_id: string | null
  readonly team: string | null
  readonly run_key: string | null
  readonly event: string
  readonly result: string
  readonly entity_type: string
  readonly entity_id: string
  readonly entity_name: string
  readonly details: object
}

const table = {
  name: "audit",
  table: "audit_entries",
  alias: "e",
  columns: `e.id, e."timestamp", e.actor_type, e.actor_name, e.actor_user_id, e.team, e.run_key, e.event, e.result,
    e.entity_type, e.entity_id, e.entity_name, e.details`
}

const view = (row: EntryRow) => ({
  id: row.id,
  timestamp: iso(row.timestamp),
  actor: { type: row.actor_type, name: row.actor_name, userId: row.actor_user_id },
  team: row.team,
  runKey: row.run_key,
  event: row.event,
  result: row.result,
  entity: { type: row.entity_type, id: row.entity_id, name: row.entity_name },
  details: row.details
})
export type Entry = ReturnType<typeof view>

const filtersOf = (query: Parameters.Query) => ({
  team: Parameters.team(query),
  actor: Parameters.actor(query),
  event: Parameters.event(query),
  run: Parameters.run(query),
  ...Parameters.range(query)
})
type Filters = ReturnType<typeof filtersOf>

const rowsOf = async (sql: Database, workspace: string, filters: Filters, before: string | null, limit: number) => {
  const { actor, event, from, run, team, to } = filters
  await checkTeam(sql, workspace, team, true)
  const [statement, values] = newest(
    table,
    [],
    [
      ["workspace_id =", workspace],
      ["team =", team],
      ["actor_type =", actor],
      ["event =", event],
      ["run_key =", run],
      ['"timestamp" >=', from],
      ['"timestamp" <=', to],
      ["seq <", before]
    ],
    limit
  )
  return sql.query<EntryRow>(statement, values)
}

/** Only owners and admins may read; a denial is recorded. */
const permit = async (sql: Database, { caller, id }: FastifyRequest, operation: string) => {
  if (caller.role !== "member") return
  const denied = AuditLog.denial(caller, id, operation)
  await sql.transaction((inside) => AuditLog.append(inside, caller.workspace_id, caller.now, [denied]))
  throw new Refusal(403, "admin_required", "Only owners and admins of the workspace may do this.")
}

export const list = (app: FastifyInstance, { access, cursors, sql }: Entrance) =>
  app.get<{ Querystring: Parameters.Query }>(
    "/v1/audit",
    { onRequest: access("read"), schema: { response: Schemas.entries } },
    async (request) => {
      await permit(sql, request, "audit read")
      const { workspace_id: workspace } = request.caller
      const filters = filtersOf(request.query)
      const { cursor, limit } = Parameters.paging(request.query)
      const shown = { ...filters, from: iso(filters.from), to: iso(filters.to) }
      const listing = { workspace, list: "audit", filters: shown }
      const rows = await rowsOf(sql, workspace, filters, cursors.decode(listing, cursor), limit)
      const { nextCursor, page } = cut(rows, limit, listing, cursors)
      return { data: page.map(view), nextCursor }
    }
  )

const exportLimit = 5000

export const exportFile = (app: FastifyInstance, { access, sql }: Entrance) =>
  app.get<{ Querystring: Parameters.Query }>(
    "/v1/audit/export",
    { onRequest: access("read"), schema: { response: Schemas.entryFile } },
    async (request, reply) => {
      await permit(sql, request, "audit export")
      const { caller, id: requestId, query } = request
      const filters = filtersOf(query)
      const format = Parameters.format(query)
      const rows = await rowsOf(sql, caller.workspace_id, filters, null, exportLimit)
      const entries = rows.slice(0, exportLimit).map(view)
      const { from, to, ...others } = filters
      const name = `audit-${caller.slug}-${iso(from)?.slice(0, 10) ?? "start"}-${iso(to ?? caller.now).slice(0, 10)}.${format}`
      const details = {
        format,
        from: iso(from),
        to: iso(to),
        filters: Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null)),
        count: entries.length,
        truncated: rows.length > exportLimit
      }
      const entity = { type: "audit_export", id: randomUUID(), name }
      const fact = AuditLog.byCaller(caller, requestId, { event: "audit_exported", entity }, details)
      await sql.transaction((inside) => AuditLog.append(inside, caller.workspace_id, caller.now, [fact]))
      reply.header("content-disposition", `attachment; filename="${name}"`)
      reply.header("x-service-export-count", String(details.count))
      if (details.truncated) reply.header("x-service-export-truncated", "true")
      if (format === "json") return Respond.json(reply, String(reply.serialize(entries)))
      return reply.header("content-type", "text/csv; charset=utf-8").send(csv(entries))
    }
  )
