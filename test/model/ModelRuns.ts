import { digest } from "../../domain/value/Digest.ts"
import { DateTime } from "effect"
import type { Kind } from "../../domain/work/Decision.ts"
import type { Fact } from "../../domain/work/RunReport.ts"
import type { Stage } from "../../domain/work/Run.ts"
import type { ColumnRole } from "../../domain/work/Story.ts"
import {
  attempt,
  cancel,
  costOf,
  end,
  isOver,
  move,
  nextAttempt,
  pendingOf,
  refuse,
  type Run,
  say,
  type State,
  type Story,
  told,
  wait,
  watch
} from "./Model.ts"
import { held, hold, isFree, letGo } from "./ModelLeases.ts"
import { ask, isDeclined, heldMerges } from "./ModelDecisions.ts"
import type { Step, TeamName } from "./Steps.ts"

/** A team without a policy requires a decision for everything. */
const cautious = {
  maxConcurrency: 1,
  budgets: { runCents: 500, dayCents: null, monthCents: null },
  planApproval: "always",
  mergePolicy: "manual",
  mergeMaxLines: 0,
  gateFailureBudget: 2,
  deniedPaths: [".kanman/acceptance/**"]
}

const policyOf = (state: State, team: TeamName) => state.teams[team].policy ?? cautious

const shown = (run: Run, raised: ReadonlyArray<Kind> = []) => {
  const { is, story } = run
  return { run: is, ...told(run), column: story.column, raised }
}

export const isBusy = (state: State, story: Story) => state.runs.some((run) => run.story === story && !isOver(run))

export const queue = (state: State, actor: string, story: Story) => {
  const run: Run = {
    is: `run#${state.runs.length}`,
    team: story.team,
    story,
    earlier: [],
    current: attempt(),
    budgetCents: policyOf(state, story.team).budgets.runCents ?? 500,
    hasPullRequest: false,
    changedLines: null,
    allowed: new Set(),
    gateFailures: new Map(),
    fence: 0,
    leasedUntil: null,
    lapses: 0
  }
  state.runs.push(run)
  const { failureClass: _, ...after } = told(run)
  say(state, actor, "run_state_changed", run.is, run, { before: null, after, story: story.key })
  move(state, actor, story, "in_progress", run)
  return shown(run)
}

export const start = (state: State, actor: string, story: Story) => {
  if (state.teams[story.team].isPaused) return refuse("TeamIsPaused")
  if (story.draft) return refuse("StoryIsDraft")
  if (isBusy(state, story)) return refuse("StoryIsWorkedOn")
  return queue(state, actor, story)
}

const expediteFirst = <A>(all: ReadonlyArray<A>, storyOf: (one: A) => Story) => [
  ...all.filter((one) => storyOf(one).isExpedite),
  ...all.filter((one) => !storyOf(one).isExpedite)
]

const begin = (state: State, actor: string, run: Run) => {
  const record = watch(state, run)
  if (run.current.status === "queued") Object.assign(run.current, { status: "running", startedAt: state.now })
  hold(state, run)
  record(actor, { fence: run.fence, runner: null })
  return shown(run)
}

/** A run by its name, or the next one. */
export const lease = (state: State, actor: string, wanted: TeamName | Run | null) => {
  if (wanted !== null && typeof wanted === "object") {
    if (state.teams[wanted.team].isPaused) return refuse("TeamIsPaused")
    return isFree(wanted) ? begin(state, actor, wanted) : refuse("RunNotQueued")
  }
  const free = state.runs.filter(
    (run) =>
      isFree(run) &&
      (wanted ?? run.team) === run.team &&
      !state.teams[run.team].isPaused &&
      !state.teams[run.team].isDeleted
  )
  const [run] = expediteFirst(free, ({ story }) => story)
  return run === undefined ? null : begin(state, actor, run)
}

const spentSince = (state: State, team: TeamName, since: string) =>
  state.runs
    .filter((run) => run.team === team)
    .flatMap(({ current, earlier }) => [...earlier, current])
    .filter(({ startedAt }) => startedAt !== null && startedAt >= Date.parse(since))
    .reduce((sum, { costCents }) => sum + costCents, 0)

export const tick = (state: State) => {
  const day = DateTime.formatIsoDateUtc(DateTime.unsafeMake(state.now))
  return Object.values(state.teams).flatMap(({ isDeleted, isPaused, slug }) => {
    const { budgets, maxConcurrency } = policyOf(state, slug)
    const isSpent =
      spentSince(state, slug, day) >= (budgets.dayCents ?? Infinity) ||
      spentSince(state, slug, `${day.slice(0, 7)}-01`) >= (budgets.monthCents ?? Infinity)
    if (isDeleted || isPaused || isSpent) return []
    const busy = state.runs.filter((run) => run.team === slug && !isOver(run)).length
    const ready = state.stories.filter(
      (story) =>
        story.team === slug && story.column === "ready" && !story.draft && !story.isRejected && !isBusy(state, story)
    )
    const taken = expediteFirst(ready, (story) => story).slice(0, Math.max(0, maxConcurrency - busy))
    return taken.map((story) => queue(state, "gatehouse", story).run)
  })
}

const columns: Readonly<Record<Stage, ColumnRole>> = {
  planning: "in_progress",
  implementing: "in_progress",
  verifying: "in_progress",
  handing_off: "review",
  done: "done"
}

const isDenied = (globs: ReadonlyArray<string>, path: string) =>
  globs.some((glob) => path.startsWith(glob.replace("**", "")))

/** Applies one fact, and returns the decision it requires. */
const note = (state: State, run: Run, fact: Fact, stage: (stage: Stage) => void): readonly [Kind, string?] | null => {
  const policy = policyOf(state, run.team)
  const { current } = run
  const unlessAllowed = (kind: Kind, subject?: string): readonly [Kind, string?] | null =>
    run.allowed.has(`${kind} ${subject ?? ""}`) ? null : subject === undefined ? [kind] : [kind, subject]
  switch (fact.type) {
    case "stage":
      stage(fact.stage)
      return null
    case "cost": {
      current.costCents = Math.max(current.costCents, fact.costCents)
      return costOf(run) >= run.budgetCents ? ["budget_stop"] : null
    }
    case "evidence":
      run.changedLines = fact.evidence.diff?.additions ?? null
      return null
    case "verification": {
      const failedBefore = current.verification === "failed"
      current.verification = fact.status
      if (fact.status === "skipped") return null
      if (fact.status === "failed") {
        const asked = failedBefore ? unlessAllowed("verification_failed") : null
        if (asked === null) stage("implementing")
        return asked
      }
      stage("handing_off")
      const isSmall = run.changedLines !== null && run.changedLines <= policy.mergeMaxLines
      const mergesAlone = policy.mergePolicy === "verified" || (policy.mergePolicy === "small_changes" && isSmall)
      return mergesAlone ? null : ["merge_approval"]
    }
    case "handed_off":
      letGo(run)
      stage("handing_off")
      return null
    case "pull_request":
      run.hasPullRequest = true
      return null
    case "merged":
      stage("done")
      return null
    case "answer_awaited":
      return null
    case "failure":
      Object.assign(current, { failureClass: fact.failureClass, error: fact.error })
      return null
    case "plan_ready": {
      const isLarge = run.story.size === "xl"
      if (policy.planApproval === "always" || (policy.planApproval === "large_stories" && isLarge))
        return ["plan_approval"]
      stage("implementing")
      return null
    }
    case "path_needed":
      return isDenied(policy.deniedPaths, fact.path) ? unlessAllowed("policy_exception", fact.path) : null
    case "gate_failed": {
      const failures = (run.gateFailures.get(fact.gate) ?? 0) + 1
      run.gateFailures.set(fact.gate, failures)
      return failures > policy.gateFailureBudget ? unlessAllowed("repeated_gate_failure", fact.gate) : null
    }
    case "question":
      return ["clarification", digest(fact.question)]
    case "spec_failed":
      return unlessAllowed("gate_failure")
    case "spec_changed":
      return unlessAllowed("diff_guard")
    case "main_broken":
      return ["revert_approval", fact.merge]
    case "main_red":
      return ["main_red_incident"]
    case "maintenance_found":
      return ["maintenance_proposal"]
    case "feature_idea":
      return ["strategy_proposal"]
    case "scope_grew":
      return ["scope_change"]
  }
}

const evenWaiting: ReadonlySet<string> = new Set(["cost", "evidence", "pull_request", "failure"])

export const report = (state: State, actor: string, run: Run, facts: ReadonlyArray<Fact>, fence: number | null) => {
  const { current, story } = run
  if (isOver(run)) return refuse("RunOver")
  if (current.status === "queued") return refuse("RunNotRunning")
  if (current.status === "waiting" && facts.some(({ type }) => !evenWaiting.has(type))) return refuse("RunNotRunning")
  const take = held(state, run, fence)
  for (const fact of facts) if ("title" in fact && isDeclined(state, run.team, fact)) return refuse("ProposalDeclined")
  const record = watch(state, run)
  take()
  let column = story.column
  const asks = facts.flatMap((fact) => {
    const asked = note(state, run, fact, (stage) => {
      current.stage = stage
      column = columns[stage]
    })
    return asked === null
      ? []
      : [{ kind: asked[0], subject: asked[1] ?? null, title: "title" in fact ? fact.title : null }]
  })
  const isVerified = facts.some((fact) => fact.type === "verification" && fact.status === "passed")
  const pending = pendingOf(state, run)
  const asked = asks.filter(({ kind, subject }) => !pending.some((one) => one.kind === kind && one.subject === subject))
  const opens = facts.some(({ type }) => type === "handed_off")
  const merges = !opens && isVerified && run.hasPullRequest && !asks.some(({ kind }) => kind === "merge_approval")
  if (opens || merges) state.jobs.push(opens ? "open_pull_request" : "merge_pull_request")
  if (asked.length > 0) wait(run)
  record(actor, merges ? heldMerges(state, run.team, asked) : {})
  move(state, actor, story, column, run)
  for (const one of asked) ask(state, actor, { ...one, team: run.team, story, run })
  return shown(
    run,
    asked.map(({ kind }) => kind)
  )
}

export const finish = (
  state: State,
  actor: string,
  run: Run,
  given: Extract<Step, { readonly do: "finish" }>["outcome"],
  fence: number | null
) => {
  const { current, hasPullRequest, story } = run
  if (isOver(run)) return refuse("RunOver")
  const take = held(state, run, fence)
  const outcome = given ?? (current.failureClass === null ? "succeeded" : "failed")
  if (current.status === "queued" || (current.status === "waiting" && outcome === "succeeded"))
    return refuse("RunNotRunning")
  const record = watch(state, run)
  take()
  end(state, run, outcome)
  record(actor)
  if (outcome === "succeeded" && !hasPullRequest) move(state, actor, story, "done", run)
  cancel(state, actor, pendingOf(state, run))
  return shown(run)
}

export const stop = (state: State, actor: string, run: Run) => {
  if (isOver(run)) return refuse("RunOver")
  const record = watch(state, run)
  end(state, run, "stopped")
  record(actor)
  cancel(state, actor, pendingOf(state, run))
  return shown(run)
}

export const retry = (state: State, actor: string, run: Run) => {
  if (!isOver(run) || run.current.status === "succeeded") return refuse("RunNotOver")
  const record = watch(state, run)
  nextAttempt(run)
  run.lapses = 0
  record(actor)
  move(state, actor, run.story, "in_progress", run)
  return shown(run)
}
