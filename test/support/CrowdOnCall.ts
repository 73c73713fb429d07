import type { SourceId } from "../../domain/oncall/SignalSource.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"

/**
 * A year of a source's life: 5,000 triaged deliveries, 1,000 incidents of which the last five are open in environments
 * of their own, and 10,000 alerts, of which some fire in those environments and twenty in none.
 */
export const crowdOnCall = (workspace: WorkspaceId, source: SourceId) => `
  INSERT INTO deliveries (workspace_id, id, source_id, received_at, status, signals, verdicts, body)
    SELECT '${workspace}', gen_random_uuid(), '${source}', now() - interval '1 hour', 'done', '[]', '[]', '{}'
    FROM generate_series(1, 5000);
  INSERT INTO incidents (workspace_id, key, team, service, environment, status, severity, title, alerts, opened_at,
      resolved_at)
    SELECT '${workspace}', 'inc-' || lpad(to_hex(n), 4, '0'), v.team, v.id, NULLIF('env ' || n, 'env 1000'),
      CASE WHEN n > 995 THEN 'open' ELSE 'resolved' END, 'high', 'Incident', 10, now() - interval '1 day',
      CASE WHEN n <= 995 THEN now() END
    FROM generate_series(1, 1000) n, services v WHERE v.workspace_id = '${workspace}' AND v.name = 'checkout';
  INSERT INTO alerts (workspace_id, id, source, service, fingerprint, status, severity, title, environment, labels, links,
      first_seen_at, last_seen_at, count, reason, explanation, incident)
    SELECT '${workspace}', gen_random_uuid(), '${source}', i.service, 'alert ' || n,
      CASE WHEN n > 9950 OR n % 500 = 0 THEN 'firing' ELSE 'resolved' END, 'high', 'Alert', i.environment, '{}', '[]',
      now(), now(), 1, 'joined', '', CASE WHEN n % 500 > 0 THEN i.key END
    FROM generate_series(1, 10000) n
    JOIN incidents i ON i.workspace_id = '${workspace}' AND i.key = 'inc-' || lpad(to_hex(1 + (n - 1) / 10), 4, '0');
  ANALYZE`
