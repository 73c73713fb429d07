import { fields, table } from "./Table.ts"

const bindingColumns = `
  id uuid, team text, connection uuid, platform text, project text, mapping json, created_at timestamptz,
  updated_at timestamptz, removed_at timestamptz`
export const bindings = table("tracker_bindings", ["id"], bindingColumns)
export const binding = fields("b", bindingColumns)

const issueColumns = `
  binding uuid, id text, key text, url text, story text, version timestamptz, fingerprint text, text text, sizing text,
  labels json, status text, status_since timestamptz, is_closed boolean, shown text, is_untrusted boolean, settled text, note text, stated json,
  is_held boolean, gone_at timestamptz, synced_at timestamptz`
export const issues = table("tracker_issues", ["binding", "id"], issueColumns)
export const issue = fields("i", issueColumns)
