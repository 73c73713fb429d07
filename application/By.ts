import { type Actor, system } from "../domain/Actor.ts"

/** Who asks for a change, and in which request. */
export interface By {
  readonly actor: Actor
  readonly requestId: string | null
}

export const bySystem: By = { actor: system, requestId: null }
