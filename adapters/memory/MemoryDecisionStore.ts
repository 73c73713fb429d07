import { Effect, Layer } from "effect"
import * as Json from "../../application/Json.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { Decision, DecisionNotFound } from "../../domain/Decision.ts"
import { present } from "./MemoryTeamStore.ts"
import { newest } from "./Pages.ts"
import { State } from "./State.ts"

const encode = Json.encoder(Decision)

export const layer = Layer.effect(
  DecisionStore,
  Effect.map(State, (state) =>
    DecisionStore.of({
      page: (workspace, { run, status, team }, request) =>
        Effect.suspend(() => {
          const tenant = state.get(workspace)
          const matches = (decision: Decision) =>
            (status === null || decision.status === status) &&
            (team === null || decision.team === team) &&
            (run === null || decision.runKey === run)
          const page = () => newest(tenant?.decisions.values() ?? [], matches, encode, request)
          return team === null ? Effect.sync(page) : Effect.map(present(tenant, team), page)
        }),
      get: (workspace, key) =>
        Effect.suspend(() => {
          const decision = state.get(workspace)?.decisions.get(key)?.value
          return decision === undefined ? new DecisionNotFound({ decision: key }) : Effect.succeed(encode(decision))
        })
    })
  )
)
