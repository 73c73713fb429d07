import { Effect, Exit, Layer, Scope } from "effect"
import { afterAll } from "vitest"

/** A layer that all describes of a file use, made by the first: to make a database and to plan statements takes long. */
export const shared = <A, E>(layer: Layer.Layer<A, E>): Layer.Layer<A, E> => {
  const scope = Effect.runSync(Scope.make())
  const built = Effect.runSync(Effect.cached(Layer.buildWithScope(layer, scope)))
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Layer.effectContext(built)
}
