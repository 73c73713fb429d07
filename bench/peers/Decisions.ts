import type { FastifyInstance } from "fastify"
import type { Role } from "./Access.ts"
import type { Entrance } from "./Entrance.ts"
import { iso } from "./Iso.ts"
import { checkTeam, cut, held, newest } from "./Pages.ts"
import * as Parameters from "./Parameters.ts"
import { notFound } from "./Refusal.ts"
import * as Respond from "./Respond.ts"
import * as Schemas from "./Schemas.ts"
import { statement } from "./Statements.ts"

export interface DecisionRow {
  readonly seq: string
  readonly key: string
  readonly kind: string
  readonly authority: Role
  readonly title: string
  readonly body: string
  readonly status: "pending" | "resolved" | "expired" | "cancelled" | "superseded"
  readonly recommendation: string
  readonly options: ReadonlyArray<{ readonly id: string; readonly label: string; readonly action: string }>
  readonly team: string
  readonly story: string | null
  readonly run_key: string | null
  readonly resolution: { readonly optionId: string; readonly note: string | null } | null
  readonly resolved_via: string | null
  readonly resolved_at: Date | null
  readonly expires_at: Date | null
  readonly created_at: Date
}

export const columns = `
  d.key, d.kind, d.authority, d.title, d.body, d.status, d.recommendation, d.options, d.team, d.story, d.run_key,
  d.resolution, d.resolved_via, d.resolved_at, d.expires_at, d.created_at`

export const view = (row: DecisionRow) => ({
  key: row.key,
  kind: row.kind,
  authority: row.authority,
  title: row.title,
  body: row.body,
  status: row.status,
  recommendation: row.recommendation,
  options: row.options,
  team: row.team,
  story: row.story,
  runKey: row.run_key,
  resolution: row.resolution,
  resolvedVia: row.resolved_via,
  resolvedAt: iso(row.resolved_at),
  expiresAt: iso(row.expires_at),
  createdAt: iso(row.created_at)
})

const table = { name: "decisions", table: "decisions", alias: "d", columns }

const one = statement(
  "decision",
  `SELECT ${columns}, d.seq FROM decisions d WHERE d.workspace_id = $1 AND d.key = $2 AND ${held("d")}`
)

export const filtersOf = (query: Parameters.Query) => ({
  status: Parameters.status(query),
  team: Parameters.team(query),
  run: Parameters.run(query)
})

export const list = (app: FastifyInstance, { access, cursors, sql }: Entrance) =>
  app.get<{ Querystring: Parameters.Query }>(
    "/v1/decisions",
    { onRequest: access("read"), schema: { response: Schemas.decisions } },
    async ({ caller: { workspace_id: workspace }, query }) => {
      const filters = filtersOf(query)
      const { cursor, limit } = Parameters.paging(query)
      const listing = { workspace, list: "decisions", filters }
      const before = cursors.decode(listing, cursor)
      await checkTeam(sql, workspace, filters.team)
      const [statement, values] = newest(
        table,
        filters.team === null ? [held("d")] : [],
        [
          ["workspace_id =", workspace],
          ["status =", filters.status],
          ["team =", filters.team],
          ["run_key =", filters.run],
          ["seq <", before]
        ],
        limit
      )
      const { nextCursor, page } = cut(await sql.query<DecisionRow>(statement, values), limit, listing, cursors)
      return { data: page.map(view), nextCursor }
    }
  )

export const get = (app: FastifyInstance, { access, sql }: Entrance) =>
  app.get<{ Params: { readonly decision: string } }>(
    "/v1/decisions/:decision",
    { onRequest: access("read"), schema: { response: Schemas.decision } },
    async ({ caller, headers, params }, reply) => {
      const key = Parameters.parseKey("decision", params.decision)
      const [row] = key === null ? [] : await sql.query<DecisionRow>(one, [caller.workspace_id, key])
      if (row === undefined) throw notFound("decision")
      return Respond.resource(reply, headers["if-none-match"], reply.serialize(view(row)))
    }
  )
