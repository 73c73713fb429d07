import type { FastifyInstance } from "fastify"
import type { Entrance } from "./Entrance.ts"
import { iso } from "./Iso.ts"
import * as Schemas from "./Schemas.ts"
import { statement } from "./Statements.ts"

interface TeamRow {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly description: string | null
  readonly key_prefix: string
  readonly paused_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date | null
  readonly preset: string | null
  readonly custom: boolean
  readonly version: number
  readonly executor: string
  readonly max_concurrency: number
  readonly run_cents: number | null
  readonly day_cents: number | null
  readonly month_cents: number | null
  readonly plan_approval: string
  readonly merge_policy: string
  readonly policy_updated_at: Date
}

const all = statement(
  "teams",
  `SELECT t.id, t.slug, t.name, t.description, t.key_prefix, t.paused_at, t.created_at, t.updated_at, p.preset, p.custom,
     p.version, p.executor, p.max_concurrency, p.run_cents, p.day_cents, p.month_cents, p.plan_approval,
     p.merge_policy, p.updated_at AS policy_updated_at
   FROM teams t LEFT JOIN policies p ON p.workspace_id = t.workspace_id AND p.team = t.slug
   WHERE t.workspace_id = $1 AND t.deleted_at IS NULL
   ORDER BY lower(t.name COLLATE "C") COLLATE "C", t.slug COLLATE "C"`
)

const policy = (row: TeamRow) => ({
  preset: row.preset,
  custom: row.custom,
  version: row.version,
  executor: row.executor,
  maxConcurrency: row.max_concurrency,
  budgets: { runCents: row.run_cents, dayCents: row.day_cents, monthCents: row.month_cents },
  planApproval: row.plan_approval,
  mergePolicy: row.merge_policy,
  pausedAt: iso(row.paused_at),
  updatedAt: iso(row.policy_updated_at)
})

const view = (row: TeamRow) => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  description: row.description,
  keyPrefix: row.key_prefix,
  paused: row.paused_at !== null,
  policy: row.preset === null ? null : policy(row),
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at)
})

export const list = (app: FastifyInstance, { access, sql }: Entrance) =>
  app.get("/v1/teams", { onRequest: access("read"), schema: { response: Schemas.teams } }, async ({ caller }) => ({
    data: (await sql.query<TeamRow>(all, [caller.workspace_id])).map(view),
    nextCursor: null
  }))
