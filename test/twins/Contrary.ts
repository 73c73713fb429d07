/** The audit entry whose time all entries of a contrary twin have. */
export const middle = 20

/** Adds changed copies of rows; generated columns are left to the database. */
const changed = (table: string, changes: Readonly<Record<string, string>>, where: string) => `
  DO $do$ BEGIN EXECUTE (
    SELECT format('INSERT INTO ${table} (%1$s) OVERRIDING SYSTEM VALUE SELECT %1$s
        FROM (SELECT (json_populate_record(x, %2$L)).* FROM ${table} x WHERE %3$s) y',
      string_agg(c.column_name, ', '), $given$${JSON.stringify(changes)}$given$, $given$${where}$given$)
    FROM information_schema.columns c
    WHERE c.table_schema = 'public' AND c.table_name = '${table}' AND c.is_generated = 'NEVER');
  END $do$;`

/** Another object of the same kind with a new key, made from a row of the same twin. */
const another = (table: string, id: string, from: string, changes: Readonly<Record<string, string>>) =>
  changed(table, changes, `x.workspace_id = '${id}' AND x.key = '${from}'`)

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
const holding = (id: string) => `
  INSERT INTO jobs OVERRIDING SYSTEM VALUE
    SELECT (json_populate_record(x, json_build_object(
      'id', gen_random_uuid(), 'status', 'running', 'leased_until', now() + interval '1 day'))).*
    FROM jobs x WHERE x.workspace_id = '${id}' AND x.lane IS NOT NULL AND x.status IN ('queued', 'no_adapter');`

const repository = { repository: "/srv/git/pay.git" }

/** Ended objects go on and unfinished ones have ended, so that a read of the twin instead of the original is wrong. */
export const contrary = (id: string) => `
  ${another("runs", id, "run-ffff", { key: "run-zzzz", team: "payments", story: "PAY-3" })}
  ${another("decisions", id, "dec-bbbb", { key: "dec-zzzz", kind: "main_red_incident" })}
  ${story(id, "PAY-1", "PAY-99", "payments")}
  ${story(id, "PAY-1", "WEB-99", "web")}
  ${story(id, "PAY-3", "OPS-99", "ops")}
  ${changed("teams", { slug: "nobody", key_prefix: "NO", id: "00000000-0000-4000-8000-00000000dead" }, `x.workspace_id = '${id}' AND x.slug = 'ops'`)}
  ${changed("pull_requests", { number: "7", ...repository, branch: "seven" }, `x.workspace_id = '${id}' AND x.number = 1`)}
  ${changed("pull_requests", { number: "8", ...repository, state: "closed" }, `x.workspace_id = '${id}' AND x.number = 3`)}
  ${changed("pull_requests", { number: "9", reverts: "3", branch: "nine", team: "web" }, `x.workspace_id = '${id}' AND x.number = 2`)}
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
  ${holding(id)}
  UPDATE decisions SET status = CASE status WHEN 'pending' THEN 'cancelled' ELSE 'pending' END
    WHERE workspace_id = '${id}' AND status <> 'resolved';
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
  UPDATE delivery_names SET seen_at = seen_at - interval '2 days' WHERE workspace_id = '${id}';
  UPDATE members SET removed_at = now(), role = 'member' WHERE workspace_id = '${id}';
  UPDATE policies SET max_concurrency = 0 WHERE workspace_id = '${id}';
  UPDATE audit_entries SET "timestamp" = (
      SELECT e."timestamp" FROM audit_entries e WHERE e.workspace_id = '${id}' AND e.seq = ${middle})
    WHERE workspace_id = '${id}'`

const sources = { run: ["runs", "run-ffff"], dec: ["decisions", "dec-cccc"], inc: ["incidents", null] } as const

/** Takes the keys that the original draws next. */
export const taken = (id: string, keys: ReadonlySet<string>) =>
  [...keys]
    .map((key) => {
      const [table, from] = sources[key.slice(0, 3) as keyof typeof sources]
      const of = from === null ? `(SELECT min(y.key) FROM incidents y WHERE y.workspace_id = '${id}')` : `'${from}'`
      const changes = { key, ...(from === null && { environment: key }) }
      return changed(table, changes, `x.workspace_id = '${id}' AND x.key = ${of}`)
    })
    .join("")
