import { assert, describe, it } from "@effect/vitest"
import type { DecisionContext } from "../../../domain/work/ResolveDecision.ts"
import { Action, type Decision, type Kind } from "../../../domain/work/Decision.ts"
import type { Run } from "../../../domain/work/Run.ts"
import type { Story } from "../../../domain/work/Story.ts"
import { type Row, rows } from "./ActionEffectRows.ts"
import * as Sample from "../Sample.ts"

const kinds: Record<Action, Kind> = {
  approve_plan: "plan_approval",
  request_changes: "merge_approval",
  allow_once: "policy_exception",
  reject: "plan_approval",
  raise_budget: "budget_stop",
  abandon: "clarification",
  revert_spec_and_retry: "diff_guard",
  retry: "verification_failed",
  answer: "clarification",
  merge: "merge_approval",
  open_revert: "revert_approval",
  accept_proposal: "maintenance_proposal",
  decline_proposal: "strategy_proposal"
}

const boom = { failureClass: "transient", error: "Boom", completedAt: Sample.before } as const
const runs: Record<string, Run | null> = {
  none: null,
  queued: Sample.run("queued", "planning"),
  running: Sample.run("running", "implementing"),
  waiting: Sample.run("waiting", "verifying"),
  succeeded: Sample.run("succeeded", "done"),
  failed: Sample.runOf([Sample.attempt("failed", "verifying", boom)]),
  stopped: Sample.run("stopped", "implementing")
}
const stories = [null, Sample.story("ready"), Sample.story("in_progress"), Sample.story("done")]
const team = Sample.team()

const attempts = (run: Run | null) =>
  (run?.attemptList ?? [])
    .map(({ error, failureClass, stage, status }) => [status, stage, failureClass ?? "-", error ?? "-"].join("/"))
    .join("; ")

/** All effects of a resolution. */
const observed = (at: DecisionContext, note: string | null) => {
  const { change, decision, effects } = Sample.answered(at, note)
  const run = change.changed?.runs?.[0] ?? at.run
  const story = change.changed?.stories?.[0] ?? at.story
  return {
    status: decision.status,
    attempts: attempts(run),
    budgetCents: run?.budgetCents,
    inputs: run?.inputs,
    exceptions: run?.exceptions,
    column: story?.column.role,
    returnNote: story?.returnNote,
    filed: change.added?.stories?.map(({ column, draft, key, returnNote }) => [key, column.role, draft, returnNote]),
    jobs: change.added?.jobs?.map(({ kind, status }) => [kind, status]),
    closed: change.changed?.decisions?.slice(1).map(({ key, status }) => [key, status]),
    steps: effects.map(({ status, type }) => [type, status]),
    audit: change.audit.map(({ event }) => event)
  }
}

interface Case {
  readonly run: Run | null
  readonly story: Story | null
  readonly note: string | null
  readonly isAlone: boolean
  readonly decision: Decision
}

/** All effects that the row expects of a resolution. */
const expected = (row: Row, { decision, isAlone, note, run, story }: Case) => {
  const cell = isAlone || row.another === '"' ? row.after : row.another
  const after = cell === "=" ? attempts(run) : cell.replace("*", note ?? "-")
  const column = story && row.story !== "-" ? row.story : story?.column.role
  const hasMoved = column !== story?.column.role
  const inputs = row.note === "input" && note !== null ? [{ decision: decision.key, action: row.action, note }] : []
  const exceptions = [{ decision: decision.key, kind: decision.kind, subject: decision.subject }]
  const isAllowed = row.action === "allow_once"
  const isRaised = row.action === "raise_budget"
  const isFiled = row.action === "accept_proposal"
  const hasChanged = after !== attempts(run) || inputs.length > 0 || (run !== null && (isAllowed || isRaised))
  const isMoot = row.moot === "moot" && !isAlone
  const steps = row.steps
    .split(" ")
    .filter((step) => step !== "" && (isAlone || !step.endsWith("?")) && (hasMoved || !step.endsWith(">")))
  return {
    status: "resolved",
    attempts: after,
    budgetCents: run === null ? undefined : isRaised ? 1000 : 500,
    inputs: run === null ? undefined : inputs,
    exceptions: run === null ? undefined : isAllowed ? exceptions : [],
    column,
    returnNote: story === null ? undefined : row.note === "return" ? note : null,
    filed: isFiled ? [["PAY-77", "backlog", true, note]] : undefined,
    jobs: row.job === "-" ? undefined : [[row.job, "queued"]],
    closed: isMoot ? [[Sample.another.key, "cancelled"]] : [],
    steps: steps.map((step) => [step.replace(/[~?>]$/, ""), step.endsWith("~") ? "queued" : "done"]),
    audit: [
      "decision_resolved",
      ...(hasChanged ? ["run_state_changed"] : []),
      ...(hasMoved || isFiled ? ["story_moved"] : []),
      ...(isMoot ? ["decision_cancelled"] : [])
    ]
  }
}

describe("what follows from an answer", () => {
  it("is said for every action and every state of the run", () => {
    const said = rows.map(({ action, run }) => `${action} ${run}`)
    const all = Action.literals.flatMap((action) => Object.keys(runs).map((run) => `${action} ${run}`))
    assert.deepStrictEqual(said.toSorted(), all.toSorted())
  })

  it.each(rows.map((row) => [row.action, row.run, row] as const))("%s of a run: %s", (name, state, row) => {
    const action = name as Action
    const decision = Sample.decision(kinds[action], action, { subject: "infra/db.sql" })
    const run = runs[state] ?? null
    for (const story of stories)
      for (const note of [null, "Mind the cents"])
        for (const isAlone of [true, false]) {
          const pending = isAlone ? [decision] : [decision, Sample.another]
          const at = { now: Sample.now, team, story, run, pending, mergeHold: null, decision, fresh: Sample.fresh }
          assert.deepStrictEqual<unknown>(
            observed(at, note),
            expected(row, { run, story, note, isAlone, decision }),
            `story ${story?.column.role}, note ${note}, ${isAlone ? "alone" : "with another pending"}`
          )
        }
  })
})
