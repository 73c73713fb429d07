import type { DecisionKey, DecisionView } from "../../domain/work/Decision.ts"
import type { ResolvedView } from "../../application/work/Decisions.ts"
import { progress } from "../../domain/work/Run.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { Story, StoryKey } from "../../domain/work/Story.ts"
import type { Progress } from "../../domain/work/RunContext.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"

/** A workspace in real stores; its keys in the order they were drawn, since they are random. */
export interface RealWorkspace {
  readonly id: WorkspaceId
  readonly slug: WorkspaceSlug
  readonly stories: Array<StoryKey>
  readonly runs: Array<RunKey>
  readonly decisions: Array<DecisionKey>
}

const place = <K>(keys: Array<K>, key: K) => {
  if (!keys.includes(key)) keys.push(key)
  return keys.indexOf(key)
}

/** Text with every drawn key and id replaced by its number: the first, the second. */
export const named = ({ decisions, runs }: RealWorkspace, text: string): string => {
  const ids = new Map<string, number>()
  return text
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (id) => {
      ids.set(id, ids.get(id) ?? ids.size)
      return `id#${ids.get(id)}`
    })
    .replaceAll(/\brun-[0-9a-hjkmnp-tv-z]{4}\b/g, (key) => `run#${runs.indexOf(key as RunKey)}`)
    .replaceAll(/\bdec-[0-9a-hjkmnp-tv-z]{4}\b/g, (key) => `dec#${decisions.indexOf(key as DecisionKey)}`)
}

/** A whole answer, and the part of it that the model predicts. */
export interface Answer {
  readonly all: unknown
  readonly told: unknown
  /** Outcomes, for the tally. */
  readonly outcomes?: ReadonlyArray<string>
}

export const ofRun = (real: RealWorkspace, all: Progress): Answer => {
  const { costCents, failureClass, stage, status, attempts } = progress(all.run)
  const run = `run#${place(real.runs, all.run.key)}`
  for (const { key } of all.raised) place(real.decisions, key)
  const column = all.story.column.role
  const raised = all.raised.map(({ kind }) => kind)
  const { budgetCents } = all.run
  return {
    all,
    told: { run, status, stage, attempts, costCents, budgetCents, failureClass, column, raised },
    outcomes: raised
  }
}

export const ofRuns = (real: RealWorkspace, all: ReadonlyArray<RunKey>): Answer => ({
  all,
  told: all.map((key) => `run#${place(real.runs, key)}`)
})

export const ofStory = (real: RealWorkspace, all: Story): Answer => {
  place(real.stories, all.key)
  const { column, draft, key, readinessScore, title } = all
  return { all, told: { key, column: column.role, draft, isReady: readinessScore === 100, title } }
}

export const ofDecision = (real: RealWorkspace, all: DecisionView): Answer => {
  const decision = `dec#${place(real.decisions, all.key)}`
  return { all, told: { decision, kind: all.kind, expiresAt: all.expiresAt?.epochMillis }, outcomes: [all.kind] }
}

export const ofAnswer = (real: RealWorkspace, all: ResolvedView): Answer => {
  for (const { ref, type } of all.effects)
    if (type === "proposal_filed" && ref !== null) place(real.stories, ref.id as StoryKey)
  const decision = `dec#${place(real.decisions, all.key)}`
  const option = all.resolution?.optionId ?? ""
  return { all, told: { decision, option, via: all.resolvedVia }, outcomes: [option] }
}
