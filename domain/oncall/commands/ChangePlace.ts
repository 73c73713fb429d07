import { Either } from "effect"
import type { OnCall } from "./OnCallContext.ts"
import { Place, PlaceNotFound, PlaceTaken } from "../Place.ts"
import { answered, type Decided } from "../../Change.ts"
import type { By } from "../../workspace/Actor.ts"
import * as Audit from "../../workspace/Audit.ts"
import { TeamNotFound, type TeamSlug } from "../../workspace/Team.ts"

const placeFact = (by: By, team: TeamSlug, details: Audit.Fact["details"]) =>
  Audit.fact(by, "service_changed", Audit.entityOf("team", { id: team, name: team }), { team, details })

/** Adds a place; its address is sealed already. */
export const add =
  (by: By, { address, kind, name, team }: Pick<Place, "team" | "name" | "kind" | "address">) =>
  ({ now, places, teams }: OnCall): Either.Either<Decided<Place>, TeamNotFound | PlaceTaken> => {
    if (!teams.includes(team)) return Either.left(new TeamNotFound({ team }))
    if (places.some((place) => place.team === team && place.name === name))
      return Either.left(new PlaceTaken({ team, place: name }))
    const place = new Place({ team, name, kind, address, createdAt: now, removedAt: null })
    return answered({ changed: { places: [place] }, audit: [placeFact(by, team, { after: { place: name } })] }, place)
  }

export const remove =
  (by: By, team: TeamSlug, name: string) =>
  ({ now, places }: OnCall): Either.Either<Decided<Place>, PlaceNotFound> => {
    const place = places.find((one) => one.team === team && one.name === name)
    if (place === undefined) return Either.left(new PlaceNotFound({ team, place: name }))
    const removed = new Place({ ...place, removedAt: now })
    return answered(
      { changed: { places: [removed] }, audit: [placeFact(by, team, { before: { place: name } })] },
      removed
    )
  }
