/** The audit entry whose time all entries of a contrary twin have. */
export const middle = 37

/** Writable columns of a table. */
type ColumnsOf = (table: string) => ReadonlyArray<string>

/** Copies rows with changes, an SQL expression of type json. */
const changed = (of: ColumnsOf, table: string, changes: string, where: string) => {
  const columns = of(table)
  return `
  INSERT INTO ${table} (${columns.join(", ")}) OVERRIDING SYSTEM VALUE
    SELECT ${columns.map((column) => `y.${column}`).join(", ")}
    FROM ${table} x CROSS JOIN LATERAL json_populate_record(x, ${changes}) y WHERE ${where};`
}

const literal = (changes: Readonly<Record<string, string>>) => `'${JSON.stringify(changes)}'`

/** Another object of the same kind with a new key, made from a row of the same twin. */
const another = (of: ColumnsOf, table: string, id: string, from: string, changes: Readonly<Record<string, string>>) =>
  changed(of, table, literal(changes), `x.workspace_id = '${id}' AND x.key = '${from}'`)

const story = (id: string, from: string, key: string, team: string) => `
  INSERT INTO stories (workspace_id, key, id, team, title, column_id, column_name, column_role, draft, readiness_score,
      class_of_service, acceptance_criteria, demonstrate, created_at, updated_at)
    SELECT workspace_id, '${key}', gen_random_uuid(), '${team}', title, column_id, column_name, column_role, draft,
      readiness_score, class_of_service, acceptance_criteria, demonstrate, created_at, updated_at
    FROM stories WHERE workspace_id = '${id}' AND key = '${from}';`

/** Swaps the names of two objects. */
const swapped = (table: string, id: string, one: string, other: string) => `
  UPDATE ${table} SET name = name || '!' WHERE workspace_id = '${id}';
  UPDATE ${table} SET name = CASE name WHEN '${one}!' THEN '${other}' WHEN '${other}!' THEN '${one}' ELSE rtrim(name, '!') END
    WHERE workspace_id = '${id}';`

/** Running jobs in the lanes of waiting ones, which hold back the jobs of this twin alone. */
const holding = (of: ColumnsOf, id: string) =>
  changed(
    of,
    "jobs",
    "json_build_object('id', gen_random_uuid(), 'status', 'running', 'leased_until', now() + interval '1 day')",
    `x.workspace_id = '${id}' AND x.lane IS NOT NULL AND x.status IN ('queued', 'no_adapter')`
  )

/** A run that a runner of the original holds, of which this twin has another of the same id. */
const held = (id: string, key: string, runner: string) => `
  UPDATE runs SET leased_until = now() + interval '1 day', lease = jsonb_build_object('runner', (
      SELECT u.id FROM runners u WHERE u.workspace_id = '${id}' AND u.name LIKE '${runner}%'))
    WHERE workspace_id = '${id}' AND key = '${key}';`

/** A spec that is being put back for a run of the same key. */
const restoring = (of: ColumnsOf, id: string) =>
  changed(
    of,
    "jobs",
    `json_build_object('id', gen_random_uuid(), 'kind', 'restore_spec', 'run_key', 'run-nnnn', 'status', 'running',
      'leased_until', now() + interval '1 day')`,
    `x.workspace_id = '${id}' AND x.kind = 'tell_agent'`
  )

/** Jobs that rest, and the latest run of a story. */
const resting = (of: ColumnsOf, id: string) => `
  ${changed(
    of,
    "jobs",
    `json_build_object('id', gen_random_uuid(), 'status', 'no_adapter', 'lane', NULL, 'due_at', now() + interval '1 day')`,
    `x.workspace_id = '${id}' AND x.kind = 'restore_spec' AND x.run_key = 'run-nnnn'`
  )}
  ${changed(
    of,
    "jobs",
    `json_build_object('id', gen_random_uuid(), 'kind', 'write_story', 'team', 'web', 'run_key', NULL)`,
    `x.workspace_id = '${id}' AND x.kind = 'restore_spec' AND x.run_key = 'run-nnnn' AND x.status = 'no_adapter'`
  )}
  ${changed(
    of,
    "runs",
    `json_build_object('key', 'run-ssss', 'story', 'PAY-1', 'status', 'succeeded', 'seq', 900000)`,
    `x.workspace_id = '${id}' AND x.key = 'run-ffff'`
  )}`

/** The story of an issue in the binding of a project. */
const storyOf = (id: string, issue: string, project = "acme/web") =>
  `(SELECT i.story FROM tracker_issues i JOIN tracker_bindings b ON b.workspace_id = i.workspace_id AND b.id = i.binding
    WHERE i.workspace_id = '${id}' AND b.project = '${project}' AND i.id = '${issue}')`

/** Work on the stories of issues, bindings that ended or go on where those of the original do not, and issues of their own. */
const mirroring = (of: ColumnsOf, id: string) => `
  ${changed(
    of,
    "runs",
    `json_build_object('key', 'run-tttt', 'status', 'queued', 'created_at', now() + interval '1 day', 'story', ${storyOf(id, "i2")})`,
    `x.workspace_id = '${id}' AND x.key = 'run-ffff'`
  )}
  ${changed(
    of,
    "decisions",
    `json_build_object('key', 'dec-tttt', 'status', 'pending', 'run_key', NULL, 'story', ${storyOf(id, "i1")})`,
    `x.workspace_id = '${id}' AND x.key = 'dec-bbbb'`
  )}
  UPDATE stories SET column_role = 'review' WHERE workspace_id = '${id}' AND key = ${storyOf(id, "i2")};
  UPDATE stories SET tracker = '{"platform":"github","key":"#70","url":"https://github.com/acme/web/issues/70"}'
    WHERE workspace_id = '${id}' AND key = 'PAY-10';
  UPDATE stories SET tracker = NULL WHERE workspace_id = '${id}' AND key = ${storyOf(id, "i1")};
  ${changed(of, "tracker_issues", `json_build_object('id', 'i8', 'story', 'WEB-1')`, `x.workspace_id = '${id}' AND x.story = ${storyOf(id, "i1")}`)}
  ${changed(
    of,
    "tracker_issues",
    `json_build_object('id', 'i7', 'story', ${storyOf(id, "i4", "acme/old")})`,
    `x.workspace_id = '${id}' AND x.id = 'i1' AND x.binding = (
      SELECT b.id FROM tracker_bindings b WHERE b.workspace_id = '${id}' AND b.project = 'acme/web')`
  )}
  UPDATE tracker_bindings SET removed_at = CASE project WHEN 'acme/web' THEN now() WHEN 'acme/old' THEN now() - interval '30 days' END,
      team = CASE project WHEN 'acme/web' THEN 'payments' ELSE team END, due_at = now() - interval '1 day',
      sync = CASE project WHEN 'acme/ops' THEN NULL ELSE sync END
    WHERE workspace_id = '${id}';
  UPDATE tracker_issues SET story = CASE id WHEN 'i1' THEN 'WEB-99' WHEN 'i2' THEN 'WEB-2' ELSE story END, is_held = NOT is_held,
      leased_until = now() + interval '1 day', settled = 'review', sweep = 99, stated = '["demonstrate"]'
    WHERE workspace_id = '${id}' AND id NOT IN ('i7', 'i8');`

const repository = { repository: "/srv/git/pay.git" }

/** Ended objects go on and unfinished ones have ended, so that a read of the twin instead of the original is wrong. */
export const contrary = (of: ColumnsOf, id: string) => `
  ${another(of, "runs", id, "run-ffff", { key: "run-zzzz", team: "payments", story: "PAY-3" })}
  ${another(of, "decisions", id, "dec-bbbb", { key: "dec-zzzz", kind: "main_red_incident" })}
  ${story(id, "PAY-1", "PAY-99", "payments")}
  ${story(id, "PAY-1", "WEB-99", "web")}
  ${story(id, "PAY-3", "OPS-99", "ops")}
  ${changed(of, "teams", literal({ slug: "nobody", key_prefix: "NO", id: "00000000-0000-4000-8000-00000000dead" }), `x.workspace_id = '${id}' AND x.slug = 'ops'`)}
  ${changed(of, "pull_requests", literal({ number: "7", ...repository, branch: "seven" }), `x.workspace_id = '${id}' AND x.number = 1`)}
  ${changed(of, "pull_requests", literal({ number: "8", ...repository, state: "closed" }), `x.workspace_id = '${id}' AND x.number = 3`)}
  ${changed(of, "pull_requests", literal({ number: "9", reverts: "3", branch: "nine", team: "web" }), `x.workspace_id = '${id}' AND x.number = 2`)}
  ${swapped("signal_sources", id, "tool", "pager")}
  ${swapped("services", id, "checkout", "basket")}
  UPDATE services SET team = 'web' WHERE workspace_id = '${id}';
  UPDATE signal_sources SET kind = 'grafana', services = '{}' WHERE workspace_id = '${id}' AND kind = 'generic';
  UPDATE teams SET deleted_at = CASE slug WHEN 'payments' THEN now() END, paused_at = NULL WHERE workspace_id = '${id}';
  UPDATE stories SET draft = (draft = (key = 'OPS-99')),
      class_of_service = CASE WHEN key IN ('PAY-10', 'WEB-2') THEN 'expedite' ELSE 'standard' END
    WHERE workspace_id = '${id}';
  UPDATE runs SET status = CASE WHEN key = 'run-cccc' THEN 'running' ELSE 'succeeded' END,
      merged_at = CASE WHEN key = 'run-eeee' THEN now() END
    WHERE workspace_id = '${id}' AND key NOT IN ('run-ffff', 'run-zzzz');
  UPDATE jobs SET run_key = 'run-eeee' WHERE workspace_id = '${id}' AND kind = 'merge_pull_request' AND status = 'done';
  ${holding(of, id)}
  ${restoring(of, id)}
  ${held(id, "run-zzzz", "gone-1")}
  ${held(id, "run-ffff", "removed-1")}
  UPDATE decisions SET status = CASE status WHEN 'pending' THEN 'cancelled' ELSE 'pending' END
    WHERE workspace_id = '${id}' AND status <> 'resolved';
  UPDATE decisions SET story = 'PAY-3' WHERE workspace_id = '${id}' AND key = 'dec-bbbb';
  UPDATE decisions SET kind = 'maintenance_proposal', run_key = 'run-cccc', story = 'PAY-4'
    WHERE workspace_id = '${id}' AND key = 'dec-dddd';
  UPDATE decisions SET status = 'pending',
      run_key = (SELECT x.run_key FROM decisions x WHERE x.workspace_id = '${id}' AND x.key = 'dec-aaaa')
    WHERE workspace_id = '${id}' AND key = 'dec-gggg';
  UPDATE incidents SET status = CASE status WHEN 'open' THEN 'resolved' ELSE 'open' END,
      resolved_at = CASE status WHEN 'open' THEN now() END, opened_at = opened_at - interval '1 day'
    WHERE workspace_id = '${id}';
  UPDATE alerts SET status = CASE status WHEN 'firing' THEN 'resolved' ELSE 'firing' END,
      source = (SELECT s.id FROM signal_sources s WHERE s.workspace_id = '${id}' AND s.kind = 'pagerduty')
    WHERE workspace_id = '${id}';
  UPDATE signal_sources SET updated_at = now() + interval '1 hour' WHERE workspace_id = '${id}' AND name = 'site';
  INSERT INTO uptime_states (workspace_id, source_id, begun_at)
    SELECT s.workspace_id, s.id, now() + interval '1 hour' FROM signal_sources s
    WHERE s.workspace_id = '${id}' AND s.name = 'page';
  UPDATE deliveries SET source_id = (SELECT s.id FROM signal_sources s WHERE s.workspace_id = '${id}' AND s.name = 'page')
    WHERE workspace_id = '${id}' AND seq = (SELECT max(d.seq) FROM deliveries d WHERE d.workspace_id = '${id}');
  UPDATE delivery_names SET seen_at = seen_at - interval '2 days' WHERE workspace_id = '${id}';
  UPDATE decisions SET run_key = 'run-mmmm', story = 'FRG-1' WHERE workspace_id = '${id}' AND key = 'dec-zzzz';
  UPDATE jobs SET run_key = 'run-aaaa' WHERE workspace_id = '${id}' AND kind = 'tell_agent';
  UPDATE run_logs SET until = CASE seq WHEN 1 THEN -6000000 ELSE 10000000 END WHERE workspace_id = '${id}';
  UPDATE runs SET last_lease = jsonb_set(last_lease, '{id}', '"00000000-0000-4000-8000-000000000000"')
    WHERE workspace_id = '${id}' AND key = 'run-mmmm';
  UPDATE runners SET offline_at = CASE WHEN offline_at IS NULL THEN now() END, last_seen_at = now(),
      draining_at = CASE WHEN offline_at IS NULL THEN now() END
    WHERE workspace_id = '${id}';
  ${mirroring(of, id)}
  ${resting(of, id)}
  UPDATE tracker_comments SET id = 'c9', state = 'y' WHERE workspace_id = '${id}';
  UPDATE tracker_hints SET key = '#77' WHERE workspace_id = '${id}';
  UPDATE api_tokens SET revoked_at = NULL WHERE workspace_id = '${id}';
  UPDATE members SET removed_at = now(), role = 'member' WHERE workspace_id = '${id}';
  UPDATE policies SET max_concurrency = 0 WHERE workspace_id = '${id}';
  ${changed(of, "policies", literal({ team: "ops" }), `x.workspace_id = '${id}' AND x.team = 'payments'`)}
  UPDATE audit_entries SET "timestamp" = (
      SELECT e."timestamp" FROM audit_entries e WHERE e.workspace_id = '${id}' AND e.seq = ${middle})
    WHERE workspace_id = '${id}'`

const sources = { run: ["runs", "run-ffff"], dec: ["decisions", "dec-cccc"], inc: ["incidents", null] } as const

/** Takes the keys that the original draws next. */
export const taken = (columnsOf: ColumnsOf, id: string, keys: ReadonlySet<string>) =>
  [...keys]
    .map((key) => {
      const [table, from] = sources[key.slice(0, 3) as keyof typeof sources]
      const of = from === null ? `(SELECT min(y.key) FROM incidents y WHERE y.workspace_id = '${id}')` : `'${from}'`
      const changes = { key, ...(from === null && { environment: key }) }
      return changed(columnsOf, table, literal(changes), `x.workspace_id = '${id}' AND x.key = ${of}`)
    })
    .join("")
