import { Effect, type Redacted } from "effect"
import * as ChangePlace from "../../domain/oncall/commands/ChangePlace.ts"
import type { PlaceKind } from "../../domain/oncall/Place.ts"
import { ofPlace } from "../../domain/value/SecretBinding.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { byOf, permit, type Person } from "../workspace/Authorization.ts"
import { OnCallStore } from "../ports/OnCallStore.ts"
import { Sealing } from "../secrets/Sealing.ts"
import * as DeniedTarget from "../workspace/DeniedTarget.ts"

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
  const { kind = "webhook" } = input
  const address = yield* (yield* Sealing).seal(input.address, ofPlace(input))
  return yield* store.change(person.workspace, {}, ChangePlace.add(byOf(person), { ...input, kind, address }))
})

export const remove = Effect.fn("Places.remove")(function* (person: Person, team: TeamSlug, name: string) {
  yield* permit(person, "team place remove", DeniedTarget.ofTeam(person, team))
  const store = yield* OnCallStore
  return yield* store.change(person.workspace, {}, ChangePlace.remove(byOf(person), team, name))
})
