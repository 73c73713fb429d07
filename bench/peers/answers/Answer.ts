import { randomUUID } from "node:crypto"
import type { Caller } from "../Access.ts"
import type { DecisionRow } from "../Decisions.ts"

export interface Run {
  readonly key: string
  readonly team: string
  readonly status: string
  readonly stage: string
  readonly attempts: number
  readonly cost_cents: string
  readonly budget_cents: number
  readonly failure_class: string | null
  readonly error: string | null
  readonly completed_at: Date | null
  readonly inputs: ReadonlyArray<object>
}

export interface Story {
  readonly key: string
  readonly team: string
  readonly title: string
  readonly column_role: string
  readonly return_note: string | null
}

/** Rows that a resolution reads under lock. */
export interface Matter {
  readonly now: Date
  readonly caller: Caller
  readonly requestId: string
  readonly decision: DecisionRow
  readonly others: ReadonlyArray<DecisionRow>
  readonly run: Run | null
  readonly story: Story | null
  readonly action: string
  readonly note: string | null
}

export interface Step {
  readonly type: string
  readonly status: "done" | "queued"
  readonly summary: string
  readonly ref: { readonly type: string; readonly id: string }
}

/** Work for an external system. */
export interface Job {
  readonly id: string
  readonly kind: string
  readonly payload: object
}

/** Run and story after a resolution; unchanged ones are the same objects. */
export interface Outcome {
  readonly run: Run | null
  readonly story: Story | null
  readonly cancelled: ReadonlyArray<DecisionRow>
  readonly job: Job | null
  readonly steps: ReadonlyArray<Step>
}

const step = (type: string, summary: string, kind: string, id: string): Step => ({
  type,
  status: "done",
  summary,
  ref: { type: kind, id }
})

const isUnderWay = ({ status }: Run) => status === "queued" || status === "running" || status === "waiting"

const moved = (story: Story | null, role: string) =>
  story === null || story.column_role === role ? story : { ...story, column_role: role }

const noted = (run: Run, { action, decision, note }: Matter): Run =>
  note ? { ...run, inputs: [...run.inputs, { decision: decision.key, action, note }] } : run

const approve = (at: Matter): Outcome => {
  const { decision, others, run, story } = at
  const approved = step("plan_approved", `The plan of ${decision.key} is approved`, "decision", decision.key)
  if (run === null || !isUnderWay(run)) return { run, story, cancelled: [], job: null, steps: [approved] }
  let begun = noted(run, at)
  if (begun.status !== "queued") {
    if (begun.stage !== "implementing") begun = { ...begun, stage: "implementing" }
    if (begun.status === "waiting" && others.length === 0) begun = { ...begun, status: "running" }
  }
  const next = moved(story, "in_progress")
  const steps = [
    approved,
    ...(begun.status === "running"
      ? [step("implementation_started", `${run.key} implements the plan`, "run", run.key)]
      : []),
    ...(next && next !== story ? [step("story_moved", `${next.key} moves to In progress`, "story", next.key)] : [])
  ]
  return { run: begun, story: next, cancelled: [], job: null, steps }
}

const reject = ({ note, now, others, run, story }: Matter): Outcome => {
  const ended =
    run !== null && isUnderWay(run)
      ? { ...run, status: "stopped", completed_at: now, error: note ?? run.error, failure_class: "policy" }
      : run
  const returned = moved(story, "backlog")
  const steps = [
    ...(ended && ended !== run ? [step("run_ended", `${ended.key} stops`, "run", ended.key)] : []),
    ...(returned && returned !== story
      ? [step("story_moved", `${returned.key} returns to Backlog`, "story", returned.key)]
      : [])
  ]
  const told = returned && note ? { ...returned, return_note: note } : returned
  return { run: ended, story: told, cancelled: others, job: null, steps }
}

/** Resumes the run unless it waits for another decision too, and sends the requested changes to its agent. */
const requestChanges = (at: Matter): Outcome => {
  const { action, note, others, run, story } = at
  if (run === null) return { run, story, cancelled: [], job: null, steps: [] }
  const job = { id: randomUUID(), kind: "tell_agent", payload: { answer: action, note } }
  const telling: Step = {
    type: "answer_delivered",
    status: "queued",
    summary: `The answer goes to the agent of ${run.key}`,
    ref: { type: "job", id: job.id }
  }
  let next = noted(run, at)
  if (run.status !== "waiting" && run.status !== "running")
    return { run: next, story, cancelled: [], job, steps: [telling] }
  if (run.stage !== "planning" && run.stage !== "implementing") next = { ...next, stage: "implementing" }
  if (others.length > 0) return { run: next, story, cancelled: [], job, steps: [telling] }
  const resumed = step("run_resumed", `${run.key} resumes`, "run", run.key)
  if (run.status === "waiting") next = { ...next, status: "running" }
  return { run: next, story, cancelled: [], job, steps: [resumed, telling] }
}

/** The measured actions; the others are not implemented here. */
export const actions: Readonly<Record<string, (at: Matter) => Outcome>> = {
  approve_plan: approve,
  request_changes: requestChanges,
  reject
}
