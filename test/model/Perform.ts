import type { Role } from "../../domain/workspace/Member.ts"
import type { Settings } from "../../domain/workspace/Policy.ts"
import { cancel, end, find, isOver, refuse, Refused, say, type State, teamOf, watch } from "./Model.ts"
import * as Decisions from "./ModelDecisions.ts"
import { sweepLeases } from "./ModelLeases.ts"
import * as Runs from "./ModelRuns.ts"
import * as Stories from "./ModelStories.ts"
import type { Name, Place, Step, TeamName } from "./Steps.ts"

interface Target {
  readonly entity: string
  readonly team: TeamName | null
}

const ofTeam = (state: State, slug: TeamName): Target => ({
  entity: slug,
  team: state.teams[slug].isDeleted ? null : slug
})

const deny = (state: State, actor: string, operation: string, tag: string, { entity, team }: Target): never => {
  say(state, actor, "access_denied", entity, { team }, { operation })
  return refuse(tag)
}

const needAdmin = (state: State, actor: Name, role: Role, operation: string, target: Target) =>
  role === "member" ? deny(state, actor, operation, "AdminRequired", target) : undefined

const remove = (state: State, actor: Name, role: Role, slug: TeamName, isSure: boolean) => {
  if (role !== "owner") return deny(state, actor, "team delete", "OwnerRequired", ofTeam(state, slug))
  if (!isSure) return refuse("NotConfirmed")
  const team = teamOf(state, slug)
  team.isDeleted = true
  say(state, actor, "team_deleted", slug, { team: slug })
  for (const run of state.runs.filter((one) => one.team === slug && !isOver(one))) {
    const record = watch(state, run)
    end(state, run, "stopped")
    record(actor)
  }
  cancel(
    state,
    actor,
    state.decisions.filter((one) => one.team === slug && one.status === "pending")
  )
  return { slug }
}

const sorted = (settings: Settings) =>
  Object.entries({
    ...settings,
    deniedPaths: [...new Set([...settings.deniedPaths, ".kanman/acceptance/**"])].toSorted()
  }).toSorted(([one], [other]) => (one < other ? -1 : 1))

const setPolicy = (state: State, actor: string, slug: TeamName, preset: string, settings: Settings) => {
  const team = teamOf(state, slug)
  if (!settings.acceptanceSpecRequired && preset !== "trial") return refuse("InvalidPolicy")
  const before = team.policy && JSON.stringify([team.preset, sorted(team.policy)])
  if (before === JSON.stringify([preset, sorted(settings)])) return { version: team.version }
  team.preset = preset
  team.policy = settings
  team.version += 1
  say(state, actor, "policy_changed", slug, { team: slug })
  return { version: team.version }
}

const addMember = (state: State, actor: Name, role: Role, who: Name, wanted: Role) => {
  if (wanted === "owner" && role !== "owner")
    return deny(state, actor, "member add owner", "OwnerRequired", { entity: who, team: null })
  needAdmin(state, actor, role, "member add", { entity: who, team: null })
  if (state.members.has(who)) return refuse("MemberExists")
  state.members.set(who, wanted)
  say(state, actor, "member_added", who, { team: null })
  return { role: wanted }
}

const removeMember = (state: State, actor: Name, role: Role, who: Name) => {
  needAdmin(state, actor, role, "member remove", {
    entity: state.members.has(who) ? who : `${who}@acme.test`,
    team: null
  })
  const theirs = state.members.get(who) ?? refuse("MemberNotFound")
  if (theirs === "owner" && role !== "owner")
    return deny(state, actor, "member remove owner", "OwnerRequired", { entity: who, team: null })
  const owners = [...state.members.values()].filter((one) => one === "owner").length
  if (theirs === "owner" && owners === 1) return refuse("LastOwner")
  state.members.delete(who)
  say(state, actor, "member_removed", who, { team: null })
  return null
}

const placeOf = (state: State, place: Place) => {
  if ("team" in place) return { team: teamOf(state, place.team).slug, story: null, run: null }
  if ("run" in place) {
    const run = find(state, state.runs, place.run, "RunNotFound")
    return { team: run.team, story: run.story, run }
  }
  const story = storyOf(state, place.story)
  return { team: story.team, story, run: null }
}

const storyOf = (state: State, index: number) => {
  const story = find(state, state.stories, index, "StoryNotFound")
  return story.isRejected ? refuse("StoryNotFound") : story
}

const wanted = (state: State, { run, team }: Extract<Step, { readonly do: "lease" }>) =>
  run === null ? team : find(state, state.runs, run, "RunNotFound")

const attempt = (state: State, step: Step) => {
  if (step.do === "sweep") {
    const count = Decisions.sweep(state)
    sweepLeases(state)
    return count
  }
  if (step.do === "tick") return Runs.tick(state)
  if (step.do === "pass") return null
  if (step.do === "lease" && step.isService) return Runs.lease(state, "gatehouse", wanted(state, step))
  const role = state.members.get(step.as) ?? refuse("MemberNotFound")
  const actor = step.as
  const run = (index: number) => find(state, state.runs, index, "RunNotFound")
  switch (step.do) {
    case "create":
      return Stories.create(state, actor, step.team, step.story)
    case "edit":
      return Stories.edit(state, actor, storyOf(state, step.story), step.title, step.content)
    case "approve":
      return Stories.approve(state, actor, storyOf(state, step.story))
    case "reject":
      return Stories.reject(state, actor, storyOf(state, step.story))
    case "start":
      return Runs.start(state, actor, storyOf(state, step.story))
    case "lease":
      return Runs.lease(state, actor, wanted(state, step))
    case "report":
      return Runs.report(state, actor, run(step.run), step.facts, step.fence)
    case "finish":
      return Runs.finish(state, actor, run(step.run), step.outcome, step.fence)
    case "stop":
      return Runs.stop(state, actor, run(step.run))
    case "retry":
      return Runs.retry(state, actor, run(step.run))
    case "raise":
      return Decisions.raise(state, actor, placeOf(state, step.place), step.ask)
    case "answer": {
      const decision = find(state, state.decisions, step.decision, "DecisionNotFound")
      return Decisions.answer(state, { actor, role }, decision, step)
    }
    case "pause":
      needAdmin(state, actor, role, "team pause", ofTeam(state, step.team))
      return Stories.pause(state, actor, step.team)
    case "resume":
      needAdmin(state, actor, role, "team resume", ofTeam(state, step.team))
      return Stories.resume(state, actor, step.team)
    case "delete":
      return remove(state, actor, role, step.team, step.isSure)
    case "policy":
      needAdmin(state, actor, role, "policy set", ofTeam(state, step.team))
      return setPolicy(state, actor, step.team, step.preset, step.settings)
    case "add":
      return addMember(state, actor, role, step.who, step.role)
    case "remove":
      return removeMember(state, actor, role, step.who)
  }
}

/** A step's answer: its value, or the tag of the refusal. */
export const perform = (state: State, step: Step): unknown => {
  try {
    return { is: attempt(state, step) }
  } catch (refusal) {
    if (refusal instanceof Refused) return { refused: refusal.tag }
    throw refusal
  }
}
