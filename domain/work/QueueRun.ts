import type { DateTime } from "effect"
import type { By } from "../workspace/Actor.ts"
import type { Change } from "../Change.ts"
import { runChanged, storyMoved } from "./WorkContext.ts"
import { settingsOf } from "./DecisionTriggers.ts"
import { defaultBudgetCents, queuedAttempt, Run } from "./Run.ts"
import type { RunKey } from "../value/RunKey.ts"
import { isMirrorNote, moveTo, type Story } from "./Story.ts"
import type { Team } from "../workspace/Team.ts"

/** Queues the first attempt at a story, to be leased. */
export const queue = (
  by: By,
  {
    key,
    now,
    story,
    team
  }: { readonly key: RunKey; readonly now: DateTime.Utc; readonly story: Story; readonly team: Team }
): { readonly run: Run; readonly story: Story; readonly audit: Change["audit"] } => {
  const { budgets, executor } = settingsOf(team.policy)
  const { returnNote: note } = story
  const run = new Run({
    key,
    team: team.slug,
    story: story.key,
    budgetCents: (team.policy === null ? null : budgets.runCents) ?? defaultBudgetCents,
    pullRequest: null,
    createdAt: now,
    attemptList: [queuedAttempt(1, executor)],
    evidence: null,
    inputs: note === null || isMirrorNote(note) ? [] : [{ decision: null, action: null, note }],
    exceptions: [],
    gateFailures: {}
  })
  const moved = moveTo(story, "in_progress", now)
  return {
    run,
    story: moved,
    audit: [
      runChanged(by, null, run, { story: story.key }),
      ...(moved === story ? [] : [storyMoved(by, story, moved, run)])
    ]
  }
}
