import { Effect, Layer } from "effect"
import { Outgoing } from "../../application/ports/Outgoing.ts"
import { SourceApis } from "../../application/ports/SourceApis.ts"
import { opsgenie } from "./OpsgenieApi.ts"
import { pagerduty } from "./PagerDutyApi.ts"

export const layer = Layer.effect(
  SourceApis,
  Effect.map(Outgoing, (outgoing) => ({ pagerduty: pagerduty(outgoing), opsgenie: opsgenie(outgoing) }))
)
