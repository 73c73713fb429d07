import { Effect, Stream } from "effect"
import type { NumberedEntry } from "../../../application/ports/ChangeLog.ts"
import { ChangeFeed } from "../../../application/workspace/ChangeFeed.ts"
import { type Caller, isAgent } from "./Tool.ts"

/** Streams that one token may have open. */
export const mostOfToken = 100

/** Time after which a stream ends whose token expired. */
const checkEvery = "60 seconds"

/** True for an entry that may have ended the right of a caller. */
const mayEnd = (caller: Caller, { entry }: NumberedEntry): boolean => {
  if (entry === null) return true
  const { entity, event, runKey } = entry
  if (event === "workspace_deleted") return true
  if (isAgent(caller)) return runKey === caller.held.run
  return (
    (event === "token_revoked" && entity.id === caller.token) ||
    (event === "member_removed" && entity.id === caller.member.id)
  )
}

/** Ends when the caller may no longer come in; `enter` decides that. */
export const ended = <E, R>(caller: Caller, enter: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const feed = yield* ChangeFeed
    const head = yield* feed.head(caller.workspace)
    const isOut = Effect.isFailure(enter)
    const signs = Stream.merge(
      Stream.filter(feed.after(caller.workspace, head), (entry) => mayEnd(caller, entry)),
      Stream.tick(checkEvery)
    )
    yield* signs.pipe(
      Stream.mapEffect(() => isOut),
      Stream.filter((isOver) => isOver),
      Stream.runHead
    )
  })

/** Counts the open streams of each token. */
export const counter = () => {
  const open = new Map<string, number>()
  return {
    hasRoom: (token: string) => (open.get(token) ?? 0) < mostOfToken,
    counted: (token: string) =>
      Effect.acquireRelease(
        Effect.sync(() => open.set(token, (open.get(token) ?? 0) + 1)),
        () =>
          Effect.sync(() => {
            const left = (open.get(token) ?? 1) - 1
            if (left > 0) open.set(token, left)
            else open.delete(token)
          })
      )
  }
}
