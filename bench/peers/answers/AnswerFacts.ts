import type { Matter, Outcome, Run } from "./Answer.ts"
import { byCaller, type Fact } from "./AuditLog.ts"
import type { DecisionRow } from "../Decisions.ts"

const told = ({ attempts, budget_cents, cost_cents, stage, status }: Run): Readonly<Record<string, unknown>> => ({
  status,
  stage,
  attempts,
  costCents: Number(cost_cents),
  budgetCents: budget_cents
})

const changed = (before: Run, after: Run) => {
  const [old, fresh] = [told(before), told(after)]
  const keys = Object.keys(fresh).filter((key) => old[key] !== fresh[key])
  const pick = (from: Readonly<Record<string, unknown>>) => Object.fromEntries(keys.map((key) => [key, from[key]]))
  return { before: pick(old), after: pick(fresh) }
}

/** Audit facts, in this order. */
export const facts = (at: Matter, { cancelled, run, story }: Outcome, optionId: string): ReadonlyArray<Fact> => {
  const { action, caller, decision, requestId } = at
  const of = (event: string, { key, run_key, team, title }: DecisionRow, details: object) =>
    byCaller(
      caller,
      requestId,
      { event, team, runKey: run_key, entity: { type: "decision", id: key, name: title } },
      details
    )
  const isRunChanged = run !== null && at.run !== null && run !== at.run
  return [
    of("decision_resolved", decision, { optionId, action }),
    ...(isRunChanged && run && at.run
      ? [
          byCaller(
            caller,
            requestId,
            {
              event: "run_state_changed",
              team: run.team,
              runKey: run.key,
              entity: { type: "run", id: run.key, name: run.key }
            },
            { ...changed(at.run, run), decision: decision.key }
          )
        ]
      : []),
    ...(story && at.story && story.column_role !== at.story.column_role
      ? [
          byCaller(
            caller,
            requestId,
            {
              event: "story_moved",
              team: story.team,
              runKey: run?.key ?? null,
              entity: { type: "story", id: story.key, name: story.title }
            },
            { before: { column: at.story.column_role }, after: { column: story.column_role } }
          )
        ]
      : []),
    ...cancelled.map((other) => of("decision_cancelled", other, {}))
  ]
}
