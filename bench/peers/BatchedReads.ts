import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { decisionView } from "../../adapters/postgres/rows/DecisionRows.ts"
import { runView } from "../../adapters/postgres/rows/RunRows.ts"
import { array, held, object } from "../../adapters/postgres/rows/Table.ts"
import { teamView } from "../../adapters/postgres/rows/TeamRows.ts"
import { batched } from "./Batched.ts"
import { filtersOf } from "./Decisions.ts"
import type { Entrance } from "./Entrance.ts"
import * as Parameters from "./Parameters.ts"
import { notFound } from "./Refusal.ts"
import * as Respond from "./Respond.ts"

/** The database builds the JSON, which is sent unchanged. */

export const teams = (app: FastifyInstance, { sql, use }: Entrance) => {
  const from = `
    teams t LEFT JOIN policies p ON p.workspace_id = t.workspace_id AND p.team = t.slug
    WHERE t.workspace_id = a.workspace_id AND t.deleted_at IS NULL AND a.may
    ORDER BY lower(t.name COLLATE "C") COLLATE "C", t.slug COLLATE "C"`
  const read = batched<{ readonly json: string }>(sql, use, {
    name: "batched_teams",
    typed: "",
    read: `SELECT ${array(teamView, from)}::text AS json`
  })
  app.get("/v1/teams", async (request, reply) => {
    const { json } = await read(request, reply, {})
    return Respond.json(reply, `{"data":${json},"nextCursor":null}`)
  })
}

export const run = (app: FastifyInstance, { sql, use }: Entrance) => {
  const read = batched<{ readonly json: string | null }, { readonly key: string | null }>(sql, use, {
    name: "batched_run",
    typed: ", key text",
    read: `
      SELECT ${object(runView)} AS json FROM runs r JOIN stories s ON s.workspace_id = r.workspace_id AND s.key = r.story
      WHERE r.workspace_id = a.workspace_id AND r.key = a.key AND a.may AND ${held("r")}`
  })
  app.get<{ Params: { readonly run: string } }>("/v1/runs/:run", async (request, reply) => {
    const { json } = await read(request, reply, { key: Parameters.parseKey("run", request.params.run) })
    if (json === null) throw notFound("run")
    return Respond.resource(reply, request.headers["if-none-match"], json)
  })
}

interface Page {
  readonly items: string | null
  readonly count: number
  readonly last: string | null
  readonly is_team_here: boolean
}

const filters = ["team", "status", "run", "before"] as const
type Given = Readonly<Record<(typeof filters)[number], string | null>> & { readonly size: number }

/** One statement for each set of filters, so that each can be planned for its index. */
const pageOf = (which: string) => {
  const isGiven = (name: (typeof filters)[number]) => which.split("_").includes(name)
  const conditions = [
    "d.workspace_id = a.workspace_id AND a.may",
    isGiven("team") ? "d.team = a.team" : held("d"),
    ...(isGiven("status") ? ["d.status = a.status"] : []),
    ...(isGiven("run") ? ["d.run_key = a.run"] : []),
    ...(isGiven("before") ? ["d.seq < a.before"] : [])
  ]
  const teamHere = `
    EXISTS (SELECT FROM teams t WHERE t.workspace_id = a.workspace_id AND t.slug = a.team AND t.deleted_at IS NULL)`
  return {
    name: `batched_decisions_${which}`,
    typed: ", status text, team text, run text, before bigint, size integer",
    read: `
      SELECT string_agg(p.json, ',' ORDER BY p.seq DESC) FILTER (WHERE p.place <= a.size) AS items,
        count(*)::int AS count, min(p.seq) FILTER (WHERE p.place <= a.size) AS last,
        ${isGiven("team") ? teamHere : "true"} AS is_team_here
      FROM (
        SELECT d.seq, ${object(decisionView)} AS json, row_number() OVER (ORDER BY d.seq DESC) AS place
        FROM decisions d WHERE ${conditions.join(" AND ")} ORDER BY d.seq DESC LIMIT a.size + 1) p`
  }
}

export const decisions = (app: FastifyInstance, { access, cursors, sql, use }: Entrance) => {
  const enter = access("read")
  const readers = new Map<string, ReturnType<typeof batched<Page, Given>>>()
  const readerOf = (given: Given) => {
    const which = filters.filter((name) => given[name] !== null).join("_")
    const reader = readers.get(which) ?? batched<Page, Given>(sql, use, pageOf(which))
    readers.set(which, reader)
    return reader
  }

  /** A caller must be authenticated before it gets an error about its query. */
  const askedOf = async (request: FastifyRequest, reply: FastifyReply) => {
    const query = request.query as Parameters.Query
    try {
      return { filters: filtersOf(query), ...Parameters.paging(query) }
    } catch (error) {
      await enter(request, reply)
      throw error
    }
  }

  app.get("/v1/decisions", async (request, reply) => {
    const { cursor, filters, limit } = await askedOf(request, reply)
    // The owner of a cursor is known only with the answer; until then the cursor is trusted.
    const opened = cursor === null ? null : cursors.open(cursor)
    const given = { ...filters, before: opened?.seq ?? null, size: limit }
    const { count, is_team_here, items, last, workspace_id } = await readerOf(given)(request, reply, given)
    const listing = { workspace: workspace_id, list: "decisions", filters }
    opened?.check(listing)
    if (!is_team_here) throw notFound("team")
    const nextCursor = count > limit && last !== null ? cursors.encode(listing, last) : null
    return Respond.json(reply, `{"data":[${items ?? ""}],"nextCursor":${JSON.stringify(nextCursor)}}`)
  })
}
