import type { DateTime } from "effect"
import type { By } from "../workspace/Actor.ts"
import * as Audit from "../workspace/Audit.ts"
import { close, type Decision } from "./Decision.ts"
import type { MergeHold } from "./MergeHold.ts"
import { progress, type Run } from "./Run.ts"
import { stop } from "./RunTransitions.ts"
import type { Story } from "./Story.ts"
import type { Team } from "../workspace/Team.ts"

/** Rows that a command about one run, story or team reads under lock. */
export interface WorkContext {
  readonly now: DateTime.Utc
  readonly team: Team
  readonly story: Story | null
  readonly run: Run | null
  /** The run's pending decisions, oldest first; without a run, the story's. */
  readonly pending: ReadonlyArray<Decision>
}

/** A work context in which a merge may be queued. */
export interface MergeContext extends WorkContext {
  /** The hold on the merges of the team. */
  readonly mergeHold: MergeHold | null
}

const auditedFields = (run: Run) => {
  const { attempts, costCents, stage, status } = progress(run)
  return { status, stage, attempts, costCents, budgetCents: run.budgetCents }
}

const changedKeys = (before: Record<string, unknown>, after: Record<string, unknown>) => {
  const keys = Object.keys(after).filter((key) => before[key] !== after[key])
  const pick = (from: Record<string, unknown>) => Object.fromEntries(keys.map((key) => [key, from[key]]))
  return { before: pick(before), after: pick(after) }
}

export const runChanged = (by: By, before: Run | null, after: Run, details: Record<string, unknown> = {}): Audit.Fact =>
  Audit.fact(
    by,
    "run_state_changed",
    { type: "run", id: after.key, name: after.key },
    {
      team: after.team,
      runKey: after.key,
      details: {
        ...(before === null
          ? { before: null, after: auditedFields(after) }
          : changedKeys(auditedFields(before), auditedFields(after))),
        ...details
      }
    }
  )

export const storyMoved = (by: By, before: Story, after: Story, run: Run | null): Audit.Fact =>
  Audit.fact(by, "story_moved", Audit.entityOf("story", after), {
    team: after.team,
    runKey: run?.key ?? null,
    details: { before: { column: before.column.role }, after: { column: after.column.role } }
  })

export const decisionFact = (
  by: By,
  event: Audit.Event,
  decision: Decision,
  details: Record<string, unknown> = {}
): Audit.Fact =>
  Audit.fact(by, event, Audit.entityOf("decision", decision), {
    team: decision.team,
    runKey: decision.runKey,
    details
  })

/** Cancels pending decisions when their subject ends. */
export const cancelled = (by: By, pending: ReadonlyArray<Decision>) => ({
  decisions: pending.map((decision) => close(decision, "cancelled")),
  audit: pending.map((decision) => decisionFact(by, "decision_cancelled", decision))
})

/** Stops unfinished runs when their subject ends. */
export const stopped = (by: By, unfinished: ReadonlyArray<Run>, now: DateTime.Utc) => {
  const runs = unfinished.map((run) => stop(run, now))
  return { runs, audit: runs.map((run, index) => runChanged(by, unfinished[index] ?? run, run)) }
}
