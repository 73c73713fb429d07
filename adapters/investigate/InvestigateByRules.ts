import { Effect, Layer } from "effect"
import { Investigator } from "../../application/ports/Investigator.ts"
import { investigate } from "../../domain/oncall/JudgeCause.ts"

/** Needs no model: rules weigh the team's merges against the alerts. */
export const layer = Layer.succeed(Investigator, {
  investigate: (evidence) => Effect.sync(() => investigate(evidence))
})
