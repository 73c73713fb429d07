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
import type { LeaseId } from "../../../domain/work/Lease.ts"
import * as LeaseRun from "../../../domain/work/LeaseRun.ts"
import type { RunContext } from "../../../domain/work/RunContext.ts"
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

export const runMatter = (at: OneRun): RunContext => ({
  ...matter(at),
  freshDecisions: [1, 2, 3].map((more) => `dec-${String(at.decisions.length + more).padStart(4, "0")}` as DecisionKey),
  declined: [],
  freshJob: Sample.fresh.job,
  undelivered: at.jobs.filter(({ kind, status }) => kind === "tell_agent" && status === "queued")
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
  jobs: [...at.jobs.map((old) => changed?.jobs?.find(({ id }) => id === old.id) ?? old), ...(added?.jobs ?? [])],
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

const leaseId = (n: number) => `00000000-0000-4000-9000-${String(n).padStart(12, "0")}` as LeaseId

/** A lease by a runner with a token of its own; null is by hand. */
export const leaseBy =
  (runner: LeaseRun.Taker["runner"], token: LeaseRun.Taker["token"] = null): Step =>
  (at) =>
    after(
      at,
      LeaseRun.lease(Sample.ana, runMatter(at), { id: leaseId(at.run.fence + 1), runner, token, credential: null })
    )

export const lease: Step = leaseBy(null)

const byHand: LeaseRun.Hold = { by: "hand", fence: null, fresh: leaseId(99) }

/** Reports as a given holder. */
export const reportAs =
  (hold: LeaseRun.Hold, facts: [Fact, ...Array<Fact>], sent?: LeaseRun.Sent): Step =>
  (at) =>
    after(at, RunTransactions.report(Sample.ana, hold, facts, sent)(runMatter(at)))

/** The agent of a holder asks a question. */
export const questionAs =
  (hold: LeaseRun.Hold, text: string): Step =>
  (at) =>
    after(at, RunTransactions.ask(Sample.ana, hold, text)(runMatter(at)))

export const report = (...facts: [Fact, ...Array<Fact>]): Step => reportAs(byHand, facts)

export const finishAs =
  (hold: LeaseRun.Hold, outcome: RunTransactions.Outcome | null = null): Step =>
  (at) =>
    after(at, RunTransactions.finish(Sample.ana, hold, outcome)(runMatter(at)))

export const finish = (outcome: RunTransactions.Outcome | null = null): Step => finishAs(byHand, outcome)

/** The lease of the run lapses, or is lost for a reason. */
export const lose =
  (reason: string): Step =>
  (at) => {
    const { audit, runs } = LeaseRun.lose(bySystem, [at.run], at.now, reason)
    return { ...at, run: runs[0] ?? at.run, entries: [...at.entries, ...audit] }
  }
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
