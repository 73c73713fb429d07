import { Cause, Effect, Option, Schedule, Stream } from "effect"
import type { NumberedEntry } from "../../../application/ports/ChangeLog.ts"
import { ChangeFeed } from "../../../application/workspace/ChangeFeed.ts"
import { type Caller, isAgent } from "./Tool.ts"

/** Streams that one token may have open. */
const mostOfToken = 100

/** Refuses one more; the code is that of the other limits. */
export const tooMany = {
  _tag: "RateLimited",
  message: `This token has ${mostOfToken} open streams, which is the limit for each token. Close one, or use another token.`
}

/** Time after which a stream ends whose token expired. */
const checkEvery = "60 seconds"

/** The meaning of an entry for a caller: its right ended, may have ended, or its list of tools changed. */
type Meaning = "end" | "check" | "tools" | null

const meaningOf = (caller: Caller, { entry }: NumberedEntry): Meaning => {
  if (entry === null) return "check"
  const { entity, event, runKey } = entry
  if (event === "workspace_deleted") return "end"
  if (isAgent(caller)) return runKey === caller.held.run ? "check" : null
  if (event === "token_revoked") return entity.id === caller.token ? "end" : null
  if (entity.id !== caller.member.id) return null
  return event === "member_removed" ? "end" : event === "member_role_changed" ? "tools" : null
}

/** Meanings of the entries of the caller's workspace from now on, and a check at once and now and then. */
const meanings = Effect.fnUntraced(function* (caller: Caller) {
  const feed = yield* ChangeFeed
  const entries = feed.after(caller.workspace, yield* feed.head(caller.workspace))
  return Stream.merge(
    Stream.filterMap(entries, (entry) => Option.fromNullable(meaningOf(caller, entry))),
    Stream.as(Stream.tick(checkEvery), "check" as const)
  )
})

/** Waits for the database when it is away: only a refusal ends a stream. */
const checked = <A, E, R>(enter: Effect.Effect<A, E, R>) =>
  Effect.sandbox(enter).pipe(
    Effect.retry({ schedule: Schedule.spaced("1 second"), while: Cause.isDie }),
    Effect.unsandbox
  )

/** A call that waits; it ends with the refusal when the caller may no longer come in, which `enter` decides. */
export const waiting = <A, E, R, F, Q>(
  caller: Caller,
  call: Effect.Effect<A, E, R>,
  enter: Effect.Effect<unknown, F, Q>
) =>
  Effect.flatMap(meanings(caller), (found) => {
    const refused = Stream.runForEach(found, (meaning) => (meaning === "tools" ? Effect.void : checked(enter)))
    return Effect.raceFirst(Effect.zipLeft(call, enter), Effect.zipRight(refused, Effect.never))
  })

const encoder = new TextEncoder()

/** Notifies a client that its list of tools changed; `id` is that of its request to listen. */
const noticeOf = (id: unknown) => {
  const params = { _meta: { "io.modelcontextprotocol/subscriptionId": id } }
  const notice = JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed", params })
  return encoder.encode(`event: message\ndata: ${notice}\n\n`)
}

/** Adds what changes for the caller to the stream of a request to listen, and ends it with the caller's right. */
export const follow = <E, R>(caller: Caller, id: unknown, enter: Effect.Effect<unknown, E, R>) =>
  Effect.map(meanings(caller), (found) => <F>(events: Stream.Stream<Uint8Array, F>) => {
    const notices = found.pipe(
      Stream.takeWhile((meaning) => meaning !== "end"),
      Stream.tap((meaning) => (meaning === "check" ? checked(enter) : Effect.void)),
      Stream.filterMap((meaning) => (meaning === "tools" ? Option.some(noticeOf(id)) : Option.none())),
      Stream.catchAll(() => Stream.empty)
    )
    return Stream.merge(events, notices, { haltStrategy: "either" })
  })

/** Counts the open streams of each token. */
export const counter = () => {
  const open = new Map<string, number>()
  const numberOf = (token: string) => open.get(token) ?? 0
  const opened = (token: string) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        open.set(token, numberOf(token) + 1)
        return numberOf(token)
      }),
      () => Effect.sync(() => (numberOf(token) > 1 ? open.set(token, numberOf(token) - 1) : open.delete(token)))
    )
  return {
    hasRoom: (token: string) => numberOf(token) < mostOfToken,
    /** Of requests that found room at once, those too many end at once. */
    counted: <A, E, R>(token: string, stream: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
      Stream.unwrapScoped(
        Effect.map(opened(token), (number) => (number <= mostOfToken ? stream : Stream.take(stream, 1)))
      )
  }
}
