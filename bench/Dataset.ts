import { createHash } from "node:crypto"
import type { Client } from "pg"

/** Number of rows to read, and of callers. */
export interface Size {
  readonly entries: number
  readonly rows: number
  readonly tokens: number
}

/** The token of caller `n`: the database generates the same ones. */
export const tokenOf = (n: number) => {
  const digest = createHash("md5").update(String(n)).digest("hex")
  return `tk_${n.toString(16).padStart(8, "0")}${digest.slice(0, 24)}`
}

/** Keys as shown: four letters of Crockford's alphabet. */
const letters = "0123456789abcdefghjkmnpqrstvwxyz"
export const keyOf = (kind: "run" | "dec", n: number) =>
  `${kind}-${[15, 10, 5, 0].map((shift) => letters[(n >> shift) & 31]).join("")}`
const keySql = (kind: "run" | "dec") =>
  `'${kind}-' || ${[15, 10, 5, 0].map((shift) => `substr('${letters}', (n >> ${shift} & 31) + 1, 1)`).join(" || ")}`

/** Teams are team-0 to team-11; events and actors alternate, one event as often as two others. */
export const teams = 12
const events = [
  "story_moved",
  "decision_raised",
  "run_state_changed",
  "decision_raised",
  "story_changed",
  "decision_resolved"
]
const teamSql = `'team-' || n % ${teams}`

/** Time of the first entry; then one a second. */
const begun = "2026-01-01T00:00:00Z"

const work = (workspace: string, rows: number) => `
  INSERT INTO teams (workspace_id, slug, id, name, description, key_prefix, repositories, created_at)
    SELECT '${workspace}', ${teamSql}, gen_random_uuid(), 'Team ' || n, 'What team ' || n || ' is for, in one sentence.',
      'T' || n, ARRAY['https://example.com/team-' || n], now() FROM generate_series(0, ${teams - 1}) n
    ON CONFLICT DO NOTHING;
  INSERT INTO policies (workspace_id, team, preset, custom, version, executor, max_concurrency, run_cents, day_cents,
      month_cents, plan_approval, merge_policy, denied_paths, acceptance_spec_required, gate_failure_budget,
      merge_max_lines, decision_hours, updated_at)
    SELECT '${workspace}', ${teamSql}, 'standard', false, 1, 'claude-code', 3, 500, 10000, 100000, 'large_stories',
      'small_changes', ARRAY['.kanman/acceptance/**'], true, 3, 200, 72, now() FROM generate_series(0, ${teams - 1}) n
    ON CONFLICT DO NOTHING;
  INSERT INTO stories (workspace_id, key, id, team, title, description, column_id, column_name, column_role, draft,
      readiness_score, size, class_of_service, acceptance_criteria, demonstrate, created_at, updated_at)
    SELECT '${workspace}', 'T' || n % ${teams} || '-' || n + 1, gen_random_uuid(), ${teamSql}, 'Story ' || n || ' of the team',
      repeat('What it is for. ', 10), 'refining', 'Refining', 'refining', false, 80, 'm', 'standard',
      '[{"id":"1","text":"It works","status":"pending"},{"id":"2","text":"It is told","status":"pending"}]', '["Show it"]', now(), now() FROM generate_series(0, ${rows - 1}) n;
  INSERT INTO runs (workspace_id, key, team, story, status, stage, executor, attempts, cost_cents, budget_cents,
      started_at, created_at)
    SELECT '${workspace}', ${keySql("run")}, ${teamSql}, 'T' || n % ${teams} || '-' || n + 1, 'waiting', 'planning',
      'claude-code', 2, 130, 500, now(), now() FROM generate_series(0, ${rows - 1}) n;
  INSERT INTO attempts (workspace_id, run_key, attempt, status, stage, executor, cost_cents, failure_class, error,
      started_at, completed_at)
    SELECT '${workspace}', ${keySql("run")}, a, CASE a WHEN 1 THEN 'failed' ELSE 'waiting' END, 'planning', 'claude-code',
      65, CASE a WHEN 1 THEN 'transient' END, CASE a WHEN 1 THEN 'The connection was reset.' END, now(),
      CASE a WHEN 1 THEN now() END FROM generate_series(0, ${rows - 1}) n, generate_series(1, 2) a;
  INSERT INTO decisions (workspace_id, key, kind, authority, title, body, status, recommendation, options, team, story,
      run_key, created_at)
    SELECT '${workspace}', ${keySql("dec")}, 'plan_approval', 'member', 'Plan of story ' || n || '?',
      repeat('The plan in a few words. ', 12), 'pending', 'yes',
      '[{"id":"yes","label":"Approve","action":"approve_plan","recommended":true},{"id":"changes","label":"Change it","action":"request_changes","recommended":false},{"id":"no","label":"Reject","action":"reject","recommended":false}]',
      ${teamSql}, 'T' || n % ${teams} || '-' || n + 1, ${keySql("run")}, now() FROM generate_series(0, ${rows - 1}) n`

const entries = (workspace: string, count: number) => `
  DELETE FROM audit_entries WHERE workspace_id = '${workspace}';
  INSERT INTO audit_entries (workspace_id, seq, id, "timestamp", actor_type, actor_name, team, run_key, event, result,
      entity_type, entity_id, entity_name, details, hash)
    SELECT '${workspace}', n, gen_random_uuid(), timestamptz '${begun}' + n * interval '1 second',
      (ARRAY['human', 'service', 'system'])[1 + n % 3], 'Olga Owner', ${teamSql}, ${keySql("run")},
      (ARRAY[${events.map((event) => `'${event}'`).join(", ")}])[1 + n / ${teams} % ${events.length}],
      'success', 'run', gen_random_uuid(), 'What entry ' || n || ' is about, in words of ordinary length',
      json_build_object('v', 1, 'requestId', gen_random_uuid(), 'from', 'queued', 'to', 'running'), repeat('0', 64)
    FROM generate_series(1, ${count}) n;
  UPDATE audit_heads SET seq = ${count}, hash = repeat('0', 64), "timestamp" = now() WHERE workspace_id = '${workspace}'`

const tokens = (workspace: string, first: number, count: number) => `
  INSERT INTO api_tokens (workspace_id, id, member_id, name, prefix, hash, permissions, created_at, expires_at)
    SELECT '${workspace}', gen_random_uuid(), (SELECT id FROM members WHERE workspace_id = '${workspace}' LIMIT 1), 'bench',
      left(t, 11), encode(sha256(convert_to(t, 'UTF8')), 'hex'), ARRAY['read', 'write'], now(), now() + interval '300 days'
    FROM (SELECT 'tk_' || lpad(to_hex(n), 8, '0') || left(md5(n::text), 24) AS t FROM generate_series(${first}, ${first + count - 1}) n) x`

/** Every caller has its row already, as in a service that has run for a while. */
const windows = (workspace: string) => `
  INSERT INTO token_windows (workspace_id, token_id, started_at, requests)
    SELECT workspace_id, id, now() - interval '1 hour', 1 FROM api_tokens WHERE workspace_id = '${workspace}'
    ON CONFLICT DO NOTHING`

/** Fills a workspace that has its owner with the service's own rows, only faster. */
export const fill = async (client: Client, workspace: string, size: Size, firstToken = 0) => {
  // Without triggers: each row of a table with references would fire several.
  await client.query("SET session_replication_role = replica")
  await client.query(work(workspace, size.rows))
  await client.query(entries(workspace, size.entries))
  await client.query(tokens(workspace, firstToken, size.tokens))
  await client.query(windows(workspace))
}

/** Small workspaces beside the measured one. */
export const neighbours = 20
