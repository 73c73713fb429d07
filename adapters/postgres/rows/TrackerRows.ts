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

const ofTeam = "b.workspace_id = s.workspace_id AND b.team = s.team"
const mirroredIssue = `
  FROM tracker_issues i JOIN tracker_bindings b ON b.workspace_id = i.workspace_id AND b.id = i.binding
    AND b.removed_at IS NULL
  WHERE i.workspace_id = s.workspace_id AND i.story = s.key AND i.gone_at IS NULL`

/** The part of a tracker in the text of a story s; before a first mirror is complete, nothing is released. */
export const ownership = `
  json_build_object(
    'stated', coalesce((SELECT i.stated ${mirroredIssue}), '[]'),
    'isReleased', NOT EXISTS (SELECT ${mirroredIssue})
      AND EXISTS (SELECT FROM tracker_bindings b WHERE ${ofTeam} AND b.removed_at IS NOT NULL)
      AND NOT EXISTS (SELECT FROM tracker_bindings b WHERE ${ofTeam} AND b.removed_at IS NULL
        AND b.sync->>'sweptAt' IS NULL))`
