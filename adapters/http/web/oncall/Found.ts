import { Effect, Schema } from "effect"
import { OnCallStore } from "../../../../application/ports/OnCallStore.ts"
import type { OnCall } from "../../../../domain/oncall/commands/OnCallContext.ts"
import type { Visit } from "../Page.ts"

class ObjectNotFound extends Schema.TaggedError<ObjectNotFound>()("ObjectNotFound", { id: Schema.String }) {
  override get message() {
    return `There is nothing with the id '${this.id}' in this workspace.`
  }
}

export const look = ({ person }: Visit) => Effect.flatMap(OnCallStore, (store) => store.look(person.workspace))

/** The service or source that the path names, and all on-call settings. */
const found =
  <A extends { readonly id: string; readonly deletedAt: unknown }>(all: (at: OnCall) => ReadonlyArray<A>) =>
  (visit: Visit) =>
    Effect.flatMap(look(visit), (at) => {
      const id = visit.parameters["id"] ?? ""
      const one = all(at).find((each) => each.id === id && each.deletedAt === null)
      return one === undefined ? new ObjectNotFound({ id }) : Effect.succeed({ one, at })
    })

export const service = found(({ services }) => services)
export const source = found(({ sources }) => sources)
