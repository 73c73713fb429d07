import type { Action, DecisionStatus, Kind } from "../../domain/work/Decision.ts"
import type { Role } from "../../domain/workspace/Member.ts"
import type { Settings } from "../../domain/workspace/Policy.ts"
import type { FailureClass, RunStatus, Stage } from "../../domain/work/Run.ts"
import type { ColumnRole } from "../../domain/work/Story.ts"
import type { Content, Name, TeamName } from "./Steps.ts"

/** The contract's rules in plain objects; none of it is computed by the code it checks. */

export interface Attempt {
  status: RunStatus
  stage: Stage
  costCents: number
  failureClass: FailureClass | null
  error: string | null
  verification: "passed" | "failed" | "skipped" | null
  startedAt: number | null
  completedAt: number | null
}

export interface Run {
  readonly is: string
  readonly team: TeamName
  readonly story: Story
  readonly earlier: Array<Attempt>
  current: Attempt
  budgetCents: number
  hasPullRequest: boolean
  changedLines: number | null
  readonly allowed: Set<string>
  readonly gateFailures: Map<string, number>
  /** Number of the newest lease. */
  fence: number
  /** Null when nobody holds the run. */
  leasedUntil: number | null
  lapses: number
}

export interface Decision {
  readonly is: string
  readonly kind: Kind
  readonly authority: Role
  /** Null where the service sets the title. */
  readonly title: string | null
  readonly subject: string | null
  readonly options: ReadonlyArray<Action>
  readonly team: TeamName
  readonly story: Story | null
  readonly run: Run | null
  readonly createdAt: number
  readonly expiresAt: number
  status: DecisionStatus
  answer: { readonly option: Action; readonly via: string } | null
}

export interface Story extends Content {
  readonly key: string
  readonly team: TeamName
  title: string
  column: ColumnRole
  draft: boolean
  isRejected: boolean
  description: boolean
  criteria: boolean
  demonstrate: boolean
  readonly size: "s" | "xl" | null
  readonly isExpedite: boolean
  readonly hasTracker: boolean
}

export interface Team {
  readonly slug: TeamName
  isPaused: boolean
  isDeleted: boolean
  version: number
  preset: string | null
  policy: Settings | null
}

export interface Entry {
  readonly event: string
  readonly result: "success" | "denied"
  readonly actor: string
  readonly team: TeamName | null
  readonly run: string | null
  readonly entity: string
  readonly told?: object
}

export interface State {
  now: number
  readonly members: Map<Name, Role>
  readonly teams: Readonly<Record<TeamName, Team>>
  readonly stories: Array<Story>
  readonly runs: Array<Run>
  readonly decisions: Array<Decision>
  readonly jobs: Array<string>
  readonly audit: Array<Entry>
}

export class Refused extends Error {
  readonly tag: string
  constructor(tag: string) {
    super(tag)
    this.tag = tag
  }
}

export const refuse = (tag: string): never => {
  throw new Refused(tag)
}

export const isOver = ({ current: { status } }: Run) =>
  status === "succeeded" || status === "failed" || status === "timed_out" || status === "stopped"

export const isReady = ({ criteria, demonstrate, description }: Content) => description && criteria && demonstrate

export const pendingOf = ({ decisions }: State, run: Run | null) =>
  run === null ? [] : decisions.filter((one) => one.run === run && one.status === "pending")

const summary = ({ budgetCents, current, earlier }: Run) => ({
  status: current.status,
  stage: current.stage,
  attempts: earlier.length + 1,
  costCents: [...earlier, current].reduce((sum, { costCents }) => sum + costCents, 0),
  budgetCents
})

export const told = (run: Run) => ({ ...summary(run), failureClass: run.current.failureClass })

export const costOf = (run: Run) => summary(run).costCents

/** Records a change of a run: changed fields only. */
export const watch = (state: State, run: Run) => {
  const before: Record<string, unknown> = summary(run)
  return (actor: string, details: object = {}) => {
    const after: Record<string, unknown> = summary(run)
    const keys = Object.keys(after).filter((key) => after[key] !== before[key])
    const pick = (from: Record<string, unknown>) => Object.fromEntries(keys.map((key) => [key, from[key]]))
    say(state, actor, "run_state_changed", run.is, run, { before: pick(before), after: pick(after), ...details })
  }
}

export const say = (
  state: State,
  actor: string,
  event: string,
  entity: string,
  of: { readonly team: TeamName | null; readonly is?: string; readonly run?: Run | null },
  details?: object
) =>
  state.audit.push({
    event,
    result: event === "access_denied" ? "denied" : "success",
    actor,
    team: of.team,
    run: of.run?.is ?? (of.is?.startsWith("run") ? of.is : null),
    entity,
    ...(details && { told: details })
  })

export const move = (state: State, actor: string, story: Story, column: ColumnRole, run: Run | null) => {
  if (story.column === column) return
  const details = { before: { column: story.column }, after: { column } }
  story.column = column
  say(state, actor, "story_moved", story.key, { team: story.team, run }, details)
}

/** Cancels decisions about an object that is over. */
export const cancel = (state: State, actor: string, pending: ReadonlyArray<Decision>) => {
  for (const decision of pending) {
    decision.status = "cancelled"
    say(state, actor, "decision_cancelled", decision.is, decision)
  }
}

export const teamOf = ({ teams }: State, slug: TeamName): Team => {
  const team = teams[slug]
  return team.isDeleted ? refuse("TeamNotFound") : team
}

/** Objects of a deleted team, and unknown ones, are not found. */
export const find = <A extends { readonly team: TeamName }>(
  { teams }: State,
  all: ReadonlyArray<A>,
  index: number,
  tag: string
): A => {
  const one = all[index]
  return one === undefined || teams[one.team].isDeleted ? refuse(tag) : one
}

export const attempt = (): Attempt => ({
  status: "queued",
  stage: "planning",
  costCents: 0,
  failureClass: null,
  error: null,
  verification: null,
  startedAt: null,
  completedAt: null
})

/** A waiting run holds no lease. */
export const wait = (run: Run) => {
  run.current.status = "waiting"
  run.leasedUntil = null
  run.lapses = 0
}

/** Ends the current attempt. */
export const end = (
  state: State,
  run: Run,
  status: RunStatus,
  { error = null, failureClass = null }: Partial<Pick<Attempt, "error" | "failureClass">> = {}
) => {
  const { current } = run
  current.status = status
  run.leasedUntil = null
  current.completedAt = state.now
  current.error = error ?? current.error
  current.failureClass = failureClass ?? current.failureClass
  if (status === "succeeded") current.stage = "done"
}

export const nextAttempt = (run: Run) => {
  run.earlier.push(run.current)
  run.current = attempt()
}
