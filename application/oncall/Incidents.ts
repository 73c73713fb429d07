import { Effect } from "effect"
import * as ChangeIncident from "../../domain/oncall/commands/ChangeIncident.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import { byOf, permit, type Person } from "../workspace/Authorization.ts"
import { OnCallStore } from "../ports/OnCallStore.ts"

export const acknowledge = Effect.fn("Incidents.acknowledge")(function* (person: Person, key: IncidentKey) {
  yield* permit(person, "incident acknowledge")
  const store = yield* OnCallStore
  return yield* store.change(person.workspace, { incident: key }, ChangeIncident.acknowledge(byOf(person), key))
})

export const resolve = Effect.fn("Incidents.resolve")(function* (person: Person, key: IncidentKey) {
  yield* permit(person, "incident resolve")
  const store = yield* OnCallStore
  return yield* store.change(person.workspace, { incident: key }, ChangeIncident.resolve(byOf(person), key))
})

export const note = Effect.fn("Incidents.note")(function* (person: Person, key: IncidentKey, text: string) {
  yield* permit(person, "incident note")
  const store = yield* OnCallStore
  return yield* store.change(person.workspace, { incident: key }, ChangeIncident.note(byOf(person), key, text))
})
