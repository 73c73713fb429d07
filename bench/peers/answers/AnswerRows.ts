import type { Matter, Outcome, Run, Story } from "./Answer.ts"
import { columns, type DecisionRow } from "../Decisions.ts"
import { held } from "../Pages.ts"
import { type Sql, statement } from "../Statements.ts"

/** Locks the decision and the other pending decisions of its run, in the order used by all transactions. */
const lockDecisions = statement(
  "lock_decisions",
  `SELECT ${columns}, d.seq, clock_timestamp() AS now FROM decisions d
   WHERE d.workspace_id = $1 AND ${held("d")} AND (d.key = $2 OR (d.status = 'pending'
     AND d.run_key = (SELECT x.run_key FROM decisions x WHERE x.workspace_id = $1 AND x.key = $2)))
   ORDER BY d.seq FOR NO KEY UPDATE`
)

const lockRun = statement(
  "lock_run",
  `SELECT r.key, r.team, r.status, r.stage, r.attempts, r.cost_cents, r.budget_cents, r.failure_class, r.completed_at,
     r.inputs, a.error
   FROM runs r JOIN attempts a ON a.workspace_id = r.workspace_id AND a.run_key = r.key AND a.attempt = r.attempts
   WHERE r.workspace_id = $1 AND r.key = $2 FOR NO KEY UPDATE OF r`
)

const lockStory = statement(
  "lock_story",
  `SELECT key, team, title, column_role, return_note FROM stories WHERE workspace_id = $1 AND key = $2
   FOR NO KEY UPDATE`
)

const setDecision = statement(
  "resolve_decision",
  `UPDATE decisions d SET status = 'resolved', resolution = $3, resolved_via = 'api', resolved_at = $4, resolved_by = $5
   WHERE workspace_id = $1 AND key = $2 RETURNING ${columns}, d.seq`
)

const setRun = statement(
  "update_run",
  `UPDATE runs SET status = $3, stage = $4, failure_class = $5, completed_at = $6, inputs = $7
   WHERE workspace_id = $1 AND key = $2`
)

const setAttempt = statement(
  "update_attempt",
  `UPDATE attempts SET status = $4, stage = $5, failure_class = $6, completed_at = $7, error = $8
   WHERE workspace_id = $1 AND run_key = $2 AND attempt = $3`
)

const columnNames: Readonly<Record<string, string>> = { backlog: "Backlog", in_progress: "In progress" }

const moveStory = statement(
  "move_story",
  `UPDATE stories SET column_id = $3, column_name = $4, column_role = $3, return_note = $5, updated_at = $6
   WHERE workspace_id = $1 AND key = $2`
)

const noteStory = statement("note_story", "UPDATE stories SET return_note = $3 WHERE workspace_id = $1 AND key = $2")

const queue = statement(
  "queue_job",
  `INSERT INTO jobs (workspace_id, id, kind, status, team, story, run_key, decision, payload, tries, created_at, updated_at)
   VALUES ($1, $2, $3, 'queued', $4, $5, $6, $7, $8, 0, $9, $9)`
)

const cancel = statement(
  "cancel_decisions",
  "UPDATE decisions SET status = 'cancelled' WHERE workspace_id = $1 AND key = ANY ($2)"
)

export const lock = (sql: Sql, workspace: string, key: string) =>
  sql.query<DecisionRow & { readonly now: Date }>(lockDecisions, [workspace, key])

/** Locks the run and the story of a decision, in this order. */
export const lockAround = async (sql: Sql, workspace: string, { run_key, story: storyKey }: DecisionRow) => {
  const [run = null] = run_key === null ? [] : await sql.query<Run>(lockRun, [workspace, run_key])
  const [story = null] = storyKey === null ? [] : await sql.query<Story>(lockStory, [workspace, storyKey])
  return { run, story }
}

/** Writes the resolved decision, then all other changed rows. */
export const write = async (sql: Sql, at: Matter, { cancelled, job, run, story }: Outcome, optionId: string) => {
  const { caller, decision, note, now } = at
  const workspace = caller.workspace_id
  const answer = [workspace, decision.key, JSON.stringify({ optionId, note }), now, caller.name]
  const [resolved = decision] = await sql.query<DecisionRow>(setDecision, answer)
  if (run !== null && run !== at.run) {
    const { completed_at, error, failure_class, inputs, key, stage, status } = run
    await sql.query(setRun, [workspace, key, status, stage, failure_class, completed_at, JSON.stringify(inputs)])
    const attempt = [workspace, key, run.attempts, status, stage, failure_class, completed_at, error]
    await sql.query(setAttempt, attempt)
  }
  if (story !== null && story.column_role !== at.story?.column_role) {
    const { column_role: role, key, return_note } = story
    await sql.query(moveStory, [workspace, key, role, columnNames[role], return_note, now])
  } else if (story !== null && story !== at.story) await sql.query(noteStory, [workspace, story.key, story.return_note])
  if (cancelled.length > 0) await sql.query(cancel, [workspace, cancelled.map(({ key }) => key)])
  if (job !== null) {
    const about = [decision.team, decision.story, decision.run_key, decision.key]
    await sql.query(queue, [workspace, job.id, job.kind, ...about, JSON.stringify(job.payload), now])
  }
  return resolved
}
