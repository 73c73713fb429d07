import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"

/** Time of entry `seq`: one a second. */
export const writtenAt = (seq: number) => Date.UTC(2024, 0, 1) + seq * 1000

/**
 * A log of `count` entries, more than the service would write in a test's time, so they have no hashes. Their teams are
 * a, b, c and d; an event belongs to one team, an actor to all, a run has 20 entries, and the first 50 are of a kind
 * that never occurs again.
 */
export const write = Effect.fn(function* (workspace: WorkspaceId, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    ALTER TABLE audit_entries DISABLE TRIGGER ALL;
    DELETE FROM audit_entries WHERE workspace_id = '${workspace}';
    INSERT INTO teams (workspace_id, slug, id, name, key_prefix, repositories, created_at)
      SELECT '${workspace}', s, gen_random_uuid(), s, upper(s), '{}', now()
      FROM unnest(ARRAY['a', 'b', 'c', 'd', 'quiet']) s;
    INSERT INTO audit_entries (workspace_id, seq, id, "timestamp", actor_type, actor_name, team, run_key, event, result,
        entity_type, entity_id, entity_name, details, hash)
      SELECT '${workspace}', n, gen_random_uuid(), to_timestamp(${writtenAt(0) / 1000} + n),
        (ARRAY['human', 'service', 'system'])[1 + n % 3], 'Olga Owner', (ARRAY['a', 'b', 'c', 'd'])[1 + n % 4],
        'run-' || lpad(to_hex(n / 20 % 65536), 4, '0'),
        CASE WHEN n <= 50 THEN 'workspace_created'
          ELSE (ARRAY['story_moved', 'run_state_changed', 'decision_raised', 'team_created'])[1 + n % 4] END,
        'success', 'run', gen_random_uuid(), 'What entry ' || n || ' is about, in words of ordinary length',
        json_build_object('v', 1, 'requestId', gen_random_uuid(), 'from', 'queued', 'to', 'running'), repeat('0', 64)
      FROM generate_series(1, ${count}) n;
    UPDATE audit_heads SET seq = ${count} WHERE workspace_id = '${workspace}';
    ALTER TABLE audit_entries ENABLE TRIGGER ALL`)
  yield* sql.unsafe("VACUUM ANALYZE")
})
