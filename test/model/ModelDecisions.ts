import { DateTime } from "effect"
import type { Action, Kind } from "../../domain/work/Decision.ts"
import type { Role } from "../../domain/workspace/Member.ts"
import {
  cancel,
  type Decision,
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
  wait,
  watch
} from "./Model.ts"
import { fileStory } from "./ModelStories.ts"
import { type Asked, offers, type TeamName } from "./Steps.ts"

const hour = 3_600_000

export const isDeclined = (
  state: State,
  team: TeamName,
  about: { readonly type?: string; readonly kind?: Kind; readonly title: string }
) => {
  const kind = about.kind ?? (about.type === "feature_idea" ? "strategy_proposal" : "maintenance_proposal")
  return state.decisions.some(
    (one) =>
      one.team === team &&
      (kind === "strategy_proposal" || kind === "maintenance_proposal") &&
      one.kind === kind &&
      one.title === about.title &&
      one.answer?.option === "decline_proposal"
  )
}

/** A newer decision of the same kind and subject about the same run supersedes a pending one. */
export const ask = (
  state: State,
  actor: string,
  about: Pick<Decision, "kind" | "subject" | "team" | "story" | "run" | "title"> &
    Partial<Pick<Asked, "authority" | "options">>
): Decision => {
  const { authority = "member", kind, options = offers[kind], run } = about
  const hours = state.teams[about.team].policy?.decisionHours ?? 72
  const older = pendingOf(state, run).filter((one) => one.kind === kind && one.subject === about.subject)
  const decision: Decision = {
    ...about,
    is: `dec#${state.decisions.length}`,
    authority,
    options,
    createdAt: state.now,
    expiresAt: state.now + hours * hour,
    status: "pending",
    answer: null
  }
  state.decisions.push(decision)
  say(state, actor, "decision_raised", decision.is, decision)
  for (const one of older) {
    one.status = "superseded"
    say(state, actor, "decision_superseded", one.is, one)
  }
  return decision
}

/** The hold on a team's merges as the log has it, with the decisions that a report raises. */
export const heldMerges = (state: State, team: TeamName, raised: ReadonlyArray<{ readonly kind: Kind }> = []) => {
  const asked = raised.map(({ kind }, index) => ({
    is: `dec#${state.decisions.length + index}`,
    kind,
    team,
    status: "pending" as const,
    createdAt: state.now
  }))
  const red = [...state.decisions, ...asked].filter((one) => one.team === team && one.kind === "main_red_incident")
  const sinceAnswer = red.slice(red.findLastIndex(({ status }) => status === "resolved") + 1)
  const holding =
    red.find(({ status }) => status === "pending") ??
    sinceAnswer.find(({ status }) => status === "expired" || status === "cancelled")
  if (holding === undefined) return {}
  const { createdAt, is, status } = holding
  return { mergeHold: { decision: is, status, since: DateTime.formatIso(DateTime.unsafeMake(createdAt)) } }
}

export const raise = (
  state: State,
  actor: string,
  place: { readonly team: TeamName; readonly story: Story | null; readonly run: Run | null },
  asked: Asked
) => {
  const { run } = place
  if (run && isOver(run)) return refuse("RunOver")
  if (run?.current.status === "queued") return refuse("RunNotRunning")
  if (isDeclined(state, place.team, asked)) return refuse("ProposalDeclined")
  const isOffered = asked.options.every((action) => offers[asked.kind].includes(action))
  if (!isOffered || asked.options.length < 2) return refuse("InvalidDecision")
  const decision = ask(state, actor, { ...asked, ...place })
  if (run?.current.status === "running") {
    const record = watch(state, run)
    wait(run)
    record(actor)
  }
  return { decision: decision.is, kind: decision.kind, expiresAt: decision.expiresAt }
}

/** Expires an unanswered decision and times out its run. */
const expire = (state: State, decision: Decision) => {
  const { run } = decision
  decision.status = "expired"
  say(state, "system", "decision_expired", decision.is, decision)
  if (run === null) return
  state.jobs.push("tell_agent")
  const record = watch(state, run)
  end(state, run, "timed_out", { error: `nobody answered ${decision.is}` })
  record("system", { decision: decision.is })
  cancel(state, "system", pendingOf(state, run))
}

const isDue = (state: State, decision: Decision) => decision.status === "pending" && decision.expiresAt <= state.now

export const sweep = (state: State) => {
  const due = state.decisions.filter((one) => isDue(state, one)).toSorted((a, b) => a.expiresAt - b.expiresAt)
  return due.filter((one) => {
    if (one.status !== "pending") return false
    expire(state, one)
    return true
  }).length
}

/** Effects of a resolution on the run and its story. */
const follow = (state: State, actor: string, decision: Decision, action: Action, note: string | null): void => {
  const { run, story } = decision
  const record = run && watch(state, run)
  const stillWaits = pendingOf(state, run).length > 0
  const hold = action === "merge" ? heldMerges(state, decision.team) : {}
  let isWritten = false
  const write = (change: () => void) => {
    change()
    isWritten = true
  }
  const goOn = (stage?: Run["current"]["stage"]) => {
    if (run === null) return
    if (stage && stage !== run.current.stage) write(() => (run.current.stage = stage))
    if (!stillWaits) write(() => (run.current.status = "running"))
  }
  const finish = () => {
    if (isWritten) record?.(actor, { decision: decision.is, ...hold })
  }
  const tell = () => {
    if (run && note) isWritten = true
  }
  const giveUp = (failureClass: "policy" | null) => {
    if (run) write(() => end(state, run, "stopped", { failureClass, error: note }))
    finish()
    if (story) move(state, actor, story, "backlog", run)
    cancel(state, actor, pendingOf(state, run))
  }
  const again = () => {
    if (run === null) return
    const failureClass = decision.kind === "main_red_incident" ? "dependency" : "gate"
    write(() => end(state, run, "failed", { failureClass, error: "the decision's title" }))
    nextAttempt(run)
    finish()
    cancel(state, actor, pendingOf(state, run))
  }
  switch (action) {
    case "approve_plan":
      tell()
      goOn("implementing")
      finish()
      if (run && story) move(state, actor, story, "in_progress", run)
      return
    case "request_changes":
      if (run) state.jobs.push("tell_agent")
      tell()
      goOn(run?.current.stage === "planning" ? undefined : "implementing")
      return finish()
    case "answer":
      if (run) state.jobs.push("tell_agent")
      tell()
      goOn()
      return finish()
    case "allow_once":
      if (run) write(() => run.allowed.add(`${decision.kind} ${decision.subject ?? ""}`))
      goOn()
      return finish()
    case "raise_budget":
      if (run) write(() => (run.budgetCents *= 2))
      goOn()
      return finish()
    case "merge":
      state.jobs.push("merge_pull_request")
      tell()
      goOn("handing_off")
      return finish()
    case "open_revert":
      state.jobs.push("open_revert")
      goOn()
      return finish()
    case "decline_proposal":
      goOn()
      return finish()
    case "accept_proposal":
      goOn()
      finish()
      fileStory(state, actor, decision)
      return
    case "reject":
      return giveUp("policy")
    case "abandon":
      return giveUp(null)
    case "revert_spec_and_retry":
      if (run) state.jobs.push("restore_spec")
      return again()
    case "retry":
      return again()
  }
}

const rank: Readonly<Record<Role, number>> = { member: 0, admin: 1, owner: 2 }

export const answer = (
  state: State,
  by: { readonly actor: string; readonly role: Role },
  decision: Decision,
  given: { readonly option: number; readonly note: string | null; readonly via: string }
) => {
  if (rank[by.role] < rank[decision.authority]) {
    say(state, by.actor, "access_denied", decision.is, decision, { operation: "decision answer" })
    return refuse("InsufficientAuthority")
  }
  if (decision.status === "resolved") return refuse("DecisionAlreadyResolved")
  if (decision.status === "expired") return refuse("DecisionExpired")
  if (decision.status === "cancelled") return refuse("DecisionCancelled")
  if (decision.status === "superseded") return refuse("DecisionSuperseded")
  if (isDue(state, decision)) {
    expire(state, decision)
    return refuse("DecisionExpired")
  }
  const option = given.option < 0 ? undefined : decision.options[given.option % decision.options.length]
  if (option === undefined) return refuse("UnknownOption")
  decision.status = "resolved"
  decision.answer = { option, via: given.via }
  say(state, by.actor, "decision_resolved", decision.is, decision, {
    optionId: option,
    action: option,
    channel: given.via
  })
  follow(state, by.actor, decision, option, given.note)
  return { decision: decision.is, option, via: given.via }
}
