import { type DateTime, Either, Schema } from "effect"
import type { By } from "./Actor.ts"
import * as Audit from "./Audit.ts"
import { answered, type Decided } from "../Change.ts"
import { difference } from "../value/FieldChanges.ts"
import * as Repository from "../value/Repository.ts"
import { validated } from "../value/Validated.ts"
import { Team } from "./Team.ts"

/** Fields of a team to replace; the others stay. The tracker is set by binding the team to its project. */
export type TeamChange = Partial<Pick<Team, "repositories">>

export class InvalidTeam extends Schema.TaggedError<InvalidTeam>()("InvalidTeam", {
  field: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.field}: ${this.problem}. The team is unchanged.`
  }
}

export class TeamUnchanged extends Schema.TaggedError<TeamUnchanged>()("TeamUnchanged", { team: Schema.String }) {
  override get message() {
    return `The team '${this.team}' has these repositories already.`
  }
}

/** The first address that a team cannot have; the addresses it has may stay. */
const refusedRepository = (by: By, team: Team, repositories: ReadonlyArray<string>): string | null => {
  for (const address of repositories) {
    const problem = team.repositories.includes(address)
      ? null
      : Repository.problemOf(address, by.actor.type === "system")
    if (problem !== null) return problem
  }
  return null
}

const auditedFields = ({ repositories }: Team) => ({ repositories })

/** Binds a team to repositories. */
export const setTeam =
  (by: By, change: TeamChange) =>
  ({
    now,
    team
  }: {
    readonly now: DateTime.Utc
    readonly team: Team
  }): Either.Either<Decided<Team>, InvalidTeam | TeamUnchanged> =>
    Either.gen(function* () {
      const repositories = [...new Set(change.repositories ?? team.repositories)]
      const after = yield* validated(
        () => new Team({ ...team, ...change, repositories, updatedAt: now }),
        (field, problem) => new InvalidTeam({ field, problem })
      )
      const problem = refusedRepository(by, team, after.repositories)
      if (problem !== null) return yield* Either.left(new InvalidTeam({ field: "repositories", problem }))
      const details = difference(auditedFields(team), auditedFields(after))
      if (Object.keys(details.after ?? {}).length === 0)
        return yield* Either.left(new TeamUnchanged({ team: team.slug }))
      return yield* answered(
        {
          changed: { teams: [after] },
          audit: [Audit.fact(by, "team_changed", Audit.entityOf("team", after), { team: team.slug, details })]
        },
        after
      )
    })
