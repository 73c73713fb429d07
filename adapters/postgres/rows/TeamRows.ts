import { Schema } from "effect"
import { Team } from "../../../domain/workspace/Team.ts"
import { at, table } from "./Table.ts"

const teamColumns = `
  slug text, id uuid, name text, description text, key_prefix text, paused_at timestamptz, tracker_project json,
  repositories text[], created_at timestamptz, updated_at timestamptz, deleted_at timestamptz`
export const teams = table("teams", ["slug"], teamColumns)

const policyColumns = `
  team text, preset text, custom boolean, version integer, executor text, max_concurrency integer,
  run_cents integer, day_cents integer, month_cents integer, plan_approval text, merge_policy text,
  denied_paths text[], acceptance_spec_required boolean, gate_failure_budget integer, merge_max_lines integer,
  decision_hours integer, updated_at timestamptz`
export const policies = table("policies", ["team"], policyColumns)

export const ofTeam = Schema.encodeSync(Team)
export const ofPolicy = ({ policy, slug }: ReturnType<typeof ofTeam>) =>
  policy ? [{ team: slug, ...policy, ...policy.budgets }] : []

const summary = `
  p.preset, p.custom, p.version, p.executor, p.max_concurrency AS "maxConcurrency",
  (SELECT row_to_json(b) FROM (
    SELECT p.run_cents AS "runCents", p.day_cents AS "dayCents", p.month_cents AS "monthCents") b) AS budgets,
  p.plan_approval AS "planApproval", p.merge_policy AS "mergePolicy"`

const policyOf = (columns: string) => `
  CASE WHEN p.team IS NOT NULL THEN (SELECT row_to_json(v) FROM (
    SELECT ${summary}, ${columns}, ${at("p.updated_at", "updatedAt")}) v) END AS policy`

const policySummary = policyOf(at("t.paused_at", "pausedAt"))

const policy = policyOf(`
  p.denied_paths AS "deniedPaths", p.acceptance_spec_required AS "acceptanceSpecRequired",
  p.gate_failure_budget AS "gateFailureBudget", p.merge_max_lines AS "mergeMaxLines", p.decision_hours AS "decisionHours"`)

/** From `teams t LEFT JOIN policies p`. */
export const team = `
  t.id, t.slug, t.name, t.description, t.key_prefix AS "keyPrefix", ${at("t.paused_at", "pausedAt")}, ${policy},
  t.tracker_project AS "trackerProject", t.repositories, ${at("t.created_at", "createdAt")},
  ${at("t.updated_at", "updatedAt")}, ${at("t.deleted_at", "deletedAt")}`

export const teamView = `
  t.id, t.slug, t.name, t.description, t.key_prefix AS "keyPrefix", t.paused_at IS NOT NULL AS paused,
  ${policySummary}, ${at("t.created_at", "createdAt")}, ${at("t.updated_at", "updatedAt")}`
