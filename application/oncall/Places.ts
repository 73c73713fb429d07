import { Effect, Either, type Redacted } from "effect"
import * as Audit from "../../domain/workspace/Audit.ts"
import { answered, type Decided } from "../../domain/Change.ts"
import { Place, type PlaceKind, PlaceNotFound, PlaceTaken } from "../../domain/oncall/Place.ts"
import { ofPlace } from "../../domain/value/SecretBinding.ts"
import { TeamNotFound, type TeamSlug } from "../../domain/workspace/Team.ts"
import { byOf, permit, type Person } from "../workspace/Authorization.ts"
import { OnCallStore } from "../ports/OnCallStore.ts"
import { Sealing } from "../secrets/Sealing.ts"
import * as DeniedTarget from "../workspace/DeniedTarget.ts"

const fact = (person: Person, team: TeamSlug, change: Audit.Fact["details"]) =>
  Audit.fact(byOf(person), "service_changed", { type: "team", id: team, name: team }, { team, details: change })

/** The address is a secret of the chat tool, so it is neither shown nor recorded. */
export const add = Effect.fn("Places.add")(function* (
  person: Person,
  input: {
    readonly team: TeamSlug
    readonly name: string
    readonly kind?: PlaceKind
    readonly address: Redacted.Redacted
  }
) {
  yield* permit(person, "team place add", DeniedTarget.ofTeam(person, input.team))
  const store = yield* OnCallStore
  const { kind = "webhook", name, team } = input
  const address = yield* (yield* Sealing).seal(input.address, ofPlace(input))
  return yield* store.change(
    person.workspace,
    {},
    ({ now, places, teams }): Either.Either<Decided<Place>, TeamNotFound | PlaceTaken> => {
      if (!teams.includes(team)) return Either.left(new TeamNotFound({ team }))
      if (places.some((place) => place.team === team && place.name === name))
        return Either.left(new PlaceTaken({ team, place: name }))
      const place = new Place({ team, name, kind, address, createdAt: now, removedAt: null })
      return answered({ changed: { places: [place] }, audit: [fact(person, team, { after: { place: name } })] }, place)
    }
  )
})

export const remove = Effect.fn("Places.remove")(function* (person: Person, team: TeamSlug, name: string) {
  yield* permit(person, "team place remove", DeniedTarget.ofTeam(person, team))
  const store = yield* OnCallStore
  return yield* store.change(person.workspace, {}, ({ now, places }) => {
    const place = places.find((one) => one.team === team && one.name === name)
    if (place === undefined) return Either.left(new PlaceNotFound({ team, place: name }))
    const removed = new Place({ ...place, removedAt: now })
    return answered(
      { changed: { places: [removed] }, audit: [fact(person, team, { before: { place: name } })] },
      removed
    )
  })
})
