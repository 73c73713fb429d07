import { it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Health } from "../../application/ports/Health.ts"

export const healthContract = <E>(adapter: string, layer: Layer.Layer<Health, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`Health (${adapter})`, (it) => {
    it.effect("is ready while storage answers", () => Effect.flatMap(Health, (health) => health.ready))
  })
