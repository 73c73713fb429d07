import { Effect, Layer } from "effect"
import { Outgoing } from "../../application/ports/Outgoing.ts"
import { SourceApis } from "../../application/ports/SourceApis.ts"
import { opsgenie } from "./opsgenie/OpsgenieApi.ts"
import { pagerduty } from "./pagerduty/PagerDutyApi.ts"

export const layer = Layer.effect(
  SourceApis,
  Effect.map(Outgoing, (outgoing) => ({ pagerduty: pagerduty(outgoing), opsgenie: opsgenie(outgoing) }))
)
