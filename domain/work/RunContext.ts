import type { Either } from "effect"
import type { By } from "../workspace/Actor.ts"
import type { Change, Decided } from "../Change.ts"
import type { Decision } from "./Decision.ts"
import type { Job, JobId } from "./Job.ts"
import type { MergeHold } from "./MergeHold.ts"
import type { RaiseContext } from "./RaiseDecision.ts"
import type { Run } from "./Run.ts"
import type { Story } from "./Story.ts"
import { type MergeContext, runChanged, storyMoved } from "./WorkContext.ts"

/** A run with its work context. */
export interface RunContext extends RaiseContext, MergeContext {
  readonly run: Run
  readonly story: Story
  readonly freshJob: JobId
  /** Jobs that wait for an agent to take an answer. */
  readonly undelivered: ReadonlyArray<Job>
}

/** Result returned to the worker on a run. */
export interface Progress {
  readonly run: Run
  readonly story: Story
  /** Decisions that the report raised. */
  readonly raised: ReadonlyArray<Decision>
  /** The hold on the merge that the report queued, if any. */
  readonly mergeHold: MergeHold | null
}

export type RunDecided<E> = Either.Either<Decided<Progress>, E>

/** A change of a run, and of its story if that changed, with their audit entries. */
export const written = (
  by: By,
  at: RunContext,
  run: Run,
  story: Story,
  more: Partial<Change> = {},
  details: Record<string, unknown> = {}
): Change => ({
  ...more,
  changed: { ...more.changed, runs: [run], ...(story !== at.story && { stories: [story] }) },
  audit: [
    runChanged(by, at.run, run, details),
    ...(story.column.role === at.story.column.role ? [] : [storyMoved(by, at.story, story, run)]),
    ...(more.audit ?? [])
  ]
})
