import { Either } from "effect"
import type { By, Channel } from "../workspace/Actor.ts"
import { type Change, answered, type Decided, refused } from "../Change.ts"
import { type Consequence, follow } from "./ActionEffects.ts"
import type { Step } from "./Step.ts"
import type { Fresh } from "./Fresh.ts"
import { close, Decision, isDue, longestNote, type Option } from "./Decision.ts"
import {
  DecisionExpired,
  finality,
  type Final,
  InsufficientAuthority,
  NoteTooLong,
  OwnQuestion,
  UnknownOption
} from "./DecisionErrors.ts"
import * as Audit from "../workspace/Audit.ts"
import { queued } from "./Job.ts"
import { cancelled, decisionFact, type MergeContext, runChanged, storyMoved } from "./WorkContext.ts"
import { recorded } from "./MergeHold.ts"
import { atLeast, type Role } from "../workspace/Member.ts"
import * as RunTransitions from "./RunTransitions.ts"
import { skipValidation } from "../value/SkipValidation.ts"

export interface Command {
  readonly by: By
  readonly role: Role
  readonly channel: Channel
  readonly optionId: string
  readonly note: string | null
}

/** A decision with its work context. */
export interface DecisionContext extends MergeContext {
  readonly decision: Decision
  readonly fresh: Fresh
}

export interface Answer {
  readonly decision: Decision
  readonly effects: ReadonlyArray<Step>
}

export type AnswerRefusal = InsufficientAuthority | Final | UnknownOption

export const checkNote = (note: string | null): Either.Either<string | null, NoteTooLong> => {
  const length = note === null ? 0 : [...note].length
  return length > longestNote ? Either.left(new NoteTooLong({ length })) : Either.right(note)
}

const others = ({ decision, pending }: DecisionContext) => pending.filter((other) => other.key !== decision.key)

/** Rows and audit entries of the effects; unchanged rows are not written. */
const consequences = (by: By, at: DecisionContext, after: Consequence) => {
  const moot = after.moot ? cancelled(by, others(at)) : { decisions: [], audit: [] }
  const run = after.run !== at.run ? after.run : null
  const story = after.story !== at.story ? after.story : null
  const hold = after.job?.kind === "merge_pull_request" ? recorded(at.mergeHold) : {}
  return {
    changed: {
      decisions: moot.decisions,
      ...(run && { runs: [run] }),
      ...(story && { stories: [story] })
    },
    added: { ...(after.filed && { stories: [after.filed] }), ...(after.job && { jobs: [after.job] }) },
    audit: [
      ...(run ? [runChanged(by, at.run, run, { decision: at.decision.key, ...hold })] : []),
      ...(story && at.story && story.column.role !== at.story.column.role
        ? [storyMoved(by, at.story, story, after.run)]
        : []),
      ...(after.filed
        ? [
            Audit.fact(by, "story_moved", Audit.entityOf("story", after.filed), {
              team: after.filed.team,
              details: { before: null, after: { draft: after.filed.draft, column: after.filed.column.role } }
            })
          ]
        : []),
      ...moot.audit
    ]
  }
}

const denied = (command: Command, at: DecisionContext): Change => ({
  audit: [
    { ...decisionFact(command.by, "access_denied", at.decision, { operation: "decision answer" }), result: "denied" }
  ]
})

/** Expires an unanswered decision: the run times out, its agent receives the reason, the story stays. */
export const expire = (by: By, at: DecisionContext): Change => {
  const { decision, fresh, now, run, story, team } = at
  const error = `nobody answered ${decision.key}`
  const ended = run && RunTransitions.end(run, now, "timed_out", { error })
  const hasEnded = run !== null && ended !== run
  const job =
    run &&
    queued(
      {
        id: fresh.job,
        kind: "tell_agent",
        team: team.slug,
        story: story?.key ?? null,
        runKey: run.key,
        decision: decision.key,
        payload: { answer: null, note: error }
      },
      now
    )
  const rest = consequences(by, at, { run: ended, story, filed: null, job, moot: hasEnded, steps: [] })
  return {
    added: rest.added,
    changed: { ...rest.changed, decisions: [close(decision, "expired"), ...rest.changed.decisions] },
    audit: [decisionFact(by, "decision_expired", decision), ...rest.audit]
  }
}

/** Resolves a decision; the first answer wins. Checks authority, then state, then option; a denial is recorded. */
export const answer =
  (command: Command, system: By) =>
  (at: DecisionContext): Either.Either<Decided<Answer, AnswerRefusal>, AnswerRefusal> => {
    const { by, channel, note, optionId, role } = command
    const { decision, now } = at
    if (!atLeast(role, decision.authority))
      return refused(
        denied(command, at),
        new InsufficientAuthority({ decision: decision.key, needed: decision.authority, role })
      )
    const final = finality(decision)
    if (final !== null) return Either.left(final)
    if (isDue(decision, now))
      return refused(expire(system, at), new DecisionExpired({ decision: decision.key, at: decision.expiresAt }))
    const option = decision.options.find(({ id }) => id === optionId)
    if (option === undefined)
      return Either.left(
        new UnknownOption({ decision: decision.key, optionId, allowed: decision.options.map(({ id }) => id) })
      )
    const after = follow[option.action]({ ...at, by, action: option.action, note })
    const rest = consequences(by, at, after)
    const resolved = new Decision(
      {
        ...decision,
        status: "resolved",
        resolution: { optionId, note },
        resolvedVia: channel,
        resolvedAt: now,
        resolvedBy: by.actor.name,
        effects: after.steps
      },
      skipValidation
    )
    const fact = decisionFact(by, "decision_resolved", decision, { optionId, action: option.action, channel })
    return answered(
      {
        added: rest.added,
        changed: { ...rest.changed, decisions: [resolved, ...rest.changed.decisions] },
        audit: [fact, ...rest.audit]
      },
      { decision: resolved, effects: after.steps }
    )
  }

/** Resolves a decision for an agent, but none that was raised with its own token; that denial is recorded. */
export const answerForAgent =
  (command: Command, system: By) =>
  (at: DecisionContext): Either.Either<Decided<Answer, AnswerRefusal | OwnQuestion>, AnswerRefusal> => {
    const { askedBy, key } = at.decision
    return askedBy !== null && askedBy === command.by.token
      ? refused(denied(command, at), new OwnQuestion({ decision: key }))
      : answer(command, system)(at)
  }

/** Steps that each option would take now, by the planner that takes them; keys that are drawn only then are left out. */
export const preview = (
  by: By,
  at: DecisionContext
): ReadonlyArray<{ readonly option: Option; readonly steps: ReadonlyArray<Step> }> =>
  at.decision.options.map((option) => {
    const { steps } = follow[option.action]({ ...at, by, action: option.action, note: null })
    const { run, storyKey } = at.fresh
    return {
      option,
      steps: steps.map((step) => ({
        ...step,
        summary: step.summary.replace(` as ${storyKey}`, "").replace(run, "a new run")
      }))
    }
  })

/** Sentences about an expiry now. */
export const previewExpiry = (by: By, at: DecisionContext): ReadonlyArray<string> => {
  const [run] = expire(by, at).changed?.runs ?? []
  const { story } = at
  return [
    ...(run === undefined ? [] : [`${run.key} ends as timed out`]),
    ...(story === null ? [] : [`${story.key} stays in ${story.column.name}`])
  ]
}
