import { Effect, Either, Schema } from "effect"
import type { By } from "../../domain/workspace/Actor.ts"
import * as Audit from "../../domain/workspace/Audit.ts"
import { answered, type Change } from "../../domain/Change.ts"
import { difference } from "../../domain/value/FieldChanges.ts"
import { ended, followed } from "../../domain/oncall/EndAlerts.ts"
import { cancelled, runChanged } from "../../domain/work/WorkContext.ts"
import * as Policy from "../../domain/workspace/Policy.ts"
import * as SetPolicy from "../../domain/workspace/SetPolicy.ts"
import * as SetTeam from "../../domain/workspace/SetTeam.ts"
import * as RunTransitions from "../../domain/work/RunTransitions.ts"
import { Team, type TeamSlug } from "../../domain/workspace/Team.ts"
import { NotConfirmed } from "../../domain/workspace/Workspace.ts"
import { byOf, permit, type Person } from "../workspace/Authorization.ts"
import * as Import from "./Import.ts"
import { incidentFact } from "../../domain/oncall/IncidentFact.ts"
import { type TeamMatter, TeamStore } from "../ports/TeamStore.ts"
import * as DeniedTarget from "../workspace/DeniedTarget.ts"

export const create = Effect.fn("Teams.create")(function* (
  person: Person,
  input: {
    readonly slug: TeamSlug
    readonly name: string
    readonly keyPrefix: string
    readonly description: string | null
    readonly preset: Policy.Preset
  }
) {
  yield* permit(person, "team create", Effect.succeed({ entity: { type: "team", id: input.slug, name: input.name } }))
  const { preset, ...rest } = input
  const document = { teams: [{ ...rest, policy: { preset } }] }
  const { teams } = yield* Import.write(byOf(person), person.workspaceSlug, document, {})
  return teams[0] as Team
})

/** Changes the tracker's project and the repositories of a team. */
export const set = Effect.fn("Teams.set")(function* (person: Person, slug: TeamSlug, change: SetTeam.TeamChange) {
  yield* permit(person, "team set", DeniedTarget.ofTeam(person, slug))
  return yield* (yield* TeamStore).change(person.workspace, slug, SetTeam.setTeam(byOf(person), change))
})

const entity = (team: Team): Audit.Fact["entity"] => ({ type: "team", id: team.id, name: team.name })

export class TeamAlreadyPaused extends Schema.TaggedError<TeamAlreadyPaused>()("TeamAlreadyPaused", {
  team: Schema.String
}) {
  override get message() {
    return `The team '${this.team}' is paused already.`
  }
}

export class TeamNotPaused extends Schema.TaggedError<TeamNotPaused>()("TeamNotPaused", { team: Schema.String }) {
  override get message() {
    return `The team '${this.team}' is not paused.`
  }
}

const touched = (by: By, event: "team_paused" | "team_resumed", team: Team): Change => ({
  changed: { teams: [team] },
  audit: [Audit.fact(by, event, entity(team), { team: team.slug })]
})

/** Stops the team from starting new work; current runs finish. */
export const pause = Effect.fn("Teams.pause")(function* (person: Person, slug: TeamSlug) {
  yield* permit(person, "team pause", DeniedTarget.ofTeam(person, slug))
  return yield* (yield* TeamStore).change(person.workspace, slug, ({ now, team }) => {
    if (team.pausedAt !== null) return Either.left(new TeamAlreadyPaused({ team: slug }))
    const paused = new Team({ ...team, pausedAt: now, updatedAt: now })
    return answered(touched(byOf(person), "team_paused", paused), paused)
  })
})

/** Lets the team start Ready stories again. */
export const resume = Effect.fn("Teams.resume")(function* (person: Person, slug: TeamSlug) {
  yield* permit(person, "team resume", DeniedTarget.ofTeam(person, slug))
  return yield* (yield* TeamStore).change(person.workspace, slug, ({ now, team }) => {
    if (team.pausedAt === null) return Either.left(new TeamNotPaused({ team: slug }))
    const resumed = new Team({ ...team, pausedAt: null, updatedAt: now })
    return answered(touched(byOf(person), "team_resumed", resumed), resumed)
  })
})

/** Stops its runs, cancels pending decisions, resolves open incidents; rows, audit and slug stay taken. */
const deletion = (by: By, at: TeamMatter): Change => {
  const { now, pending, team, unfinishedRuns } = at
  const moot = cancelled(by, pending)
  const why = `${by.actor.name} deleted the team ${team.name}.`
  const over = ended(at.firingAlerts, at.openIncidents, now, why)
  const stopped = unfinishedRuns.map((run) => ({ before: run, after: RunTransitions.stop(run, now) }))
  return {
    added: { jobs: followed(over.incidents, at.freshJobs, now) },
    changed: {
      teams: [new Team({ ...team, deletedAt: now })],
      runs: stopped.map(({ after }) => after),
      decisions: moot.decisions,
      ...over
    },
    audit: [
      Audit.fact(by, "team_deleted", entity(team), { team: team.slug, details: { before: { slug: team.slug } } }),
      ...stopped.map(({ after, before }) => runChanged(by, before, after)),
      ...moot.audit,
      ...over.incidents.map((incident) => incidentFact(by, "incident_resolved", incident))
    ]
  }
}

export const remove = Effect.fn("Teams.remove")(function* (person: Person, slug: TeamSlug, confirm: string) {
  yield* permit(person, "team delete", DeniedTarget.ofTeam(person, slug))
  if (confirm !== slug) return yield* new NotConfirmed({ given: confirm, expected: slug })
  return yield* (yield* TeamStore).change(person.workspace, slug, (at) =>
    answered(deletion(byOf(person), at), { slug })
  )
})

const auditedFields = (policy: Policy.Policy) => ({
  preset: policy.preset,
  version: policy.version,
  ...Policy.settings(policy)
})

/** Changes single settings or the preset; a change that sets the current values is none. */
export const setPolicy = Effect.fn("Teams.setPolicy")(function* (
  person: Person,
  slug: TeamSlug,
  change: SetPolicy.PolicyChange
) {
  yield* permit(person, "policy set", DeniedTarget.ofTeam(person, slug, "policy"))
  return yield* (yield* TeamStore)
    .change(person.workspace, slug, ({ now, team }) =>
      Either.gen(function* () {
        const policy = yield* SetPolicy.setPolicy(team.policy, change, now)
        if (team.policy !== null && SetPolicy.isSame(team.policy, policy)) return yield* Either.left(team.policy)
        return yield* answered(
          {
            changed: { teams: [new Team({ ...team, policy, updatedAt: now })] },
            audit: [
              Audit.fact(
                byOf(person),
                "policy_changed",
                { type: "policy", id: team.id, name: team.name },
                { team: slug, details: difference(team.policy && auditedFields(team.policy), auditedFields(policy)) }
              )
            ]
          },
          { policy, isChanged: true }
        )
      })
    )
    .pipe(
      Effect.catchAll((left) =>
        left instanceof Policy.Policy ? Effect.succeed({ policy: left, isChanged: false }) : Effect.fail(left)
      )
    )
})
