import {
  Chunk,
  Context,
  Deferred,
  Duration,
  Effect,
  Layer,
  Option,
  PubSub,
  Queue,
  Schedule,
  type Scope,
  Stream
} from "effect"
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
    /** Calls a function with each entry from now on, until the scope ends; a thousand calls take no fiber. */
    readonly onEntry: (
      workspace: WorkspaceId,
      run: (entry: NumberedEntry) => void
    ) => Effect.Effect<void, never, Scope.Scope>
    /** Hints from now on; some may be lost. */
    readonly hints: (workspace: WorkspaceId) => Stream.Stream<Hint>
  }
>() {}

/** Times and limits of the feed; tests shorten them. */
export class FeedPace extends Context.Reference<FeedPace>()("application/FeedPace", {
  defaultValue: () => ({
    /** Time between two reads of new entries, besides the one after each sign. */
    poll: Duration.seconds(1),
    /** Time between two requests for signs, which last a minute. */
    watch: Duration.seconds(20),
    /** Entries that one read returns, and that stay in memory for each followed workspace. */
    pageSize: 1000
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
  readonly calls: Set<(entry: NumberedEntry) => void>
  readonly hints: PubSub.PubSub<Hint>
}

const mostHints = 256

/** Workspaces whose entries one query reads. */
const mostAtOnce = 100

export const layer = Layer.scoped(
  ChangeFeed,
  Effect.gen(function* () {
    const log = yield* ChangeLog
    const { pageSize, poll, watch } = yield* FeedPace
    const hubs = new Map<WorkspaceId, Hub>()
    /** Open while there are followers, so that a service without any does not poll. */
    const isFollowed = yield* Effect.makeLatch()
    const wakes = yield* Queue.sliding<void>(1)
    const wake = Queue.offer(wakes, undefined)
    const followers = OutageLog.failuresOf("followers wait: changes cannot be read")

    const untilRead = <A>(read: Effect.Effect<A>) =>
      Effect.tapErrorCause(read, followers.failed).pipe(
        Effect.sandbox,
        Effect.retry(Schedule.spaced(poll)),
        Effect.orDie
      )

    const headOf = (workspace: WorkspaceId) => Effect.map(log.heads([workspace]), (heads) => heads.get(workspace) ?? 0n)

    const advance = (workspace: WorkspaceId, entries: ReadonlyArray<NumberedEntry>) =>
      Effect.gen(function* () {
        const next = yield* Deferred.make<void>()
        const hub = hubs.get(workspace)
        const last = entries.at(-1)
        if (hub === undefined || last === undefined || last.seq <= hub.head) return
        const { calls, moved } = hub
        const added = entries.filter(({ seq }) => seq > hub.head)
        hub.recent = [...hub.recent, ...added].slice(-pageSize)
        hub.head = last.seq
        hub.moved = next
        yield* Deferred.succeed(moved, undefined)
        for (const entry of added) for (const call of calls) call(entry)
      })

    /** Reads the new entries of all followed workspaces, by one query for a hundred of them. */
    const readNew = Effect.gen(function* () {
      const positions = [...hubs].map(([workspace, { head }]) => [workspace, head] as const)
      for (let at = 0; at < positions.length; at += mostAtOnce) {
        const found = yield* log.since(new Map(positions.slice(at, at + mostAtOnce)), pageSize)
        for (const [workspace, entries] of found) yield* advance(workspace, entries)
        if ([...found.values()].some((entries) => entries.length >= pageSize)) yield* wake
      }
      yield* followers.succeeded()
    }).pipe(Effect.catchAllCause(followers.failed))

    const watchAll = Effect.suspend(() => (hubs.size === 0 ? Effect.void : log.watch([...hubs.keys()]))).pipe(
      // The reads log the outage.
      Effect.catchAllCause(() => Effect.void)
    )

    /** Joins the workspace's hub, or makes it at this head. */
    const join = (workspace: WorkspaceId, head: bigint) =>
      Effect.gen(function* () {
        const made: Hub = {
          followers: 0,
          head,
          recent: [],
          moved: yield* Deferred.make<void>(),
          calls: new Set(),
          hints: yield* PubSub.sliding<Hint>(mostHints)
        }
        // No fiber runs between the look and the entry.
        return yield* Effect.sync(() => {
          const hub = hubs.get(workspace) ?? made
          hub.followers++
          hubs.set(workspace, hub)
          isFollowed.unsafeOpen()
          return hub
        })
      })

    const leave = (workspace: WorkspaceId, hub: Hub) =>
      Effect.sync(() => {
        hub.followers--
        if (hub.followers === 0 && hubs.get(workspace) === hub) hubs.delete(workspace)
        if (hubs.size === 0) isFollowed.unsafeClose()
      })

    const followed = (workspace: WorkspaceId) =>
      Effect.gen(function* () {
        const known = hubs.get(workspace)
        const head = known === undefined ? yield* untilRead(headOf(workspace)) : known.head
        const hub = yield* Effect.acquireRelease(join(workspace, head), (hub) => leave(workspace, hub))
        if (known === undefined) yield* watchAll
        return hub
      })

    /** Entries after a position: from memory if they are there, else from the log; waits while there are none. */
    const next = (workspace: WorkspaceId, hub: Hub, seq: bigint): Effect.Effect<ReadonlyArray<NumberedEntry>> =>
      Effect.suspend(() => {
        const { head, moved, recent } = hub
        const later = Effect.zipRight(Deferred.await(moved), next(workspace, hub, seq))
        if (seq >= head) return later
        const [oldest] = recent
        if (oldest !== undefined && oldest.seq <= seq + 1n)
          return Effect.succeed(recent.slice(Number(seq + 1n - oldest.seq)))
        return Effect.flatMap(untilRead(log.since(new Map([[workspace, seq]]), pageSize)), (found) => {
          const entries = found.get(workspace) ?? []
          // The log ends below the head only if entries were removed by hand.
          return entries.length > 0 ? Effect.succeed(entries) : later
        })
      })

    const signs = Stream.runForEach(log.signs, (sign) => {
      if (sign === null) return Effect.zipRight(watchAll, wake)
      const hub = hubs.get(sign.workspace)
      if (hub === undefined) return Effect.void
      return sign.topic === "audit" ? wake : PubSub.publish(hub.hints, { topic: sign.topic, id: sign.id })
    }).pipe(Effect.catchAllCause(() => Effect.void))

    yield* Effect.forkScoped(Effect.repeat(signs, Schedule.spaced("1 second")))
    yield* Effect.forkScoped(Effect.repeat(isFollowed.whenOpen(wake), Schedule.spaced(poll)))
    yield* Effect.forkScoped(Effect.repeat(watchAll, Schedule.spaced(watch)))
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Queue.take(wakes), readNew)))

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
      onEntry: (workspace, run) =>
        Effect.flatMap(followed(workspace), ({ calls }) =>
          Effect.acquireRelease(
            Effect.sync(() => calls.add(run)),
            () => Effect.sync(() => calls.delete(run))
          )
        ),
      hints: (workspace) =>
        Stream.unwrapScoped(Effect.map(followed(workspace), ({ hints }) => Stream.fromPubSub(hints)))
    }
  })
)
