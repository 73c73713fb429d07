import { type Array, Either } from "effect"
import type { By } from "../workspace/Actor.ts"
import { checkNote } from "./ResolveDecision.ts"
import { answered, type Change, type Decided } from "../Change.ts"
import type { Decision } from "./Decision.ts"
import type { NoteTooLong } from "./DecisionErrors.ts"
import { type JobId, queued } from "./Job.ts"
import { cancelled, type MergeContext, runChanged, storyMoved } from "./WorkContext.ts"
import { describe, holdingKind, holdOf, type MergeHold, recorded } from "./MergeHold.ts"
import { asked, type RaiseContext, type RaiseRefusal } from "./RaiseDecision.ts"
import { type Ask, raisedBy, settingsOf } from "./DecisionTriggers.ts"
import { record } from "./ApplyReport.ts"
import type { Fact } from "./RunReport.ts"
import type { Run } from "./Run.ts"
import * as RunTransitions from "./RunTransitions.ts"
import { moveTo, type Story } from "./Story.ts"
import { TeamIsPaused } from "../workspace/Team.ts"

/** A run with its work context. */
export interface RunContext extends RaiseContext, MergeContext {
  readonly run: Run
  readonly story: Story
  readonly freshJob: JobId
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

type RunDecided<E> = Either.Either<Decided<Progress>, E>

const written = (
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

export const lease = (by: By, at: RunContext): RunDecided<RunTransitions.RunNotQueued | TeamIsPaused> => {
  if (at.team.pausedAt !== null) return Either.left(new TeamIsPaused({ team: at.team.slug }))
  const run = RunTransitions.start(at.run, at.now)
  if (at.run.latest.status !== "queued")
    return Either.left(new RunTransitions.RunNotQueued({ run: run.key, status: run.latest.status }))
  return answered(written(by, at, run, at.story), { run, story: at.story, raised: [], mergeHold: null })
}

/** Facts that a waiting run may still report. */
const evenWaiting: ReadonlySet<Fact["type"]> = new Set(["cost", "evidence", "pull_request", "failure"])

const isAskedAlready = (at: RunContext, ask: Ask) =>
  at.pending.some(({ kind, subject }) => kind === ask.kind && subject === ask.subject)

/** Adds the hold to a merge approval for its readers. */
const withHold = (ask: Ask, hold: MergeHold | null): Ask =>
  hold === null || ask.kind !== "merge_approval"
    ? ask
    : { ...ask, body: [ask.body, `The merge is ${describe(hold)}.`].filter((text) => text !== "").join("\n\n") }

/** Applies reported facts in order and raises the decisions that the policy requires; the run then waits. */
export const report =
  (by: By, facts: Array.NonEmptyReadonlyArray<Fact>) =>
  (at: RunContext): RunDecided<RaiseRefusal> =>
    Either.gen(function* () {
      const { status } = at.run.latest
      if (RunTransitions.isOver(status))
        return yield* Either.left(new RunTransitions.RunOver({ run: at.run.key, status }))
      const early = facts.find(({ type }) => status === "queued" || (status === "waiting" && !evenWaiting.has(type)))
      if (early)
        return yield* Either.left(new RunTransitions.RunNotRunning({ run: at.run.key, status, wanted: early.type }))
      const policy = settingsOf(at.team.policy)
      const asks: Array<Ask> = []
      let { run, story } = at
      let merges = false
      for (const fact of facts) {
        const stated = fact.type === "plan_ready" ? { ...fact, size: story.size } : fact
        const ask = raisedBy(policy, run, stated)
        if (ask !== null && !isAskedAlready(at, ask)) asks.push(withHold(ask, at.mergeHold))
        const after = record(run, story, stated, ask !== null, at.now)
        run = after.run
        story = after.story
        merges ||= after.merges
      }
      const { audit, decisions, replaced } = yield* asked(by, at, asks)
      if (decisions.length > 0) run = RunTransitions.wait(run)
      const job =
        merges && run.pullRequest !== null
          ? queued(
              {
                id: at.freshJob,
                kind: "merge_pull_request",
                team: at.team.slug,
                story: story.key,
                runKey: run.key,
                decision: null,
                payload: { pullRequest: run.pullRequest }
              },
              at.now
            )
          : null
      const red = decisions.find(({ kind }) => kind === holdingKind)
      const mergeHold = job && (at.mergeHold ?? (red ? holdOf(red) : null))
      const rows = { added: { decisions, ...(job && { jobs: [job] }) }, changed: { decisions: replaced } }
      const change = written(by, at, run, story, rows, recorded(mergeHold))
      return yield* answered(
        { ...change, audit: [change.audit[0], ...change.audit.slice(1), ...audit] },
        { run, story, raised: decisions, mergeHold }
      )
    })

export type Outcome = "succeeded" | "failed" | "timed_out"

/** Finishes a run; without an outcome it failed if a failure was reported. */
export const finish =
  (by: By, given: Outcome | null) =>
  (at: RunContext): RunDecided<RunTransitions.RunOver | RunTransitions.RunNotRunning> => {
    const { status } = at.run.latest
    if (RunTransitions.isOver(status)) return Either.left(new RunTransitions.RunOver({ run: at.run.key, status }))
    const outcome = given ?? (at.run.latest.failureClass === null ? "succeeded" : "failed")
    const run = RunTransitions.end(at.run, at.now, outcome)
    if (run === at.run)
      return Either.left(new RunTransitions.RunNotRunning({ run: run.key, status, wanted: `that it ${outcome}` }))
    const isHandedOver = run.pullRequest !== null && at.story.column.role !== "done"
    const story = outcome === "succeeded" && !isHandedOver ? moveTo(at.story, "done", at.now) : at.story
    return answered(ended(by, at, run, story), { run, story, raised: [], mergeHold: null })
  }

/** Ends a run and cancels its pending decisions. */
const ended = (by: By, at: RunContext, run: Run, story: Story): Change => {
  const moot = cancelled(by, at.pending)
  const change = written(by, at, run, story, { changed: { decisions: moot.decisions } })
  return { ...change, audit: [change.audit[0], ...change.audit.slice(1), ...moot.audit] }
}

/** Ends the current attempt; the story stays in its column. */
export const stop =
  (by: By) =>
  (at: RunContext): RunDecided<RunTransitions.RunOver> => {
    const run = RunTransitions.stop(at.run, at.now)
    if (run === at.run) return Either.left(new RunTransitions.RunOver({ run: run.key, status: run.latest.status }))
    return answered(ended(by, at, run, at.story), { run, story: at.story, raised: [], mergeHold: null })
  }

/** Starts a new attempt under the same key and moves its story to In progress. */
export const retry =
  (by: By, note: string | null) =>
  (at: RunContext): RunDecided<RunTransitions.RunNotOver | NoteTooLong> =>
    Either.gen(function* () {
      const { key, latest } = at.run
      if (!RunTransitions.isRetriable(latest.status))
        return yield* Either.left(new RunTransitions.RunNotOver({ run: key, status: latest.status }))
      const input = { decision: null, action: "retry", note: yield* checkNote(note) } as const
      const run = RunTransitions.tell(RunTransitions.requeue(at.run, at.now), input)
      const story = moveTo(at.story, "in_progress", at.now)
      return yield* answered(written(by, at, run, story), { run, story, raised: [], mergeHold: null })
    })
