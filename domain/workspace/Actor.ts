import { Schema } from "effect"
import type { TokenId } from "./ApiToken.ts"

export const ActorType = Schema.Literal("human", "service", "system")
export type ActorType = typeof ActorType.Type

export const Actor = Schema.Struct({
  type: ActorType,
  name: Schema.String,
  userId: Schema.NullOr(Schema.String)
})
export type Actor = typeof Actor.Type

/** The operator's command line and the service's own housekeeping. */
export const system: Actor = { type: "system", name: "system", userId: null }

/** The service acting on its own: its scheduler, and its worker on a run. */
export const service: Actor = { type: "service", name: "gatehouse", userId: null }

export const Channel = Schema.Literal("app", "slack", "mcp", "api")
export type Channel = typeof Channel.Type

/** The actor of a change, its request, and the channel a person came through. */
export interface By {
  readonly actor: Actor
  readonly requestId: string | null
  readonly channel?: Channel
  /** The API token of an agent, which does not answer its own questions. */
  readonly token?: TokenId
}

export const bySystem: By = { actor: system, requestId: null }
export const byService: By = { actor: service, requestId: null }
