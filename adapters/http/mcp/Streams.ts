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

/** Ends when the caller may no longer come in, which `enter` decides. */
const ended = <E, R>(caller: Caller, entries: Stream.Stream<NumberedEntry>, enter: Effect.Effect<unknown, E, R>) =>
  Stream.merge(
    Stream.filter(entries, (entry) => mayEnd(caller, entry)),
    Stream.tick(checkEvery)
  ).pipe(
    Stream.mapEffect(() => Effect.isFailure(enter)),
    Stream.filter((isOut) => isOut),
    Stream.runHead
  )

const encoder = new TextEncoder()

/** Notifies a member whose role changed, and with it the list of tools; `id` is that of the request. */
const notices = (caller: Caller, entries: Stream.Stream<NumberedEntry>, id: unknown) => {
  const params = { _meta: { "io.modelcontextprotocol/subscriptionId": id } }
  const notice = JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed", params })
  return entries.pipe(
    Stream.filter(
      ({ entry }) => !isAgent(caller) && entry?.event === "member_role_changed" && entry.entity.id === caller.member.id
    ),
    Stream.map(() => encoder.encode(`event: message\ndata: ${notice}\n\n`))
  )
}

/** Follows the changes of the caller's workspace from now on, for the stream of a request to listen. */
export const follow = <E, R>(caller: Caller, id: unknown, enter: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const feed = yield* ChangeFeed
    const entries = feed.after(caller.workspace, yield* feed.head(caller.workspace))
    return <F>(events: Stream.Stream<Uint8Array, F>) =>
      Stream.merge(events, notices(caller, entries, id), { haltStrategy: "left" }).pipe(
        Stream.interruptWhen(ended(caller, entries, enter))
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
