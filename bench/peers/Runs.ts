import type { FastifyInstance } from "fastify"
import type { Entrance } from "./Entrance.ts"
import { iso } from "./Iso.ts"
import { held } from "./Pages.ts"
import { parseKey } from "./Parameters.ts"
import { notFound } from "./Refusal.ts"
import * as Respond from "./Respond.ts"
import * as Schemas from "./Schemas.ts"
import { statement } from "./Statements.ts"

interface RunRow {
  readonly key: string
  readonly team: string
  readonly story: string
  readonly title: string
  readonly status: string
  readonly stage: string
  readonly executor: string
  readonly attempts: number
  readonly cost_cents: string
  readonly budget_cents: number
  readonly failure_class: string | null
  readonly pull_request: object | null
  readonly evidence: object | null
  readonly started_at: Date | null
  readonly completed_at: Date | null
  readonly created_at: Date
}

interface AttemptRow {
  readonly attempt: number
  readonly status: string
  readonly stage: string
  readonly executor: string
  readonly cost_cents: number
  readonly failure_class: string | null
  readonly error: string | null
  readonly verification: object | null
  readonly started_at: Date | null
  readonly completed_at: Date | null
}

const one = statement(
  "run",
  `SELECT r.key, r.team, r.story, s.title, r.status, r.stage, r.executor, r.attempts, r.cost_cents, r.budget_cents,
     r.failure_class, r.pull_request, r.evidence, r.started_at, r.completed_at, r.created_at
   FROM runs r JOIN stories s ON s.workspace_id = r.workspace_id AND s.key = r.story
   WHERE r.workspace_id = $1 AND r.key = $2 AND ${held("r")}`
)

const attemptsOf = statement(
  "attempts_of_run",
  `SELECT attempt, status, stage, executor, cost_cents, failure_class, error, verification, started_at, completed_at
   FROM attempts WHERE workspace_id = $1 AND run_key = $2 ORDER BY attempt`
)

const decisionsOf = statement(
  "decisions_of_run",
  "SELECT key, kind, status FROM decisions WHERE workspace_id = $1 AND run_key = $2 ORDER BY seq DESC"
)

const attempt = (row: AttemptRow) => ({
  attempt: row.attempt,
  status: row.status,
  stage: row.stage,
  executor: row.executor,
  costCents: row.cost_cents,
  failureClass: row.failure_class,
  error: row.error,
  verification: row.verification,
  startedAt: iso(row.started_at),
  completedAt: iso(row.completed_at)
})

const view = (row: RunRow, attempts: ReadonlyArray<AttemptRow>, decisions: ReadonlyArray<object>) => ({
  key: row.key,
  team: row.team,
  story: { key: row.story, title: row.title },
  status: row.status,
  stage: row.stage,
  executor: row.executor,
  attempts: row.attempts,
  costCents: Number(row.cost_cents),
  budgetCents: row.budget_cents,
  failureClass: row.failure_class,
  pullRequest: row.pull_request,
  startedAt: iso(row.started_at),
  completedAt: iso(row.completed_at),
  createdAt: iso(row.created_at),
  attemptList: attempts.map(attempt),
  evidence: row.evidence,
  decisions
})

export const get = (app: FastifyInstance, { access, sql }: Entrance) =>
  app.get<{ Params: { readonly run: string } }>(
    "/v1/runs/:run",
    { onRequest: access("read"), schema: { response: Schemas.run } },
    async ({ caller, headers, params }, reply) => {
      const key = parseKey("run", params.run)
      if (key === null) throw notFound("run")
      const values = [caller.workspace_id, key]
      const [[row], attempts, decisions] = await Promise.all([
        sql.query<RunRow>(one, values),
        sql.query<AttemptRow>(attemptsOf, values),
        sql.query<object>(decisionsOf, values)
      ])
      if (row === undefined) throw notFound("run")
      return Respond.resource(reply, headers["if-none-match"], reply.serialize(view(row, attempts, decisions)))
    }
  )
