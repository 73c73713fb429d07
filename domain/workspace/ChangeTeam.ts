import { type DateTime, Either, Schema } from "effect"
import type { By } from "./Actor.ts"
import * as Audit from "./Audit.ts"
import { answered, type Change, type Decided } from "../Change.ts"
import * as Policy from "./Policy.ts"
import * as SetPolicy from "./SetPolicy.ts"
import { Team } from "./Team.ts"
import { difference } from "../value/FieldChanges.ts"

interface Context {
  readonly now: DateTime.Utc
  readonly team: Team
}

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

const teamChanged = (by: By, event: "team_paused" | "team_resumed", team: Team): Change => ({
  changed: { teams: [team] },
  audit: [Audit.fact(by, event, Audit.entityOf("team", team), { team: team.slug })]
})

/** Stops the team from starting new work; current runs finish. */
export const pause =
  (by: By) =>
  ({ now, team }: Context): Either.Either<Decided<Team>, TeamAlreadyPaused> => {
    if (team.pausedAt !== null) return Either.left(new TeamAlreadyPaused({ team: team.slug }))
    const paused = new Team({ ...team, pausedAt: now, updatedAt: now })
    return answered(teamChanged(by, "team_paused", paused), paused)
  }

/** Lets the team start Ready stories again. */
export const resume =
  (by: By) =>
  ({ now, team }: Context): Either.Either<Decided<Team>, TeamNotPaused> => {
    if (team.pausedAt === null) return Either.left(new TeamNotPaused({ team: team.slug }))
    const resumed = new Team({ ...team, pausedAt: null, updatedAt: now })
    return answered(teamChanged(by, "team_resumed", resumed), resumed)
  }

const auditedFields = (policy: Policy.Policy) => ({
  preset: policy.preset,
  version: policy.version,
  ...Policy.settings(policy)
})

/** Changes single settings or the preset; returns the policy in place of an error when nothing would change.
 * `expected` is the version that the change began with. */
export const setPolicy =
  (by: By, change: SetPolicy.PolicyChange, expected: number | null = null) =>
  ({
    now,
    team
  }: Context): Either.Either<
    Decided<Policy.Policy>,
    SetPolicy.InvalidPolicy | SetPolicy.PolicyChangedMeanwhile | Policy.Policy
  > =>
    Either.gen(function* () {
      const version = team.policy?.version ?? 0
      if (expected !== null && expected !== version)
        return yield* Either.left(new SetPolicy.PolicyChangedMeanwhile({ team: team.slug, version }))
      const policy = yield* SetPolicy.setPolicy(team.policy, change, now)
      if (team.policy !== null && SetPolicy.isSame(team.policy, policy)) return yield* Either.left(team.policy)
      const details = difference(team.policy && auditedFields(team.policy), auditedFields(policy))
      return yield* answered(
        {
          changed: { teams: [new Team({ ...team, policy, updatedAt: now })] },
          audit: [Audit.fact(by, "policy_changed", Audit.entityOf("policy", team), { team: team.slug, details })]
        },
        policy
      )
    })
