import { fields, table } from "./Table.ts"

const columns = `
  number integer, team text, repository text, branch text, base text, head text, title text, state text,
  merge_commit text, run_key text, story text, reverts integer, host_number integer, host_url text, created_at timestamptz, updated_at timestamptz,
  merged_at timestamptz`

export const pullRequests = table("pull_requests", ["number"], columns)
export const pullRequest = fields("p", columns)

export const pullRequestView = `
  ${pullRequest},
  (SELECT r.number FROM pull_requests r WHERE r.workspace_id = p.workspace_id AND r.reverts = p.number LIMIT 1)
    AS "revertedBy"`
