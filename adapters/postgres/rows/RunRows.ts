import { progress, type Run } from "../../../domain/work/Run.ts"
import { at, fields, plain, table } from "./Table.ts"

const runColumns = `
  key text, team text, story text, status text, stage text, executor text, attempts integer, cost_cents bigint,
  budget_cents integer, failure_class text, pull_request json, evidence json, inputs json, exceptions json,
  gate_failures json, merged_at timestamptz, started_at timestamptz, completed_at timestamptz,
  created_at timestamptz, fence integer, lapses integer, inputs_taken integer, resumed_at timestamptz, session text, plan text,
  lease jsonb, leased_until timestamptz, last_lease jsonb`
export const runs = table("runs", ["key"], runColumns)

const attemptColumns = `
  attempt integer, status text, stage text, executor text, cost_cents integer, failure_class text, error text,
  verification json, started_at timestamptz, completed_at timestamptz`
export const attempts = table("attempts", ["run_key", "attempt"], `run_key text, ${attemptColumns}`)

/** The deadline of a lease has a column of its own, which renewals write. */
export const ofRun = (run: Run) => {
  const { expiresAt = null, ...lease } = run.lease ?? {}
  return { ...plain(run), ...progress(run), lease: run.lease && lease, leasedUntil: expiresAt }
}
export const ofAttempts = ({ attemptList, key }: Run) => attemptList.map((attempt) => ({ runKey: key, ...attempt }))

const attemptList = `
  (SELECT json_agg(row_to_json(v)) FROM (
    SELECT ${fields("a", attemptColumns)}
    FROM attempts a WHERE a.workspace_id = r.workspace_id AND a.run_key = r.key
    ORDER BY a.attempt) v) AS "attemptList"`

export const run = `
  r.key, r.team, r.story, r.budget_cents AS "budgetCents", r.pull_request AS "pullRequest",
  ${at("r.created_at", "createdAt")}, ${attemptList}, r.evidence, r.inputs, r.exceptions,
  r.gate_failures AS "gateFailures", ${at("r.merged_at", "mergedAt")}, r.fence, r.lapses,
  r.inputs_taken AS "inputsTaken", ${at("r.resumed_at", "resumedAt")}, r.session, r.plan,
  r.lease || jsonb_build_object('expiresAt', iso8601(r.leased_until)) AS lease, r.last_lease AS "lastLease"`

/** From `runs r JOIN stories s`. */
export const runSummary = `
  r.key, r.team, (SELECT row_to_json(v) FROM (SELECT s.key, s.title) v) AS story, r.status, r.stage, r.executor,
  r.attempts, r.cost_cents AS "costCents", r.budget_cents AS "budgetCents", r.failure_class AS "failureClass",
  r.pull_request AS "pullRequest", ${at("r.started_at", "startedAt")}, ${at("r.completed_at", "completedAt")},
  ${at("r.created_at", "createdAt")}`

export const runView = `
  ${runSummary}, ${attemptList}, r.evidence,
  (SELECT coalesce(json_agg(row_to_json(v)), '[]') FROM (
    SELECT d.key, d.kind, d.status FROM decisions d
    WHERE d.workspace_id = r.workspace_id AND d.run_key = r.key ORDER BY d.seq DESC) v) AS decisions`
