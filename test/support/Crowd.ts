const option = (id: string, action: string) => ({ id, label: id, action, recommended: id === "a" })
const options = JSON.stringify([option("a", "approve_plan"), option("b", "reject")])
const proposed = JSON.stringify([option("a", "decline_proposal"), option("b", "accept_proposal")])

/**
 * Ten workspaces with thousands of rows each, so that a scan of the whole table is never the cheapest plan. Every team
 * has 7 Ready stories, 7 queued runs and 5 open incidents; a workspace has 2 due decisions and 21 declined proposals.
 * The team `gone` is deleted, and its rows are among the oldest. Of the 2,020 answers kept for one token a dozen are
 * too old; twenty others used one of its keys. Each of 100 runners of a workspace has a token and, but for some, a run;
 * two leases in all have lapsed.
 */
export const crowd = `
  SET LOCAL session_replication_role = replica;
  INSERT INTO workspaces SELECT ('00000000-0000-4000-8000-00000000000' || n)::uuid, 'crowd-' || n, 'Crowd', now(), NULL
    FROM generate_series(0, 9) n;
  INSERT INTO teams (workspace_id, slug, id, name, key_prefix, repositories, created_at, deleted_at)
    SELECT w.id, s, gen_random_uuid(), s, upper(s), '{}', now(), CASE s WHEN 'gone' THEN now() END
    FROM workspaces w, unnest(ARRAY['a', 'b', 'c', 'd', 'gone']) s;
  INSERT INTO stories (workspace_id, key, id, team, title, column_id, column_name, column_role, draft, readiness_score,
      class_of_service, acceptance_criteria, demonstrate, created_at, updated_at, rejected_at)
    SELECT t.workspace_id, t.key_prefix || '-' || n, gen_random_uuid(), t.slug, 'Story', 'backlog', 'Backlog',
      CASE WHEN n % 80 = 1 THEN 'ready' ELSE 'backlog' END, n % 5 = 0, 0, 'standard', '[]', '[]', now(), now(),
      CASE WHEN n % 50 = 0 THEN now() END
    FROM teams t, generate_series(1, 500) n WHERE t.slug <> 'gone' OR n <= 100 ORDER BY t.workspace_id, n, t.slug;
  INSERT INTO runs (workspace_id, key, team, story, status, stage, executor, attempts, cost_cents, budget_cents, created_at,
      fence, leased_until, lease, last_lease)
    SELECT s.workspace_id, s.run, s.team, s.key, CASE WHEN s.number % 80 = 2 THEN 'queued' ELSE 'succeeded' END, 'done',
      'codex', 1, 0, 500, now(), CASE WHEN isHeld THEN 1 ELSE 0 END,
      CASE WHEN isHeld THEN now() + CASE WHEN n = 1 AND s.slug IN ('crowd-4', 'crowd-5') THEN -1 ELSE 1 END * interval '1 day' END,
      CASE WHEN isHeld THEN json_build_object('id', md5(s.workspace_id || s.run)::uuid, 'fence', 1,
        'token', md5(s.slug || n)::uuid, 'runner', md5(s.slug || n)::uuid, 'credential', md5(s.workspace_id || s.run)) END,
      CASE WHEN isHeld THEN json_build_object('id', md5(s.workspace_id || s.run)::uuid, 'runner', NULL, 'token', NULL,
        'attempt', 1, 'seq', 0, 'released', false, 'finished', true) END
    FROM (SELECT s.*, w.slug, s.n <= 100 AS isHeld, 'run-' || lpad(to_hex(s.n), 4, '0') AS run
      FROM (SELECT s.*, row_number() OVER (PARTITION BY s.workspace_id ORDER BY s.seq) AS n FROM stories s) s
      JOIN workspaces w ON w.id = s.workspace_id) s ORDER BY s.workspace_id, s.seq;
  INSERT INTO attempts (workspace_id, run_key, attempt, status, stage, executor, cost_cents, started_at)
    SELECT r.workspace_id, r.key, 1, r.status, r.stage, r.executor, 1, now() - r.seq % 90 * interval '1 day' FROM runs r;
  INSERT INTO decisions (workspace_id, key, kind, authority, title, body, status, recommendation, options, team, story,
      run_key, created_at, expires_at, resolution)
    SELECT r.workspace_id, 'dec-' || right(r.key, 4), CASE WHEN isProposal THEN 'strategy_proposal' ELSE 'plan_approval' END,
      'member', 'Plan?', '', (ARRAY['pending', 'resolved', 'expired', 'cancelled', 'superseded'])[1 + r.seq % 5], 'a',
      (CASE WHEN isProposal THEN '${proposed}' ELSE '${options}' END)::json, r.team, r.story, r.key, now(),
      now() + CASE WHEN r.seq % 1000 = 500 THEN -1 ELSE 3 END * interval '1 day',
      CASE WHEN isProposal THEN '{"optionId": "a", "note": null}'::json END
    FROM runs r, LATERAL (SELECT r.seq % 100 = 1) AS proposal(isProposal) ORDER BY r.workspace_id, r.seq;
  INSERT INTO incidents (workspace_id, key, team, service, environment, status, severity, title, alerts, opened_at,
      resolved_at)
    SELECT t.workspace_id, 'inc-' || lpad(to_hex(row_number() OVER (PARTITION BY t.workspace_id)), 4, '0'), t.slug, t.id,
      'env ' || n, CASE WHEN n % 80 = 1 THEN 'open' ELSE 'resolved' END, 'high', 'Incident', 1, now(),
      CASE WHEN n % 80 <> 1 THEN now() END
    FROM teams t, generate_series(1, 400) n;
  INSERT INTO services (workspace_id, id, team, name, settings, created_at)
    SELECT t.workspace_id, t.id, t.slug, t.slug, '{}', now() FROM teams t;
  INSERT INTO alerts (workspace_id, id, source, service, fingerprint, status, severity, title, labels, links,
      first_seen_at, last_seen_at, count, reason, explanation, incident)
    SELECT i.workspace_id, gen_random_uuid(), i.service, i.service, i.key,
      CASE i.status WHEN 'open' THEN 'firing' ELSE 'resolved' END, 'high', 'Alert', '{}', '[]', now(), now(), 1, 'opened',
      '', i.key FROM incidents i;
  INSERT INTO audit_entries (workspace_id, seq, id, "timestamp", actor_type, actor_name, team, run_key, event, result,
      entity_type, entity_id, entity_name, details, hash)
    SELECT r.workspace_id, row_number() OVER (PARTITION BY r.workspace_id), gen_random_uuid(), now(),
      (ARRAY['human', 'service', 'system'])[1 + r.seq % 3], 'A', r.team, r.key,
      (ARRAY['story_moved', 'run_state_changed', 'decision_raised', 'team_created'])[1 + r.seq % 4], 'success',
      'run', r.key, r.key, '{}', repeat('0', 64) FROM runs r;
  INSERT INTO api_tokens (workspace_id, id, member_id, name, prefix, hash, permissions, created_at, expires_at)
    SELECT w.id, md5(w.slug || n)::uuid, w.id, 'T', 'tk_' || lpad(n::text, 8, '0'), md5(w.slug || n) || md5(w.slug || n),
      '{read}', now(), now() + interval '1 day' FROM workspaces w, generate_series(1, 100) n;
  INSERT INTO runners (workspace_id, id, token, name, version, os, arch, slots, executors, teams, registered_at,
      last_seen_at, offline_at)
    SELECT k.workspace_id, k.id, k.id, k.prefix, '1', 'linux', 'x64', 1, '[]', '[]', now(),
      now() - CASE WHEN k.prefix LIKE '%7' THEN 1 ELSE 0 END * interval '1 hour',
      CASE WHEN k.prefix LIKE '%7' AND k.prefix NOT LIKE '%97' THEN now() END FROM api_tokens k;
  INSERT INTO jobs (workspace_id, id, kind, status, team, run_key, payload, tries, created_at, updated_at)
    SELECT r.workspace_id, gen_random_uuid(), 'tell_agent', 'done', r.team, r.key, '{}', 1, now(), now() FROM runs r WHERE r.lease IS NOT NULL;
  INSERT INTO run_logs (workspace_id, run_key, attempt, lease, seq, until, text)
    SELECT r.workspace_id, r.key, 1, r.last_lease_id, 1, 5, 'line' FROM runs r WHERE r.lease IS NOT NULL;
  INSERT INTO kept_answers (workspace_id, token_id, key, request, answer, created_at)
    SELECT w.id, w.id, 'key-' || n, '', '', now() - n * interval '43 seconds'
    FROM workspaces w, generate_series(1, 2020) n WHERE w.slug = 'crowd-4'
    UNION ALL SELECT w.id, gen_random_uuid(), 'key-7', '', '', now() FROM workspaces w, generate_series(1, 20)
    WHERE w.slug = 'crowd-4';
  ANALYZE`
