import { type DateTime, Either } from "effect"
import { bySystem } from "../../../domain/workspace/Actor.ts"
import { answer, type DecisionContext, expire } from "../../../domain/work/ResolveDecision.ts"
import type { Fact as Entry } from "../../../domain/workspace/Audit.ts"
import type { Change, Decided } from "../../../domain/Change.ts"
import type { Decision, DecisionKey } from "../../../domain/work/Decision.ts"
import type { Job } from "../../../domain/work/Job.ts"
import { mergeHold } from "../../../domain/work/MergeHold.ts"
import { raise } from "../../../domain/work/RaiseDecision.ts"
import type { Ask } from "../../../domain/work/DecisionTriggers.ts"
import type { Fact } from "../../../domain/work/RunReport.ts"
import type { Run } from "../../../domain/work/Run.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import type { Story } from "../../../domain/work/Story.ts"
import type { Team } from "../../../domain/workspace/Team.ts"
import * as QueueRun from "../../../domain/work/QueueRun.ts"
import * as RunTransactions from "../../../domain/work/RunTransactions.ts"
import * as Sample from "../Sample.ts"

/** A run with its story, its decisions and its audit entries, as a store would hold them. */
export interface OneRun {
  readonly now: DateTime.Utc
  readonly team: Team
  readonly story: Story
  readonly run: Run
  readonly decisions: ReadonlyArray<Decision>
  readonly jobs: ReadonlyArray<Job>
  readonly entries: ReadonlyArray<Entry>
  /** The last step's refusal, if any. */
  readonly refusal: string | null
}

export const queued = (story: Story = Sample.story("ready"), team: Team = Sample.team()): OneRun => {
  const { now } = Sample
  const first = QueueRun.queue(Sample.ana, { key: "run-aaaa" as RunKey, now, story, team })
  return { now, team, run: first.run, story: first.story, decisions: [], jobs: [], entries: first.audit, refusal: null }
}

export const pending = ({ decisions }: OneRun): ReadonlyArray<Decision> =>
  decisions.filter(({ status }) => status === "pending")

/** State: status, stage, the story's column and the pending decisions. */
export const place = (at: OneRun): string =>
  [at.run.latest.status, at.run.latest.stage, at.story.column.role, ...pending(at).map(({ kind }) => kind)].join(" ")

const matter = (at: OneRun) => ({
  now: at.now,
  team: at.team,
  story: at.story,
  run: at.run,
  pending: pending(at),
  mergeHold: mergeHold(at.decisions)
})

const runMatter = (at: OneRun): RunTransactions.RunContext => ({
  ...matter(at),
  freshDecisions: [1, 2, 3].map((more) => `dec-${String(at.decisions.length + more).padStart(4, "0")}` as DecisionKey),
  declined: [],
  freshJob: Sample.fresh.job
})

const decisionMatter = (at: OneRun, decision: Decision): DecisionContext => ({
  ...matter(at),
  decision,
  fresh: Sample.fresh
})

const written = (at: OneRun, { added, audit, changed }: Change): OneRun => ({
  ...at,
  run: changed?.runs?.[0] ?? at.run,
  story: changed?.stories?.[0] ?? at.story,
  decisions: [
    ...at.decisions.map((old) => changed?.decisions?.find(({ key }) => key === old.key) ?? old),
    ...(added?.decisions ?? [])
  ],
  jobs: [...at.jobs, ...(added?.jobs ?? [])],
  entries: [...at.entries, ...audit],
  refusal: null
})

const after = <A, E extends { readonly _tag: string }, F extends { readonly _tag: string }>(
  at: OneRun,
  decided: Either.Either<Decided<A, F>, E>
): OneRun => {
  if (Either.isLeft(decided)) return { ...at, refusal: decided.left._tag }
  const { answer, change } = decided.right
  return { ...written(at, change), refusal: Either.isLeft(answer) ? answer.left._tag : null }
}

type Step = (at: OneRun) => OneRun

export const lease: Step = (at) => after(at, RunTransactions.lease(Sample.ana, runMatter(at)))
export const report =
  (...facts: [Fact, ...Array<Fact>]): Step =>
  (at) =>
    after(at, RunTransactions.report(Sample.ana, facts)(runMatter(at)))
export const finish =
  (outcome: RunTransactions.Outcome | null = null): Step =>
  (at) =>
    after(at, RunTransactions.finish(Sample.ana, outcome)(runMatter(at)))
export const stop: Step = (at) => after(at, RunTransactions.stop(Sample.ana)(runMatter(at)))
export const retry =
  (note: string | null = null): Step =>
  (at) =>
    after(at, RunTransactions.retry(Sample.ana, note)(runMatter(at)))
export const ask =
  (asked: Ask): Step =>
  (at) =>
    after(at, raise(Sample.ana, runMatter(at), asked))

/** Resolves the oldest pending decision. */
export const resolve =
  (optionId: string, note: string | null = null): Step =>
  (at) => {
    const [decision] = pending(at)
    const command = { by: Sample.ana, role: "owner", channel: "app", optionId, note } as const
    return decision === undefined ? at : after(at, answer(command, bySystem)(decisionMatter(at, decision)))
  }

/** Lets the oldest pending decision expire. */
export const ignore: Step = (at) => {
  const [decision] = pending(at)
  return decision === undefined ? at : written(at, expire(bySystem, decisionMatter(at, decision)))
}
