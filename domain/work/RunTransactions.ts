import { type Array, Either } from "effect"
import type { By } from "../workspace/Actor.ts"
import { checkNote } from "./ResolveDecision.ts"
import { answered, type Change, type Decided } from "../Change.ts"
import type { Decision } from "./Decision.ts"
import type { NoteTooLong } from "./DecisionErrors.ts"
import { type Job, type JobKind, queued } from "./Job.ts"
import type { LeaseLost } from "./Lease.ts"
import {
  counted,
  delivered,
  finished,
  held,
  type Hold,
  isFinished,
  isRepeated,
  none,
  type Repeated,
  repeated,
  type Sent,
  unnumbered
} from "./LeaseRun.ts"
import { cancelled } from "./WorkContext.ts"
import { describe, holdingKind, holdOf, type MergeHold, recorded } from "./MergeHold.ts"
import { asked, type AskedAlready, question, type RaiseRefusal } from "./RaiseDecision.ts"
import { type Ask, raisedBy, settingsOf } from "./DecisionTriggers.ts"
import { record } from "./ApplyReport.ts"
import type { Fact } from "./RunReport.ts"
import { Run } from "./Run.ts"
import { type RunContext, type RunDecided, written } from "./RunContext.ts"
import * as RunTransitions from "./RunTransitions.ts"
import { skipValidation } from "../value/SkipValidation.ts"
import { moveTo, type Story } from "./Story.ts"

/** Facts that a waiting run may still report. */
const evenWaiting: ReadonlySet<Fact["type"]> = new Set(["cost", "evidence", "pull_request", "failure"])

const isAskedAlready = (at: RunContext, ask: Ask) =>
  at.pending.some(({ kind, subject }) => kind === ask.kind && subject === ask.subject)

/** Adds the hold to a merge approval for its readers. */
const withHold = (ask: Ask, hold: MergeHold | null): Ask =>
  hold === null || ask.kind !== "merge_approval"
    ? ask
    : { ...ask, body: [ask.body, `The merge is ${describe(hold)}.`].filter((text) => text !== "").join("\n\n") }

const jobOf = ({ freshJob, now, run, story, team }: RunContext, kind: JobKind, payload: Job["payload"]): Job =>
  queued({ id: freshJob, kind, team: team.slug, story: story.key, runKey: run.key, decision: null, payload }, now)

const payloadOf = (fact: Fact & { readonly type: "handed_off" }): Job["payload"] => {
  const { type: _, ...payload } = fact
  return payload
}

/** The prices of a reported cost, for the audit entry. */
const pricedBy = (facts: ReadonlyArray<Fact>) => {
  const prices = facts.findLast((fact) => fact.type === "cost")?.prices
  return prices === undefined ? {} : { prices }
}

/** Applies reported facts in order and raises the decisions that the policy requires; the run then waits. */
export const report =
  (by: By, hold: Hold, facts: Array.NonEmptyReadonlyArray<Fact>, sent: Sent = unnumbered) =>
  (at: RunContext): RunDecided<RaiseRefusal | LeaseLost | Repeated> =>
    Either.gen(function* () {
      if (isRepeated(at, hold, sent.seq)) return yield* Either.left(repeated(at))
      const holding = hold.by === "runner" ? yield* held(at, hold) : at.run
      const { status } = at.run.latest
      if (RunTransitions.isOver(status))
        return yield* Either.left(new RunTransitions.RunOver({ run: at.run.key, status }))
      const early = facts.find(({ type }) => status === "queued" || (status === "waiting" && !evenWaiting.has(type)))
      if (early)
        return yield* Either.left(new RunTransitions.RunNotRunning({ run: at.run.key, status, wanted: early.type }))
      const policy = settingsOf(at.team.policy)
      const asks: Array<Ask> = []
      let run = hold.by === "runner" ? holding : yield* held(at, hold)
      let { story } = at
      let merges = false
      let opens: Job["payload"] | null = null
      for (const fact of facts) {
        const stated = fact.type === "plan_ready" ? { ...fact, size: story.size } : fact
        const ask = raisedBy(policy, run, stated)
        if (ask !== null && !isAskedAlready(at, ask)) asks.push(withHold(ask, at.mergeHold))
        const after = record(run, story, stated, ask !== null, at.now)
        run = after.run
        story = after.story
        merges ||= after.merges
        if (fact.type === "handed_off") opens = payloadOf(fact)
      }
      const { audit, decisions, replaced } = yield* asked(by, at, asks)
      const isAwaiting = facts.some(({ type }) => type === "answer_awaited")
      if (decisions.length > 0 || (isAwaiting && at.pending.length > 0)) run = RunTransitions.wait(run)
      run = counted(run, sent)
      const job =
        opens !== null
          ? jobOf(at, "open_pull_request", opens)
          : merges && run.pullRequest !== null
            ? jobOf(at, "merge_pull_request", { pullRequest: run.pullRequest })
            : null
      const red = decisions.find(({ kind }) => kind === holdingKind)
      const mergeHold = job?.kind === "merge_pull_request" ? (at.mergeHold ?? (red ? holdOf(red) : null)) : null
      const taken = isAwaiting && run.lease !== null ? delivered(at) : []
      const rows = {
        added: { decisions, ...(job && { jobs: [job] }) },
        changed: { decisions: replaced, ...(taken.length > 0 && { jobs: taken }) }
      }
      const change = written(by, at, run, story, rows, { ...recorded(mergeHold), ...pricedBy(facts) })
      return yield* answered(
        { ...change, audit: [change.audit[0], ...change.audit.slice(1), ...audit] },
        { run, story, raised: decisions, mergeHold }
      )
    })

/** Asks for the agent of the holder, which works on; the run waits once its holder reports `answer_awaited`. */
export const ask =
  (by: By, hold: Hold, text: string) =>
  (at: RunContext): Either.Either<Decided<Decision>, RaiseRefusal | LeaseLost | AskedAlready> =>
    Either.flatMap(held(at, hold), () => question(by, text, "holder")(at))

export type Outcome = "succeeded" | "failed" | "timed_out"

type FinishRefusal =
  | RunTransitions.RunOver
  | RunTransitions.RunNotRunning
  | LeaseLost
  | RunTransitions.NotVerified
  | Repeated

/** A runner proves a success; a person who finishes a run by hand answers for it. */
const isProven = ({ latest }: Run, hold: Hold): boolean =>
  hold.by !== "runner" || latest.verification?.status === "passed" || latest.verification?.status === "skipped"

/** Finishes a run; without an outcome it failed if a failure was reported. */
export const finish =
  (by: By, hold: Hold, given: Outcome | null) =>
  (at: RunContext): RunDecided<FinishRefusal> =>
    Either.gen(function* () {
      if (isFinished(at.run, hold)) return yield* Either.left(repeated(at))
      if (hold.by === "runner") yield* held(at, hold)
      const { status } = at.run.latest
      if (RunTransitions.isOver(status))
        return yield* Either.left(new RunTransitions.RunOver({ run: at.run.key, status }))
      const holding = yield* held(at, hold)
      const outcome = given ?? (at.run.latest.failureClass === null ? "succeeded" : "failed")
      if (outcome === "succeeded" && !isProven(at.run, hold))
        return yield* Either.left(new RunTransitions.NotVerified({ run: at.run.key, stage: at.run.latest.stage }))
      const run = RunTransitions.end(finished(holding), at.now, outcome)
      if (run.latest.status === status)
        return yield* Either.left(
          new RunTransitions.RunNotRunning({ run: run.key, status, wanted: `that it ${outcome}` })
        )
      const isHandedOver = run.pullRequest !== null && at.story.column.role !== "done"
      const story = outcome === "succeeded" && !isHandedOver ? moveTo(at.story, "done", at.now) : at.story
      return yield* answered(ended(by, at, run, story), { ...none, run, story })
    })

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
    return answered(ended(by, at, run, at.story), { ...none, run, story: at.story })
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
      const fresh = new Run({ ...RunTransitions.requeue(at.run, at.now), lapses: 0 }, skipValidation)
      const run = RunTransitions.tell(fresh, input)
      const story = moveTo(at.story, "in_progress", at.now)
      return yield* answered(written(by, at, run, story), { ...none, run, story })
    })
