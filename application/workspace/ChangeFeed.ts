import { Chunk, Context, Deferred, Duration, Effect, Layer, Option, PubSub, Queue, Schedule, Stream } from "effect"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as OutageLog from "../jobs/OutageLog.ts"
import { ChangeLog, type NumberedEntry, type Sign } from "../ports/ChangeLog.ts"

/** Names a row that changed without an audit entry. */
export type Hint = Pick<Sign, "topic" | "id">

/**
 * Changes of a workspace as they happen. A follower is trusted with audit entries: a page for members shows names of what
 * changed, and never the entries.
 */
export class ChangeFeed extends Context.Tag("application/ChangeFeed")<
  ChangeFeed,
  {
    /** Sequence number of the workspace's last entry. */
    readonly head: (workspace: WorkspaceId) => Effect.Effect<bigint>
    /** Replays the entries after a sequence number, then follows: each entry once, in order, none skipped. */
    readonly after: (workspace: WorkspaceId, seq: bigint) => Stream.Stream<NumberedEntry>
    /** Hints from now on; some may be lost. */
    readonly hints: (workspace: WorkspaceId) => Stream.Stream<Hint>
  }
>() {}

/** Times and limits of the feed; tests shorten them. */
export class FeedPace extends Context.Reference<FeedPace>()("application/FeedPace", {
  defaultValue: () => ({
    /** Time between two looks for entries, besides the one after each sign. */
    poll: Duration.seconds(1),
    /** Time between two requests for signs, which last a minute. */
    watch: Duration.seconds(20),
    /** Entries that one read returns, and that stay in memory for each followed workspace. */
    most: 1000
  })
}) {}

/** Shared by all followers of a workspace. */
interface Hub {
  followers: number
  /** Last entry read from the log. */
  head: bigint
  /** The last entries up to the head. */
  recent: ReadonlyArray<NumberedEntry>
  /** Done when the head moves. */
  moved: Deferred.Deferred<void>
  readonly hints: PubSub.PubSub<Hint>
}

const mostHints = 256

export const layer = Layer.scoped(
  ChangeFeed,
  Effect.gen(function* () {
    const log = yield* ChangeLog
    const { most, poll, watch } = yield* FeedPace
    const hubs = new Map<WorkspaceId, Hub>()
    const bell = yield* Queue.sliding<void>(1)
    const ring = Queue.offer(bell, undefined)

    const surviving = <A>(effect: Effect.Effect<A>, what: string) =>
      Effect.tapErrorCause(effect, (cause) => OutageLog.logFailure(what, cause)).pipe(
        Effect.sandbox,
        Effect.retry(Schedule.spaced(poll)),
        Effect.orDie
      )

    const headOf = (workspace: WorkspaceId) => Effect.map(log.heads([workspace]), (heads) => heads.get(workspace) ?? 0n)

    const advance = (workspace: WorkspaceId, entries: ReadonlyArray<NumberedEntry>) =>
      Effect.gen(function* () {
        const hub = hubs.get(workspace)
        const last = entries.at(-1)
        if (hub === undefined || last === undefined || last.seq <= hub.head) return
        hub.recent = [...hub.recent, ...entries.filter(({ seq }) => seq > hub.head)].slice(-most)
        hub.head = last.seq
        const { moved } = hub
        hub.moved = yield* Deferred.make<void>()
        yield* Deferred.succeed(moved, undefined)
      })

    /** One query for all followed workspaces, however many follow them. */
    const turn = Effect.gen(function* () {
      if (hubs.size === 0) return
      const found = yield* log.since(new Map([...hubs].map(([workspace, { head }]) => [workspace, head])), most)
      for (const [workspace, entries] of found) yield* advance(workspace, entries)
      if ([...found.values()].some((entries) => entries.length >= most)) yield* ring
    }).pipe(Effect.catchAllCause((cause) => OutageLog.logFailure("followers wait: changes cannot be read", cause)))

    const watchAll = Effect.suspend(() => (hubs.size === 0 ? Effect.void : log.watch([...hubs.keys()]))).pipe(
      Effect.catchAllCause(() => Effect.void)
    )

    const follow = (workspace: WorkspaceId) =>
      Effect.gen(function* () {
        const known = hubs.get(workspace)
        if (known !== undefined) {
          known.followers++
          return known
        }
        const head = yield* surviving(headOf(workspace), "a follower waits: changes cannot be read")
        // Another follower may have come meanwhile.
        const hub: Hub = hubs.get(workspace) ?? {
          followers: 0,
          head,
          recent: [],
          moved: yield* Deferred.make<void>(),
          hints: yield* PubSub.sliding<Hint>(mostHints)
        }
        hub.followers++
        hubs.set(workspace, hub)
        yield* Effect.catchAllCause(log.watch([workspace]), () => Effect.void)
        return hub
      })

    const leave = (workspace: WorkspaceId, hub: Hub) =>
      Effect.sync(() => {
        hub.followers--
        if (hub.followers === 0 && hubs.get(workspace) === hub) hubs.delete(workspace)
      })

    const followed = (workspace: WorkspaceId) =>
      Effect.acquireRelease(follow(workspace), (hub) => leave(workspace, hub))

    /** Entries after a position: from memory if they are there, else from the log; waits while there are none. */
    const next = (workspace: WorkspaceId, hub: Hub, seq: bigint): Effect.Effect<ReadonlyArray<NumberedEntry>> =>
      Effect.suspend(() => {
        const { head, moved, recent } = hub
        if (seq >= head) return Effect.zipRight(Deferred.await(moved), next(workspace, hub, seq))
        const [oldest] = recent
        if (oldest !== undefined && oldest.seq <= seq + 1n)
          return Effect.succeed(recent.slice(Number(seq + 1n - oldest.seq)))
        const read = surviving(log.since(new Map([[workspace, seq]]), most), "a follower waits: changes cannot be read")
        return Effect.flatMap(read, (found) => {
          const entries = found.get(workspace) ?? []
          // The log ends below the head only if entries were removed by hand.
          return entries.length > 0
            ? Effect.succeed(entries)
            : Effect.zipRight(Deferred.await(moved), next(workspace, hub, seq))
        })
      })

    const signs = Stream.runForEach(log.signs, (sign) => {
      if (sign === null) return ring
      const hub = hubs.get(sign.workspace)
      if (hub === undefined) return Effect.void
      return sign.topic === "audit" ? ring : PubSub.publish(hub.hints, { topic: sign.topic, id: sign.id })
    }).pipe(Effect.catchAllCause(() => Effect.void))

    yield* Effect.forkScoped(Effect.repeat(signs, Schedule.spaced("1 second")))
    yield* Effect.forkScoped(Effect.repeat(ring, Schedule.spaced(poll)))
    yield* Effect.forkScoped(Effect.repeat(watchAll, Schedule.spaced(watch)))
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Queue.take(bell), turn)))

    return {
      head: headOf,
      after: (workspace, seq) =>
        Stream.unwrapScoped(
          Effect.map(followed(workspace), (hub) =>
            Stream.paginateChunkEffect(seq, (position) =>
              Effect.map(next(workspace, hub, position), (entries) => [
                Chunk.fromIterable(entries),
                Option.some(entries.at(-1)?.seq ?? position)
              ])
            )
          )
        ),
      hints: (workspace) =>
        Stream.unwrapScoped(Effect.map(followed(workspace), ({ hints }) => Stream.fromPubSub(hints)))
    }
  })
)
