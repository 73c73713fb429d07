import { holdingKind, unanswered } from "../../../domain/work/MergeHold.ts"

/** SQL that turns rows into JSON: each text selects the columns of one object, named and ordered as in its schema. */

const at = (column: string, name: string) => `iso8601(${column}) AS "${name}"`

export const workspace = `w.id, w.slug, w.name, ${at("w.created_at", "createdAt")}, ${at("w.deleted_at", "deletedAt")}`

export const member = `
  m.id, m.email, m.name, m.role, ${at("m.created_at", "createdAt")}, ${at("m.removed_at", "removedAt")}`

export const token = `
  k.id, k.member_id AS "memberId", k.name, k.prefix, k.hash, k.permissions, ${at("k.created_at", "createdAt")},
  ${at("k.expires_at", "expiresAt")}, ${at("k.revoked_at", "revokedAt")}, ${at("k.last_used_at", "lastUsedAt")}`

const budgets = `
  (SELECT row_to_json(b) FROM (
    SELECT p.run_cents AS "runCents", p.day_cents AS "dayCents", p.month_cents AS "monthCents") b) AS budgets`

const policySummary = `
  CASE WHEN p.team IS NOT NULL THEN (SELECT row_to_json(v) FROM (
    SELECT p.preset, p.custom, p.version, p.executor, p.max_concurrency AS "maxConcurrency", ${budgets},
      p.plan_approval AS "planApproval", p.merge_policy AS "mergePolicy",
      ${at("t.paused_at", "pausedAt")}, ${at("p.updated_at", "updatedAt")}) v) END AS policy`

const policy = `
  CASE WHEN p.team IS NOT NULL THEN (SELECT row_to_json(v) FROM (
    SELECT p.preset, p.custom, p.version, p.executor, p.max_concurrency AS "maxConcurrency", ${budgets},
      p.plan_approval AS "planApproval", p.merge_policy AS "mergePolicy", p.denied_paths AS "deniedPaths",
      p.acceptance_spec_required AS "acceptanceSpecRequired", p.gate_failure_budget AS "gateFailureBudget",
      p.merge_max_lines AS "mergeMaxLines", p.decision_hours AS "decisionHours",
      ${at("p.updated_at", "updatedAt")}) v) END AS policy`

/** From `teams t LEFT JOIN policies p`. */
export const team = `
  t.id, t.slug, t.name, t.description, t.key_prefix AS "keyPrefix", ${at("t.paused_at", "pausedAt")}, ${policy},
  t.tracker_project AS "trackerProject", t.repositories, ${at("t.created_at", "createdAt")},
  ${at("t.updated_at", "updatedAt")}, ${at("t.deleted_at", "deletedAt")}`

export const teamView = `
  t.id, t.slug, t.name, t.description, t.key_prefix AS "keyPrefix", t.paused_at IS NOT NULL AS paused,
  ${policySummary}, ${at("t.created_at", "createdAt")}, ${at("t.updated_at", "updatedAt")}`

export const storySummary = `
  s.id, s.key, s.title, s.team,
  (SELECT row_to_json(c) FROM (SELECT s.column_id AS id, s.column_name AS name, s.column_role AS role) c) AS "column",
  s.draft, s.readiness_score AS "readinessScore", s.size, s.complexity, s.class_of_service AS "classOfService",
  s.tracker, ${at("s.created_at", "createdAt")}, ${at("s.updated_at", "updatedAt")}`

export const story = `
  ${storySummary}, s.description, s.acceptance_criteria AS "acceptanceCriteria", s.demonstrate, s.test_plan AS "testPlan",
  s.return_note AS "returnNote", ${at("s.rejected_at", "rejectedAt")}`

export const storyView = `
  ${storySummary}, s.description, s.acceptance_criteria AS "acceptanceCriteria",
  ARRAY(SELECT r.key FROM runs r WHERE r.workspace_id = s.workspace_id AND r.story = s.key ORDER BY r.seq DESC)
    AS "runKeys"`

export const storyDetail = `
  ${storyView}, s.demonstrate, s.test_plan AS "testPlan", s.return_note AS "returnNote"`

const attemptList = `
  (SELECT json_agg(row_to_json(v)) FROM (
    SELECT a.attempt, a.status, a.stage, a.executor, a.cost_cents AS "costCents", a.failure_class AS "failureClass",
      a.error, a.verification, ${at("a.started_at", "startedAt")}, ${at("a.completed_at", "completedAt")}
    FROM attempts a WHERE a.workspace_id = r.workspace_id AND a.run_key = r.key
    ORDER BY a.attempt) v) AS "attemptList"`

export const run = `
  r.key, r.team, r.story, r.budget_cents AS "budgetCents", r.pull_request AS "pullRequest",
  ${at("r.created_at", "createdAt")}, ${attemptList}, r.evidence, r.inputs, r.exceptions,
  r.gate_failures AS "gateFailures", ${at("r.merged_at", "mergedAt")}`

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

export const decisionView = `
  d.key, d.kind, d.authority, d.title, d.body, d.status, d.recommendation, d.options, d.team, d.story,
  d.run_key AS "runKey", d.resolution, d.resolved_via AS "resolvedVia", ${at("d.resolved_at", "resolvedAt")},
  ${at("d.expires_at", "expiresAt")}, ${at("d.created_at", "createdAt")}`

const unansweredStates = unanswered.map((status) => `'${status}'`).join(", ")

/** The decision that holds the merges of a team; same rule as `mergeHold` in the domain. */
export const mergeHold = (workspace: string, team: string) => `
  (SELECT row_to_json(h) FROM (
    SELECT x.key AS decision, x.status, ${at("x.created_at", "since")} FROM (
      SELECT y.key, y.status, y.created_at, y.seq, max(y.seq) FILTER (WHERE y.status = 'resolved') OVER () AS answered
      FROM decisions y WHERE y.workspace_id = ${workspace} AND y.team = ${team} AND y.kind = '${holdingKind}') x
    WHERE x.status = 'pending' OR x.status IN (${unansweredStates}) AND x.seq > coalesce(x.answered, 0)
    ORDER BY x.status <> 'pending', x.seq LIMIT 1) h)`

export const job = `
  j.id, j.kind, j.status, j.team, j.story, j.run_key AS "runKey", j.decision, j.payload, j.tries, j.error, j.lane,
  ${at("j.due_at", "dueAt")}, ${at("j.created_at", "createdAt")}, ${at("j.updated_at", "updatedAt")}`

export const jobView = `
  ${job}, CASE WHEN j.kind = 'merge_pull_request' AND j.status IN ('queued', 'no_adapter')
    THEN ${mergeHold("j.workspace_id", "j.team")} END AS hold`

export const decision = `${decisionView}, d.subject, d.resolved_by AS "resolvedBy"`

/** From `services v JOIN teams t`: a service is deleted with its team. */
export const service = `
  v.id, v.team, v.name, v.settings, ${at("v.created_at", "createdAt")}, ${at("v.updated_at", "updatedAt")},
  ${at("coalesce(v.deleted_at, t.deleted_at)", "deletedAt")}`

export const place = `
  p.team, p.name, p.kind, p.address, ${at("p.created_at", "createdAt")}, ${at("p.removed_at", "removedAt")}`

/** From `signal_sources s JOIN workspaces w`: a source is deleted with its workspace. */
export const source = `
  s.id, s.name, s.kind, s.token, s.secrets, s.services, s.is_timestamp_required AS "isTimestampRequired", s.topic,
  ${at("s.disconnected_at", "disconnectedAt")}, s.credentials, s.trouble, s.check_settings AS check, s.severities,
  ${at("s.paused_at", "pausedAt")},
  ${at("s.created_at", "createdAt")}, ${at("s.updated_at", "updatedAt")},
  ${at("coalesce(s.deleted_at, w.deleted_at)", "deletedAt")}`

/** From `refused_deliveries d`. */
export const refusedDelivery = `${at("d.received_at", "receivedAt")}, d.status, d.code, d.message, d.body`

export const incident = `
  i.key, i.team, i.service, i.environment, i.status, i.severity, i.title, i.alerts, ${at("i.opened_at", "openedAt")},
  ${at("i.resolved_at", "resolvedAt")}, ${at("i.acknowledged_at", "acknowledgedAt")}, i.acknowledged_by AS "acknowledgedBy",
  ${at("i.update_due_at", "updateDueAt")}, i.told, ${at("i.notified_at", "notifiedAt")},
  ${at("i.reached_at", "reachedAt")}, i.investigation`

/** An incident with the number of its firing alerts. */
export const standing = `
  (SELECT row_to_json(o) FROM (SELECT ${incident}) o) AS incident,
  (SELECT count(*)::int FROM alerts f
    WHERE f.workspace_id = i.workspace_id AND f.incident = i.key AND f.status = 'firing') AS firing`

/** From `incidents i JOIN services v`. */
export const incidentView = `
  i.key, i.status, i.severity, v.name AS service, i.team, i.environment, i.title, i.alerts,
  ${at("i.opened_at", "openedAt")}, ${at("i.resolved_at", "resolvedAt")}, ${at("i.acknowledged_at", "acknowledgedAt")},
  i.acknowledged_by AS "acknowledgedBy", i.investigation`

export const notification = `
  n.id, n.member, n.incident, n.event, n.subject, n.text, ${at("n.created_at", "createdAt")},
  ${at("n.read_at", "readAt")}`

export const alert = `
  a.id, a.source, a.service, a.fingerprint, a.status, a.severity, a.title, a.environment, a.description, a.labels,
  a.links, ${at("a.started_at", "startedAt")}, ${at("a.ended_at", "endedAt")}, ${at("a.fired_at", "firedAt")},
  ${at("a.recovered_at", "recoveredAt")}, ${at("a.first_seen_at", "firstSeenAt")}, ${at("a.last_seen_at", "lastSeenAt")},
  a.count, a.reason, a.explanation, a.incident`

/** From `alerts a JOIN signal_sources s LEFT JOIN services v`. */
export const alertView = (staleHours: number) => `
  a.id, a.title, a.status, a.fingerprint, a.severity, s.name AS source, v.name AS service, a.environment, a.description,
  ${at("a.started_at", "startedAt")}, ${at("a.ended_at", "endedAt")}, a.labels, a.links, a.incident, a.reason,
  a.explanation, a.count, ${at("a.first_seen_at", "firstSeenAt")}, ${at("a.last_seen_at", "lastSeenAt")},
  a.status = 'firing' AND a.last_seen_at <= statement_timestamp() - interval '${staleHours} hours' AS stale`

/** All fields of an entry except its details. */
export const auditEntryTold = `
  e.id, ${at('e."timestamp"', "timestamp")},
  (SELECT row_to_json(v) FROM (
    SELECT e.actor_type AS type, e.actor_name AS name, e.actor_user_id AS "userId") v) AS actor,
  e.team, e.run_key AS "runKey", e.event, e.result,
  (SELECT row_to_json(v) FROM (
    SELECT e.entity_type AS type, e.entity_id AS id, e.entity_name AS name) v) AS entity`

export const auditEntry = `${auditEntryTold}, e.details`

/** One object as JSON text. */
export const object = (columns: string) => `(SELECT row_to_json(o) FROM (SELECT ${columns}) o)::text`

/** All rows of `from` as one JSON array, in its order. */
export const array = (columns: string, from: string) =>
  `(SELECT coalesce(json_agg(row_to_json(o)), '[]') FROM (SELECT ${columns} FROM ${from}) o)`

/** Objects of a deleted team are hidden from readers. */
export const held = (alias: string) =>
  `NOT EXISTS (SELECT FROM teams gone WHERE gone.workspace_id = ${alias}.workspace_id AND gone.slug = ${alias}.team
    AND gone.deleted_at IS NOT NULL)`
