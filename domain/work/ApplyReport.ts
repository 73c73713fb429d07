import type { DateTime } from "effect"
import type { Fact } from "./RunReport.ts"
import { allowancesOf, type Evidence, failuresOf, Run, type Stage } from "./Run.ts"
import { release, withLatest } from "./RunTransitions.ts"
import { type ColumnRole, moveTo, Story } from "./Story.ts"
import { skipValidation } from "../value/SkipValidation.ts"

interface Recorded {
  readonly run: Run
  readonly story: Story
  /** True when the change goes to main without a decision. */
  readonly merges: boolean
}

const columns: Record<Stage, ColumnRole> = {
  planning: "in_progress",
  implementing: "in_progress",
  verifying: "in_progress",
  handing_off: "review",
  done: "done"
}

/** Copies the gates' result for each criterion to the story. */
const checked = (story: Story, evidence: typeof Evidence.Type, now: DateTime.Utc): Story => {
  const found = new Map(evidence.acceptance.map(({ criterionId, status }) => [criterionId, status]))
  const acceptanceCriteria = story.acceptanceCriteria.map((criterion) => {
    const status = found.get(criterion.id)
    return status === "passed" || status === "failed" ? { ...criterion, status } : criterion
  })
  const isSame = acceptanceCriteria.every(({ status }, index) => status === story.acceptanceCriteria[index]?.status)
  return isSame ? story : new Story({ ...story, acceptanceCriteria, updatedAt: now }, skipValidation)
}

const planned = (run: Run, plan: string): Run => new Run({ ...run, plan }, skipValidation)

/** Returns a run and its story after one reported fact; `isAsked` is true when the fact raises a decision. */
export const record = (run: Run, story: Story, fact: Fact, isAsked: boolean, now: DateTime.Utc): Recorded => {
  const same = { run, story, merges: false }
  const staged = (stage: Stage, from: Run = run): Recorded => ({
    run: withLatest(from, { stage }),
    story: moveTo(story, columns[stage], now),
    merges: false
  })
  switch (fact.type) {
    case "stage":
      return staged(fact.stage)
    case "cost":
      return { ...same, run: withLatest(run, { costCents: Math.max(run.latest.costCents, fact.costCents) }) }
    case "evidence":
      return { ...same, run: new Run({ ...run, evidence: fact.evidence }), story: checked(story, fact.evidence, now) }
    case "verification": {
      const verified = withLatest(run, {
        verification: { status: fact.status, summary: fact.summary, completedAt: now }
      })
      if (fact.status === "failed" && fact.allowed === true && allowancesOf(run).length > 0)
        return staged("handing_off", verified)
      if (fact.status === "failed") return isAsked ? { ...same, run: verified } : staged("implementing", verified)
      return fact.status === "passed"
        ? { ...staged("handing_off", verified), merges: !isAsked }
        : { ...same, run: verified }
    }
    case "handed_off":
      return staged("handing_off", new Run({ ...release(run), lapses: 0 }, skipValidation))
    case "pull_request":
      return { ...same, run: new Run({ ...run, pullRequest: fact.pullRequest }) }
    case "merged":
      return staged("done", new Run({ ...run, mergedAt: now }))
    case "failure":
      return { ...same, run: withLatest(run, { failureClass: fact.failureClass, error: fact.error }) }
    case "plan_ready":
      return isAsked ? { ...same, run: planned(run, fact.plan) } : staged("implementing", planned(run, fact.plan))
    case "gate_failed": {
      const gateFailures = { ...run.gateFailures, [fact.gate]: failuresOf(run, fact.gate) + 1 }
      return { ...same, run: new Run({ ...run, gateFailures }) }
    }
    default:
      return same
  }
}
