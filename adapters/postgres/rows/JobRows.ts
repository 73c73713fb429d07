import { mergeHold } from "./DecisionRows.ts"
import { fields, table } from "./Table.ts"

const columns = `
  id uuid, kind text, status text, team text, story text, run_key text, decision text, payload json, tries integer,
  error text, lane text, due_at timestamptz, created_at timestamptz, updated_at timestamptz`

export const jobs = table("jobs", ["id"], columns)
export const job = fields("j", columns)

export const jobView = `
  ${job}, CASE WHEN j.kind = 'merge_pull_request' AND j.status IN ('queued', 'no_adapter')
    THEN ${mergeHold("j.workspace_id", "j.team")} END AS hold`
