import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import type { Action, DecisionKey, Kind } from "../../domain/work/Decision.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ask, start } from "../support/World.ts"

/** Instances on one fresh database, each with a pool of its own. */
export const instances = (count: number) =>
  Effect.flatMap(TestPostgres.instances(count), (layers) =>
    Effect.forEach(layers, (layer) => Layer.build(layer), { concurrency: "unbounded" })
  )

/** Counts connections that wait for a lock, those too that were opened after the first look of a transaction. */
export const blocked = (sql: SqlClient.SqlClient) =>
  Effect.zipRight(
    sql`SELECT pg_stat_clear_snapshot()`,
    Effect.map(
      sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      (rows) => rows.length
    )
  )

/** Services on one fresh database, and their ports. */
export const services = (count: number) =>
  Effect.flatMap(
    instances(count),
    Effect.forEach((context) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.promise(() => start(Layer.succeedContext(context))),
          (world) => Effect.promise(() => world.close())
        ),
        (world) => ({ context, url: world.url, run: world.run })
      )
    )
  )

/** Posts an answer as a client of the API does. */
export const resolve = (
  url: string,
  token: string,
  decision: string,
  { idempotencyKey, ...body }: { readonly optionId: string; readonly note?: string; readonly idempotencyKey?: string }
) =>
  ask(url, `/v1/decisions/${decision}/resolve`, {
    method: "POST",
    token,
    headers: { "content-type": "application/json", ...(idempotencyKey && { "idempotency-key": idempotencyKey }) },
    body: JSON.stringify(body)
  })

/** One item of a non-empty list, for any number. */
export const pick = <A>(list: ReadonlyArray<A>, turn: number): A => list[turn % list.length] as A

const number = (index: number) => String(index).padStart(4, "0")
export const decisionKey = (index: number) => `dec-${number(index)}` as DecisionKey
export const runKey = (index: number) => `run-${number(index)}` as RunKey

export interface Question {
  readonly kind: Kind
  readonly actions: readonly [Action, Action]
}

/** Options are named by their action. */
export const decision = ({ actions, kind }: Question, index: number) => ({
  key: decisionKey(index),
  kind,
  title: `Question ${index}`,
  recommendation: actions[0],
  options: actions.map((action) => ({ id: action, label: `Do ${action}`, action }))
})

const team = { slug: "payments", name: "Payments", keyPrefix: "PAY", policy: { preset: "standard" } }

/** A team whose runs wait for an answer: question n is about run n, which works on story n. */
export const waiting = (questions: ReadonlyArray<Question>) => ({
  teams: [team],
  stories: questions.map((_, index) => ({
    key: `PAY-${index + 1}`,
    team: team.slug,
    title: `Story ${index}`,
    column: { role: "ready" }
  })),
  runs: questions.map((_, index) => ({
    key: runKey(index),
    story: `PAY-${index + 1}`,
    status: "waiting",
    stage: "planning"
  })),
  decisions: questions.map((question, index) => ({ ...decision(question, index), run: runKey(index) }))
})

/** A team with decisions about no run. */
export const proposed = (questions: ReadonlyArray<Question>) => ({
  teams: [team],
  decisions: questions.map((question, index) => ({ ...decision(question, index), team: team.slug }))
})

/** Final state of a decision and its objects, without the imported fields. */
export interface Outcome {
  readonly key: DecisionKey
  readonly status: string
  readonly via: string | null
  readonly run: string | null
  readonly attempts: number | null
  readonly column: string | null
  readonly jobs: number
  readonly events: ReadonlyArray<string>
}

export const outcomes = (workspace: WorkspaceId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Outcome>`
      SELECT d.key, d.status, d.resolved_via AS via, r.status AS run, r.attempts, s.column_role AS "column",
        (SELECT count(*)::int FROM jobs j WHERE j.workspace_id = d.workspace_id AND j.decision = d.key) AS jobs,
        ARRAY(SELECT e.event FROM audit_entries e WHERE e.workspace_id = d.workspace_id
          AND (e.entity_id = d.key OR e.run_key = d.run_key) AND e.details->>'imported' IS NULL ORDER BY e.seq) AS events
      FROM decisions d
      LEFT JOIN runs r ON r.workspace_id = d.workspace_id AND r.key = d.run_key
      LEFT JOIN stories s ON s.workspace_id = d.workspace_id AND s.key = d.story
      WHERE d.workspace_id = ${workspace} ORDER BY d.key`
  )
