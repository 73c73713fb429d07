import { assert, layer as suite } from "@effect/vitest"
import { Chunk, Duration, Effect, Fiber, Layer, Queue, Stream } from "effect"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { ChangeLog } from "../../application/ports/ChangeLog.ts"
import * as ChangeFeed from "../../application/workspace/ChangeFeed.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as Audit from "../../domain/workspace/Audit.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as JobQueue from "../jobs/Queue.ts"
import { isLong } from "../support/Long.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"
import { take } from "./scenes/JobScene.ts"

const pace = { poll: Duration.millis(50), watch: Duration.millis(200), pageSize: 10 }

const feed = ChangeFeed.layer.pipe(Layer.provide(Layer.succeed(ChangeFeed.FeedPace, pace)))

/** Appends entries, each named by its number. */
export const append = (workspace: WorkspaceId, names: ReadonlyArray<string>) =>
  Effect.flatMap(AuditLog, (log) =>
    Effect.forEach(names, (name) =>
      log.append(workspace, {
        audit: [Audit.fact(bySystem, "workspace_created", { type: "workspace", id: workspace, name })]
      })
    )
  )

export const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => String(from + index))

/** Follows into a queue of the entities' names. */
const following = (workspace: WorkspaceId, seq: bigint) =>
  Effect.gen(function* () {
    const { after } = yield* ChangeFeed.ChangeFeed
    const names = yield* Queue.unbounded<string | null>()
    yield* Stream.runForEach(after(workspace, seq), ({ entry }) => Queue.offer(names, entry?.entity.name ?? null)).pipe(
      Effect.forkScoped
    )
    return (count: number) => Effect.map(Queue.takeN(names, count), Chunk.toReadonlyArray)
  })

export const changeFeedContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  suite(Layer.provideMerge(feed, layer), { timeout: "60 seconds", excludeTestServices: true })(
    `the change feed (${adapter})`,
    (it) => {
      it.scoped("replays the entries after a number, in pages, then follows", () =>
        Effect.gen(function* () {
          const { head } = yield* ChangeFeed.ChangeFeed
          const { id } = yield* Seed.workspace
          const begun = yield* head(id)
          yield* append(id, numbers(25))
          assert.strictEqual(yield* head(id), begun + 25n)
          const taken = yield* following(id, begun + 3n)
          assert.deepStrictEqual(yield* taken(22), numbers(22, 3))
          yield* append(id, numbers(40, 25))
          assert.deepStrictEqual(yield* taken(40), numbers(40, 25))
        })
      )

      it.scoped("numbers entries as the log does", () =>
        Effect.gen(function* () {
          const { after } = yield* ChangeFeed.ChangeFeed
          const { id } = yield* Seed.workspace
          yield* append(id, numbers(3))
          const all = yield* Stream.runCollect(Stream.take(after(id, 0n), 4))
          assert.deepStrictEqual(
            Chunk.toReadonlyArray(all).map(({ seq }) => seq),
            [1n, 2n, 3n, 4n]
          )
        })
      )

      it.scoped("shows a follower nothing of another workspace", () =>
        Effect.gen(function* () {
          const [mine, other] = [yield* Seed.workspace, yield* Seed.workspace]
          const { head } = yield* ChangeFeed.ChangeFeed
          const taken = yield* following(mine.id, yield* head(mine.id))
          const others = yield* following(other.id, yield* head(other.id))
          yield* append(other.id, ["theirs"])
          yield* append(mine.id, ["ours"])
          assert.deepStrictEqual([yield* taken(1), yield* others(1)], [["ours"], ["theirs"]])
        })
      )

      it.scoped("gives followers of all speeds and places every entry once, while many write", () =>
        Effect.gen(function* () {
          const { after, head } = yield* ChangeFeed.ChangeFeed
          const { id } = yield* Seed.workspace
          const begun = yield* head(id)
          const count = isLong ? 120 : 40
          const slow = (wait: number) =>
            Stream.take(after(id, begun), count).pipe(
              Stream.tap(() => (wait === 0 ? Effect.void : Effect.sleep(wait))),
              Stream.map(({ seq }) => seq),
              Stream.runCollect,
              Effect.map(Chunk.toReadonlyArray)
            )
          const readers = yield* Effect.forEach([0, 0, 1, 3], (wait) => Effect.fork(slow(wait)))
          yield* Effect.forEach(numbers(count), (name) => append(id, [name]), { concurrency: 8 })
          const expected = Array.from({ length: count }, (_, index) => begun + BigInt(index + 1))
          for (const reader of readers) assert.deepStrictEqual(yield* Fiber.join(reader), expected)
        })
      )

      it.scoped("calls a function with each later entry of its workspace, until its scope ends", () =>
        Effect.gen(function* () {
          const { head, onEntry } = yield* ChangeFeed.ChangeFeed
          const [mine, other] = [yield* Seed.workspace, yield* Seed.workspace]
          yield* append(mine.id, ["before"])
          const taken = yield* following(mine.id, yield* head(mine.id))
          const seen: Array<string | undefined> = []
          yield* Effect.gen(function* () {
            yield* onEntry(mine.id, ({ entry }) => seen.push(entry?.entity.name))
            yield* append(other.id, ["theirs"])
            yield* append(mine.id, numbers(25))
            assert.deepStrictEqual(yield* taken(25), numbers(25))
            yield* Effect.repeat(Effect.sleep("5 millis"), { until: () => seen.length >= 25 })
          }).pipe(Effect.scoped)
          yield* append(mine.id, ["after"])
          assert.deepStrictEqual(yield* taken(1), ["after"])
          assert.deepStrictEqual(seen, numbers(25))
        })
      )

      it.scoped("waits for entries of a number that is not there yet", () =>
        Effect.gen(function* () {
          const { head } = yield* ChangeFeed.ChangeFeed
          const { id } = yield* Seed.workspace
          const taken = yield* following(id, (yield* head(id)) + 2n)
          yield* append(id, ["a", "b", "c"])
          assert.deepStrictEqual(yield* taken(1), ["c"])
        })
      )

      it.scoped("hints at jobs that changed, in followed workspaces alone", () =>
        Effect.gen(function* () {
          const { hints } = yield* ChangeFeed.ChangeFeed
          const [place, other] = [yield* JobQueue.workspace, yield* JobQueue.workspace]
          const hinted = yield* Queue.unbounded<ChangeFeed.Hint>()
          yield* Effect.forkScoped(Stream.runForEach(hints(place.id), (hint) => Queue.offer(hinted, hint)))
          const ids: Array<string> = []
          // A hint may be lost, so jobs change until one came.
          const round = Effect.gen(function* () {
            yield* JobQueue.put(other, ["tell_agent"])
            ids.push(...(yield* JobQueue.put(place, ["tell_agent"])))
            yield* take(["tell_agent"])
            yield* Effect.sleep("50 millis")
          })
          const { id, topic } = yield* Effect.raceFirst(Queue.take(hinted), Effect.forever(round))
          assert.strictEqual(topic, "job")
          assert.include(ids, id)
        })
      )

      it.effect("finds heads and entries of many workspaces in one read", () =>
        Effect.gen(function* () {
          const log = yield* ChangeLog
          const [one, two] = [yield* Seed.workspace, yield* Seed.workspace]
          const unknown = crypto.randomUUID() as string as WorkspaceId
          const heads = yield* log.heads([one.id, two.id])
          yield* append(one.id, numbers(3))
          yield* append(two.id, numbers(1))
          const found = yield* log.since(new Map([...heads, [unknown, 0n]]), 2)
          const names = (id: WorkspaceId) => (found.get(id) ?? []).map(({ entry }) => entry?.entity.name)
          assert.deepStrictEqual([names(one.id), names(two.id), names(unknown)], [["0", "1"], ["0"], []])
        })
      )
    }
  )
