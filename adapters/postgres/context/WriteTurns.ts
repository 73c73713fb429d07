import { Duration, Effect } from "effect"
import type { TrackerStore } from "../../../application/ports/tracker/TrackerStore.ts"

/** $3 pace in seconds. */
const reserve = `
  WITH o AS (
    SELECT c.workspace_id, c.id, greatest(clock_timestamp(), c.next_write_at) AS turn, clock_timestamp() AS now
    FROM connections c WHERE c.workspace_id = $1 AND c.id = $2 FOR NO KEY UPDATE)
  UPDATE connections c SET next_write_at = CASE WHEN o.turn - o.now <= interval '1 minute'
    THEN o.turn + make_interval(secs => $3) ELSE c.next_write_at END
  FROM o WHERE c.workspace_id = o.workspace_id AND c.id = o.id
  RETURNING (extract(epoch FROM o.turn - o.now) * 1000)::float8 AS wait`

/** $3 limits as JSON, $4 the highest of them: older calls are forgotten. */
const spend = `
  WITH o AS (
    SELECT c.workspace_id, c.id, clock_timestamp() AS now, (
      SELECT max(c.writes[cardinality(c.writes) + 1 - l.most] + make_interval(secs => l.within))
      FROM json_to_recordset($3::json) AS l (most integer, within float8)) AS free
    FROM connections c WHERE c.workspace_id = $1 AND c.id = $2 FOR NO KEY UPDATE)
  UPDATE connections c SET writes = CASE WHEN o.free > o.now THEN c.writes
    ELSE (c.writes || o.now)[cardinality(c.writes) + 2 - $4::integer:] END
  FROM o WHERE c.workspace_id = o.workspace_id AND c.id = o.id
  RETURNING (extract(epoch FROM o.free - o.now) * 1000)::float8 AS wait`

const delay = `
  UPDATE connections c
  SET next_write_at = greatest(c.next_write_at, clock_timestamp() + make_interval(secs => $3))
  WHERE c.workspace_id = $1 AND c.id = $2`

const waitOf = ([row]: ReadonlyArray<unknown>) =>
  Duration.millis(Math.max(0, Number((row as { readonly wait?: number | null } | undefined)?.wait ?? 0)))

/** The calls over a connection that create content, which all instances share. */
export const writeTurns = (
  run: (statement: string, parameters: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<unknown>>
): Pick<TrackerStore["Type"], "reserve" | "spend" | "delay"> => ({
  reserve: (workspace, connection, pace) =>
    Effect.map(run(reserve, [workspace, connection, Duration.toSeconds(pace)]), waitOf),
  spend: (workspace, connection, limits) => {
    const given = limits.map(({ most, within }) => ({ most, within: Duration.toSeconds(within) }))
    const highest = Math.max(...limits.map(({ most }) => most))
    return Effect.map(run(spend, [workspace, connection, JSON.stringify(given), highest]), waitOf)
  },
  delay: (workspace, connection, wait) => Effect.asVoid(run(delay, [workspace, connection, Duration.toSeconds(wait)]))
})
