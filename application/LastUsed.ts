import { Context, Effect, Layer, Schedule } from "effect"
import { TokenStore, type TokenUse } from "./ports/TokenStore.ts"

/** Notes when tokens were used, and writes it later, off the requests' path. */
export class LastUsed extends Context.Tag("application/LastUsed")<
  LastUsed,
  { readonly record: (use: TokenUse) => void; readonly flush: Effect.Effect<void> }
>() {}

export const layer = Layer.scoped(
  LastUsed,
  Effect.gen(function* () {
    const store = yield* TokenStore
    const uses = new Map<string, TokenUse>()
    const flush = Effect.suspend(() => {
      const batch = [...uses.values()]
      uses.clear()
      return batch.length === 0 ? Effect.void : store.touch(batch)
    }).pipe(Effect.catchAllDefect((defect) => Effect.logWarning("last use of tokens not written", defect)))
    yield* Effect.addFinalizer(() => flush)
    yield* Effect.forkScoped(Effect.schedule(flush, Schedule.spaced("1 second")))
    return { record: (use) => void uses.set(`${use.workspace} ${use.token}`, use), flush }
  })
)
