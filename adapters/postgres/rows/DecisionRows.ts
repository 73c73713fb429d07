import { holdingKind, unanswered } from "../../../domain/work/MergeHold.ts"
import { at, fields, table } from "./Table.ts"

const viewColumns = `
  key text, kind text, authority text, title text, body text, status text, recommendation text, options json,
  team text, story text, run_key text, resolution json, resolved_via text, resolved_at timestamptz,
  expires_at timestamptz, created_at timestamptz`
const columns = `${viewColumns}, subject text, resolved_by text, effects json, asked_by uuid`

export const decisions = table("decisions", ["key"], columns)
export const decision = fields("d", columns)
export const decisionView = fields("d", viewColumns)

const unansweredStates = unanswered.map((status) => `'${status}'`).join(", ")

/** The decision that holds the merges of a team; same rule as `mergeHold` in the domain. */
export const mergeHold = (workspace: string, team: string) => `
  (SELECT row_to_json(h) FROM (
    SELECT x.key AS decision, x.status, ${at("x.created_at", "since")} FROM (
      SELECT y.key, y.status, y.created_at, y.seq, max(y.seq) FILTER (WHERE y.status = 'resolved') OVER () AS answered
      FROM decisions y WHERE y.workspace_id = ${workspace} AND y.team = ${team} AND y.kind = '${holdingKind}') x
    WHERE x.status = 'pending' OR x.status IN (${unansweredStates}) AND x.seq > coalesce(x.answered, 0)
    ORDER BY x.status <> 'pending', x.seq LIMIT 1) h)`
