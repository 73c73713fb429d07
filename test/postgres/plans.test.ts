import { SqlClient, Statement } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import type { TeamNotFound } from "../../domain/Team.ts"
import * as Seed from "../support/Seed.ts"
import * as TestPostgres from "../support/TestPostgres.ts"

/** Ten workspaces with thousands of rows each, so that a scan of the whole table is never the cheapest plan. */
const crowd = `
  INSERT INTO workspaces SELECT ('00000000-0000-4000-8000-00000000000' || n)::uuid, 'crowd-' || n, 'Crowd', now(), NULL
    FROM generate_series(0, 9) n;
  INSERT INTO teams (workspace_id, slug, id, name, key_prefix, repositories, created_at)
    SELECT w.id, s, gen_random_uuid(), s, upper(s), '{}', now()
    FROM workspaces w, unnest(ARRAY['a', 'b', 'c', 'd']) s;
  INSERT INTO stories (workspace_id, key, id, team, title, column_id, column_name, column_role, draft, readiness_score,
      class_of_service, acceptance_criteria, demonstrate, created_at, updated_at)
    SELECT t.workspace_id, t.key_prefix || '-' || n, gen_random_uuid(), t.slug, 'Story', 'backlog', 'Backlog', 'backlog',
      n % 5 = 0, 0, 'standard', '[]', '[]', now(), now()
    FROM teams t, generate_series(1, 500) n;
  INSERT INTO runs (workspace_id, key, team, story, status, stage, executor, attempts, cost_cents, budget_cents, created_at)
    SELECT s.workspace_id, 'run-' || lpad(to_hex(row_number() OVER (PARTITION BY s.workspace_id)), 4, '0'),
      s.team, s.key, 'succeeded', 'done', 'codex', 1, 0, 500, now() FROM stories s;
  INSERT INTO decisions (workspace_id, key, kind, authority, title, body, status, recommendation, options, team, story,
      run_key, created_at)
    SELECT r.workspace_id, 'dec-' || right(r.key, 4), 'plan_approval', 'member', 'Plan?', '',
      (ARRAY['pending', 'resolved', 'expired', 'cancelled', 'superseded'])[1 + r.seq % 5], 'a', '[1, 2]', r.team, r.story,
      r.key, now() FROM runs r;
  INSERT INTO audit_entries (workspace_id, seq, id, "timestamp", actor_type, actor_name, team, run_key, event, result,
      entity_type, entity_id, entity_name, details, hash)
    SELECT r.workspace_id, row_number() OVER (PARTITION BY r.workspace_id), gen_random_uuid(), now(),
      (ARRAY['human', 'service', 'system'])[1 + r.seq % 3], 'A', r.team, r.key,
      (ARRAY['story_moved', 'run_state_changed', 'decision_raised', 'team_created'])[1 + r.seq % 4], 'success',
      'run', r.key, r.key, '{}', repeat('0', 64) FROM runs r;
  ANALYZE;`

interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Actual Rows"?: number
  readonly "Actual Loops"?: number
  readonly Plans?: ReadonlyArray<Plan>
}

const nodes = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodes)]

/** Lets a read run, and asks Postgres how it went about its statement. */
const planOf = <A, E>(read: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    let plan: ReadonlyArray<Plan> = []
    const explain: Statement.Statement.Transformer = (statement, sql) =>
      sql<{
        readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Plan }>
      }>`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`.pipe(
        Effect.locally(Statement.currentTransformer, Option.none()),
        Effect.orDie,
        Effect.map(([row]) => {
          plan = nodes(row?.["QUERY PLAN"][0]?.Plan ?? { "Node Type": "none" })
          return statement
        })
      ) as never
    yield* Effect.orDie(Statement.withTransformer(read, explain))
    return plan
  })

it.layer(TestPostgres.layer, { timeout: "60 seconds" })("plans", (it) => {
  it.effect("every list and filter stands on an index, without a sort, and reads no more than its page", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql.unsafe(crowd)
      const { id } = yield* Seed.workspace
      const workspace = "00000000-0000-4000-8000-000000000004" as typeof id
      const page = { limit: 25, before: 1_000_000n }
      const stories = yield* StoryStore
      const runs = yield* RunStore
      const decisions = yield* DecisionStore
      const audit = yield* AuditLog
      const every = { status: null, team: null, run: null }
      const lists: Readonly<Record<string, Effect.Effect<unknown, TeamNotFound>>> = {
        "stories of a team": stories.page(workspace, { team: "b" as never, drafts: false }, page),
        "stories with drafts": stories.page(workspace, { team: "b" as never, drafts: true }, page),
        runs: runs.page(workspace, { team: null, story: null }, page),
        "runs of a team": runs.page(workspace, { team: "b" as never, story: null }, page),
        "runs of a story": runs.page(workspace, { team: null, story: "B-7" as never }, page),
        decisions: decisions.page(workspace, every, page),
        "decisions by status": decisions.page(workspace, { ...every, status: "pending" }, page),
        "decisions of a team": decisions.page(workspace, { ...every, team: "b" as never }, page),
        "decisions of a team by status": decisions.page(
          workspace,
          { ...every, team: "b" as never, status: "expired" },
          page
        ),
        audit: audit.page(workspace, Seed.anyEntry, page),
        "audit of a team": audit.page(workspace, { ...Seed.anyEntry, team: "b" as never }, page),
        "audit by actor": audit.page(workspace, { ...Seed.anyEntry, actor: "human" }, page),
        "audit by event": audit.page(workspace, { ...Seed.anyEntry, event: "team_created" }, page),
        "audit of a run": audit.page(workspace, { ...Seed.anyEntry, run: "run-0007" as never }, page),
        "decisions of a run": decisions.page(workspace, { ...every, run: "run-0007" as never }, page)
      }
      for (const [name, list] of Object.entries(lists)) {
        // The few teams fit on one page of the table, which is cheaper to scan than any index.
        const plan = (yield* planOf(list)).filter((node) => node["Relation Name"] !== "teams")
        const types = plan.map((node) => node["Node Type"])
        assert.isFalse(
          types.some((type) => /Seq Scan|Sort|Bitmap/.test(type)),
          `${name}: ${types.join(", ")}`
        )
        const most = Math.max(...plan.map((node) => (node["Actual Rows"] ?? 0) * (node["Actual Loops"] ?? 1)))
        assert.isAtMost(most, 26, name)
      }
    })
  )
})
