import { Schema } from "effect"
import type { By } from "../workspace/Actor.ts"
import { type Action, type Decision, type Kind, proposals } from "./Decision.ts"
import { expediteFix } from "./ExpediteFix.ts"
import { IncidentKey } from "../value/IncidentKey.ts"
import type { Fresh } from "./Fresh.ts"
import { type Job, type JobKind, queued } from "./Job.ts"
import type { MergeContext } from "./WorkContext.ts"
import { describe } from "./MergeHold.ts"
import { defaultBudgetCents, type FailureClass, Run } from "./Run.ts"
import * as RunTransitions from "./RunTransitions.ts"
import { moveTo, newStory, Story } from "./Story.ts"
import type { Step } from "./Step.ts"
import { skipValidation } from "../value/SkipValidation.ts"

/** A resolved decision with its work context. */
export interface ActionContext extends MergeContext {
  readonly decision: Decision
  readonly action: Action
  readonly by: By
  readonly note: string | null
  readonly fresh: Fresh
}

/** Effects of a resolution. */
export interface Consequence {
  readonly run: Run | null
  readonly story: Story | null
  readonly filed: Story | null
  readonly job: Job | null
  /** True when the run no longer waits for its other decisions. */
  readonly moot: boolean
  readonly steps: ReadonlyArray<Step>
}

const isIncidentKey = Schema.is(IncidentKey)

const done = (type: Step["type"], summary: string, ref: Step["ref"]): Step => ({ type, status: "done", summary, ref })

const runRef = (run: Run) => ({ type: "run", id: run.key }) as const
const storyRef = (story: Story) => ({ type: "story", id: story.key }) as const
const decisionRef = ({ decision }: ActionContext) => ({ type: "decision", id: decision.key }) as const

const nothing = ({ run, story }: ActionContext): Consequence => ({
  run,
  story,
  filed: null,
  job: null,
  moot: false,
  steps: []
})

const also = (consequence: Consequence, ...steps: ReadonlyArray<Step | null>): Consequence => ({
  ...consequence,
  steps: [...consequence.steps, ...steps.filter((step) => step !== null)]
})

const queue = (
  at: ActionContext,
  consequence: Consequence,
  kind: JobKind,
  type: Step["type"],
  summary: string,
  payload: Record<string, unknown>
): Consequence => {
  const { decision, fresh, now, run, story, team } = at
  const job = queued(
    {
      id: fresh.job,
      kind,
      team: team.slug,
      story: story?.key ?? null,
      runKey: run?.key ?? null,
      decision: decision.key,
      payload
    },
    now
  )
  return also({ ...consequence, job }, { type, status: "queued", summary, ref: { type: "job", id: job.id } })
}

/** Resumes the run, unless it still waits for another decision, has not begun or is over. */
const resume = (at: ActionContext, consequence: Consequence, stage?: Run["latest"]["stage"]): Consequence => {
  const { run } = consequence
  if (run === null || (run.latest.status !== "waiting" && run.latest.status !== "running")) return consequence
  const staged = stage === undefined || stage === run.latest.stage ? run : RunTransitions.withLatest(run, { stage })
  // A run that is held has not stopped: its holder gets the answer with the next renewal.
  if (run.lease !== null || at.pending.some((other) => other.key !== at.decision.key))
    return { ...consequence, run: staged }
  return also(
    { ...consequence, run: RunTransitions.resume(staged, at.now) },
    done("run_resumed", `${run.key} resumes`, runRef(run))
  )
}

/** Passes the note to the agent, which reads it with its next step. */
const tell = (at: ActionContext, consequence: Consequence): Consequence => ({
  ...consequence,
  run:
    consequence.run &&
    RunTransitions.tell(consequence.run, { decision: at.decision.key, action: at.action, note: at.note })
})

const tellAgent = (at: ActionContext, consequence: Consequence): Consequence =>
  at.run === null
    ? consequence
    : queue(at, consequence, "tell_agent", "answer_delivered", `The answer goes to the agent of ${at.run.key}`, {
        answer: at.action,
        note: at.note
      })

const endRun = (at: ActionContext, failureClass: FailureClass | null): Consequence => {
  const { now, run, story } = at
  const ended = run && RunTransitions.end(run, now, "stopped", { failureClass, error: at.note })
  const returned = story && moveTo(story, "backlog", now)
  const noted =
    returned && at.action === "reject" && at.note
      ? new Story({ ...returned, returnNote: at.note }, skipValidation)
      : returned
  return also(
    { ...nothing(at), run: ended, story: noted, moot: true },
    ended && ended !== run ? done("run_ended", `${ended.key} stops`, runRef(ended)) : null,
    story && returned !== story ? done("story_moved", `${story.key} returns to Backlog`, storyRef(story)) : null
  )
}

const failureOf = (kind: Kind): FailureClass => (kind === "main_red_incident" ? "dependency" : "gate")

const requeue = (at: ActionContext): Consequence => {
  const { decision, now, run } = at
  if (run === null || run.latest.status === "succeeded") return nothing(at)
  const next = RunTransitions.requeue(run, now, { failureClass: failureOf(decision.kind), error: decision.title })
  const notified = tell(at, { ...nothing(at), run: next, moot: true })
  return also(notified, done("attempt_queued", `Attempt ${next.latest.attempt} of ${run.key} is queued`, runRef(run)))
}

/** Sends the run back to implementing, unless it is still planning. */
const reworkStage = (run: Run | null) => (run === null || run.latest.stage === "planning" ? undefined : "implementing")

/** Accepts a proposal to fix the cause of an incident, which cannot wait. */
const startFix = (at: ActionContext): Consequence => {
  const { body, title } = at.decision
  const { run, story } = expediteFix(at.by, at, { title, description: body, note: at.note })
  return also(
    { ...nothing(at), run, filed: story },
    done("proposal_filed", `An expedite story is filed as ${story.key}`, storyRef(story)),
    run && done("attempt_queued", `Attempt 1 of ${run.key} is queued`, runRef(run))
  )
}

/** Effects of each action on the run, its story and external systems. */
export const follow: Record<Action, (at: ActionContext) => Consequence> = {
  approve_plan: (at) => {
    const approved = also(
      nothing(at),
      done("plan_approved", `The plan of ${at.decision.key} is approved`, decisionRef(at))
    )
    const { run, story } = at
    if (run === null || RunTransitions.isOver(run.latest.status)) return approved
    const begun = resume(at, { ...tell(at, approved), steps: [] }, "implementing").run ?? run
    const moved = story && moveTo(story, "in_progress", at.now)
    return also(
      { ...approved, run: begun, story: moved },
      begun.latest.status === "running"
        ? done("implementation_started", `${run.key} implements the plan`, runRef(run))
        : null,
      story && moved !== story ? done("story_moved", `${story.key} moves to In progress`, storyRef(story)) : null
    )
  },
  request_changes: (at) => tellAgent(at, resume(at, tell(at, nothing(at)), reworkStage(at.run))),
  answer: (at) => resume(at, tellAgent(at, tell(at, nothing(at)))),
  allow_once: (at) => {
    const { decision, run } = at
    if (run === null) return nothing(at)
    const { key, kind, subject } = decision
    const granted = new Run({ ...run, exceptions: [...run.exceptions, { decision: key, kind, subject }] })
    const step = done("exception_granted", `Allowed for ${run.key}: ${subject ?? decision.title}`, runRef(run))
    return resume(at, tell(at, also({ ...nothing(at), run: granted }, step)))
  },
  raise_budget: (at) => {
    const { run } = at
    if (run === null) return nothing(at)
    const budgetCents = Math.min(run.budgetCents * 2 || defaultBudgetCents, 2_147_483_647)
    const raised = new Run({ ...run, budgetCents }, skipValidation)
    const step = done(
      "budget_raised",
      `The budget of ${run.key} becomes ${(budgetCents / 100).toFixed(2)} €`,
      runRef(run)
    )
    return resume(at, tell(at, also({ ...nothing(at), run: raised }, step)))
  },
  reject: (at) => endRun(at, "policy"),
  abandon: (at) => endRun(at, null),
  retry: requeue,
  revert_spec_and_retry: (at) => {
    const next = requeue(at)
    if (next.run === null) return next
    const restored = queue(at, nothing(at), "restore_spec", "spec_restored", "The acceptance spec is to be restored", {
      note: at.note
    })
    return { ...next, job: restored.job, steps: [...restored.steps, ...next.steps] }
  },
  merge: (at) =>
    resume(
      at,
      queue(
        at,
        tell(at, nothing(at)),
        "merge_pull_request",
        "pull_request_merged",
        `The pull request is to be merged${at.mergeHold ? `: ${describe(at.mergeHold)}` : ""}`,
        {
          pullRequest: at.run?.pullRequest ?? null
        }
      ),
      "handing_off"
    ),
  open_revert: (at) =>
    resume(
      at,
      queue(at, nothing(at), "open_revert", "revert_opened", "A revert pull request is to be opened", {
        subject: at.decision.subject,
        note: at.note
      })
    ),
  accept_proposal: (at) => {
    const { decision, fresh, now, team } = at
    if (at.run === null && isIncidentKey(decision.subject)) return startFix(at)
    const filed = newStory({
      id: fresh.story,
      key: fresh.storyKey,
      title: decision.title,
      description: decision.body,
      team: team.slug,
      role: "backlog",
      draft: true,
      classOfService: "standard",
      returnNote: at.note,
      now
    })
    const step = done("proposal_filed", `A draft story is filed as ${filed.key}`, storyRef(filed))
    return resume(at, also({ ...nothing(at), filed }, step))
  },
  decline_proposal: (at) =>
    resume(
      at,
      also(
        nothing(at),
        done(
          "proposal_declined",
          proposals.includes(at.decision.kind) ? "Declined, and not proposed again" : "Declined",
          decisionRef(at)
        )
      )
    )
}
