import { Clock, Context, Duration, Effect, Layer, Schedule } from "effect"
import { TokenStore, type TokenUse } from "../ports/TokenStore.ts"

/** Keeps the latest use of each token and writes it in the background, not within requests. */
export class TokenUsage extends Context.Tag("application/TokenUsage")<
  TokenUsage,
  { readonly record: (use: TokenUse) => void }
>() {}

const oncePer = Duration.toMillis("1 minute")

const keyOf = ({ token, workspace }: TokenUse) => `${workspace} ${token}`

export const layer = Layer.scoped(
  TokenUsage,
  Effect.gen(function* () {
    const store = yield* TokenStore
    const uses = new Map<string, TokenUse>()
    /** Time of the last write of each token within the last minute. */
    const written = new Map<string, number>()
    /** Open while a use waits to be written, so that an idle service has nothing to look for. */
    const isUsed = yield* Effect.makeLatch()

    const keep = (use: TokenUse) => {
      uses.set(keyOf(use), use)
      isUsed.unsafeOpen()
    }

    const write = (batch: ReadonlyArray<TokenUse>) =>
      batch.length === 0
        ? Effect.void
        : store.touch(batch).pipe(
            Effect.catchAllDefect((defect) => {
              for (const use of batch) if (!uses.has(keyOf(use))) keep(use)
              return Effect.logWarning("last use of tokens not written", defect)
            })
          )

    const flush = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      for (const [key, at] of written) if (now - at >= oncePer) written.delete(key)
      const due = [...uses].filter(([key]) => !written.has(key))
      for (const [key] of due) {
        uses.delete(key)
        written.set(key, now)
      }
      if (uses.size === 0) isUsed.unsafeClose()
      return write(due.map(([, use]) => use))
    })

    yield* Effect.addFinalizer(() => Effect.suspend(() => write([...uses.values()])))
    yield* Effect.forkScoped(Effect.schedule(isUsed.whenOpen(flush), Schedule.spaced("1 second")))
    return { record: keep }
  })
)
