import { mergeHold } from "./DecisionRows.ts"
import { fields, int, json, table, text, time, uuid } from "./Table.ts"

const columns = {
  id: uuid,
  kind: text,
  status: text,
  team: text,
  story: text,
  run_key: text,
  decision: text,
  payload: json,
  tries: int,
  error: text,
  lane: text,
  due_at: time,
  created_at: time,
  updated_at: time
}

export const jobs = table("jobs", ["id"], columns)
export const job = fields("j", columns)

export const jobView = `
  ${job}, CASE WHEN j.kind = 'merge_pull_request' AND j.status IN ('queued', 'no_adapter')
    THEN ${mergeHold("j.workspace_id", "j.team")} END AS hold`
