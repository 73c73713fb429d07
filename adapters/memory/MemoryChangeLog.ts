import { Effect, Layer, Stream } from "effect"
import { ChangeLog } from "../../application/ports/ChangeLog.ts"
import { State } from "./MemoryState.ts"

export const layer = Layer.effect(
  ChangeLog,
  Effect.map(State, (state) =>
    ChangeLog.of({
      heads: (workspaces) =>
        Effect.sync(() => new Map(workspaces.map((one) => [one, BigInt(state.get(one)?.audit.length ?? 0)]))),
      since: (positions, limit) =>
        Effect.sync(
          () =>
            new Map(
              [...positions].map(([workspace, seq]) => [
                workspace,
                (state.get(workspace)?.audit ?? [])
                  .slice(Number(seq), Number(seq) + limit)
                  .map(({ seq, value }) => ({ seq, entry: value }))
              ])
            )
        ),
      watch: () => Effect.void,
      signs: Stream.fromPubSub(state.signs)
    })
  )
)
