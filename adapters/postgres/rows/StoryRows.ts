import type { Story } from "../../../domain/work/Story.ts"
import { at, plain, table } from "./Table.ts"

const storyColumns = `
  key text, id uuid, team text, title text, description text, column_id text, column_name text, column_role text,
  draft boolean, readiness_score double precision, size text, complexity text, class_of_service text, tracker json,
  acceptance_criteria json, demonstrate json, test_plan text, return_note text, rejected_at timestamptz,
  created_at timestamptz, updated_at timestamptz`
export const stories = table("stories", ["key"], storyColumns)

export const ofStory = (story: Story) => {
  const { column, ...rest } = plain(story)
  return { ...rest, columnId: column.id, columnName: column.name, columnRole: column.role }
}

export const storySummary = `
  s.id, s.key, s.title, s.team,
  (SELECT row_to_json(c) FROM (SELECT s.column_id AS id, s.column_name AS name, s.column_role AS role) c) AS "column",
  s.draft, s.readiness_score AS "readinessScore", s.size, s.complexity, s.class_of_service AS "classOfService",
  s.tracker, ${at("s.created_at", "createdAt")}, ${at("s.updated_at", "updatedAt")}`

const withText = `${storySummary}, s.description, s.acceptance_criteria AS "acceptanceCriteria"`

export const story = `
  ${withText}, s.demonstrate, s.test_plan AS "testPlan", s.return_note AS "returnNote", ${at("s.rejected_at", "rejectedAt")}`

export const storyView = `
  ${withText},
  ARRAY(SELECT r.key FROM runs r WHERE r.workspace_id = s.workspace_id AND r.story = s.key ORDER BY r.seq DESC)
    AS "runKeys"`

export const storyDetail = `
  ${storyView}, s.demonstrate, s.test_plan AS "testPlan", s.return_note AS "returnNote"`
