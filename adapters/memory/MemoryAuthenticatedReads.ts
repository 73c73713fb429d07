import { Effect, Layer } from "effect"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { AuthenticatedReads } from "../../application/ports/AuthenticatedReads.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import { type Bearer, TokenStore } from "../../application/ports/TokenStore.ts"

export const layer = Layer.effect(
  AuthenticatedReads,
  Effect.gen(function* () {
    const tokens = yield* TokenStore
    const decisions = yield* DecisionStore
    const runs = yield* RunStore
    const teams = yield* TeamStore
    const poll = <A, E>(hash: string, read: (bearer: Bearer) => Effect.Effect<A, E>) =>
      Effect.flatMap(tokens.authenticate(hash), (bearer) =>
        Effect.map(Effect.either(read(bearer)), (answer) => ({ bearer, answer }))
      )
    return {
      decisions: (hash, filter, request) => poll(hash, ({ workspace }) => decisions.page(workspace, filter, request)),
      run: (hash, key) => poll(hash, ({ workspace }) => runs.get(workspace, key)),
      teams: (hash) => poll(hash, ({ workspace }) => teams.list(workspace))
    }
  })
)
