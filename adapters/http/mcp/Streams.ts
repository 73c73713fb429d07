import { Cause, Effect, Schedule, Stream } from "effect"
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

/** Waits for the database when it is away: only a refusal ends a stream. */
const checked = <A, E, R>(enter: Effect.Effect<A, E, R>) =>
  Effect.sandbox(enter).pipe(
    Effect.retry({ schedule: Schedule.spaced("1 second"), while: Cause.isDie }),
    Effect.unsandbox
  )

/**
 * Watches the caller's right, and ends with it, which `enter` decides: soon after an entry of the workspace, within a
 * minute by the clock.
 */
const watched = <E, R>(caller: Caller, enter: Effect.Effect<unknown, E, R>, onTools: () => void) =>
  Effect.gen(function* () {
    const check = yield* Effect.makeLatch(true)
    let isOver = false
    yield* (yield* ChangeFeed).onEntry(caller.workspace, (entry) => {
      const meaning = meaningOf(caller, entry)
      if (meaning === "tools") onTools()
      else if (meaning !== null) check.unsafeOpen()
      isOver ||= meaning === "end"
    })
    yield* Effect.forkScoped(Effect.schedule(check.open, Schedule.spaced(checkEvery)))
    return Effect.gen(function* () {
      for (;;) {
        yield* check.await
        check.unsafeClose()
        if (isOver) return
        yield* checked(enter)
      }
    })
  })

/** A call that waits; it ends with the refusal when the caller may no longer come in. */
export const waiting = <A, E, R, F, Q>(
  caller: Caller,
  call: Effect.Effect<A, E, R>,
  enter: Effect.Effect<unknown, F, Q>
) =>
  Effect.scoped(
    Effect.flatMap(
      watched(caller, enter, () => {}),
      (over) =>
        Effect.raceFirst(
          Effect.zipLeft(call, enter),
          Effect.zipRight(Effect.zipRight(over, checked(enter)), Effect.never)
        )
    )
  )

const encoder = new TextEncoder()

/** Notifies a client that its list of tools changed; `id` is that of its request to listen. */
const noticeOf = (id: unknown) => {
  const params = { _meta: { "io.modelcontextprotocol/subscriptionId": id } }
  const notice = JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed", params })
  return encoder.encode(`event: message\ndata: ${notice}\n\n`)
}

/** Events that a client has not read; more say nothing new. */
const mostUnread = 16

/**
 * The events of a request to listen and notices of what changes for the caller, until its right ends. A merge of streams
 * takes a dozen fibers for each client.
 */
export const follow = <E, R>(
  caller: Caller,
  id: unknown,
  events: ReadableStream<Uint8Array>,
  enter: Effect.Effect<unknown, E, R>
) =>
  Stream.asyncPush<Uint8Array, never, R | ChangeFeed>(
    (emit) =>
      Effect.gen(function* () {
        const over = yield* watched(caller, enter, () => emit.single(noticeOf(id)))
        const reader = events.getReader()
        yield* Effect.addFinalizer(() => Effect.ignore(Effect.tryPromise(() => reader.cancel())))
        const read = async (): Promise<void> => {
          const { done, value } = await reader.read()
          if (!done && emit.single(value)) return read()
          emit.end()
        }
        read().catch(emit.end)
        yield* Effect.forkScoped(Effect.ensuring(over, Effect.sync(emit.end)))
      }),
    { bufferSize: mostUnread, strategy: "dropping" }
  )

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
