import { Schema } from "effect"

export const ActorType = Schema.Literal("human", "service", "system")
export type ActorType = typeof ActorType.Type

/** Who made a change. */
export const Actor = Schema.Struct({
  type: ActorType,
  name: Schema.String,
  userId: Schema.NullOr(Schema.String)
})
export type Actor = typeof Actor.Type

/** The operator's command line and the service's own housekeeping. */
export const system: Actor = { type: "system", name: "system", userId: null }
