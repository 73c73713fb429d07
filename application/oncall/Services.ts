import { type DateTime, Effect } from "effect"
import * as ChangeService from "../../domain/oncall/commands/ChangeService.ts"
import type { ServiceId } from "../../domain/oncall/Service.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import { byOf, permit, type Person } from "../workspace/Authorization.ts"
import { OnCallStore } from "../ports/OnCallStore.ts"
import * as DeniedTarget from "../workspace/DeniedTarget.ts"

export const create = Effect.fn("Services.create")(function* (
  person: Person,
  input: { readonly team: TeamSlug; readonly name: string }
) {
  yield* permit(
    person,
    "service create",
    Effect.succeed({ ...DeniedTarget.named("service", input.name), team: input.team })
  )
  const store = yield* OnCallStore
  const id = (yield* Uuid.make) as ServiceId
  return yield* store.change(person.workspace, {}, ChangeService.create(byOf(person), { ...input, id }))
})

/** Changes single settings of the expected version; the others stay. */
export const set = Effect.fn("Services.set")(function* (
  person: Person,
  name: string,
  settings: Readonly<Record<string, unknown>>,
  expected: DateTime.Utc | null = null
) {
  yield* permit(person, "service set", DeniedTarget.ofService(person, name))
  const store = yield* OnCallStore
  yield* ChangeService.checkFields(settings)
  const decide = ChangeService.set(byOf(person), name, settings, expected)
  return yield* store.change(person.workspace, { service: name }, decide)
})

export const remove = Effect.fn("Services.remove")(function* (person: Person, name: string, confirm: string) {
  yield* permit(person, "service delete", DeniedTarget.ofService(person, name))
  const store = yield* OnCallStore
  return yield* store.change(person.workspace, { service: name }, ChangeService.remove(byOf(person), name, confirm))
})
