import type { Either } from "effect"
import { followed } from "../EndAlerts.ts"
import { endUnfinished, type Unfinished } from "./EndUnfinished.ts"
import { answered, type Decided } from "../../Change.ts"
import type { JobId } from "../../work/Job.ts"
import type { RaiseContext } from "../../work/RaiseDecision.ts"
import type { By } from "../../workspace/Actor.ts"
import * as Audit from "../../workspace/Audit.ts"
import { Team, type TeamSlug } from "../../workspace/Team.ts"

/** A team with everything that its deletion ends: `pending` holds all its pending decisions. */
export interface TeamContext extends RaiseContext, Unfinished {
  /** One for each incident. */
  readonly freshJobs: ReadonlyArray<JobId>
}

/** Ends everything unfinished of the team; rows, audit and slug stay taken. */
export const deleteTeam =
  (by: By) =>
  (at: TeamContext): Either.Either<Decided<{ readonly slug: TeamSlug }>> => {
    const { now, team } = at
    const { slug } = team
    const { audit, rows } = endUnfinished(by, at, at.pending, `${by.actor.name} deleted the team ${team.name}.`)
    const details = { before: { slug } }
    return answered(
      {
        added: { jobs: followed(rows.incidents, at.freshJobs, now) },
        changed: { teams: [new Team({ ...team, deletedAt: now })], ...rows },
        audit: [Audit.fact(by, "team_deleted", Audit.entityOf("team", team), { team: slug, details }), ...audit]
      },
      { slug }
    )
  }
