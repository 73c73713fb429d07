import { assert, it } from "@effect/vitest"
import { Duration, Effect, type Layer } from "effect"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import { rounds } from "../support/Range.ts"
import type { Stores } from "../support/World.ts"
import { place } from "../tracker/Place.ts"

const [minute, hour] = [Duration.minutes(1), Duration.hours(1)]
const isFree = (wait: Duration.Duration) => Duration.equals(wait, Duration.zero)

export const writeLimitContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`TrackerStore and limits (${adapter})`, (it) => {
    it.effect("counts calls up to each limit, of one connection alone, and names the longest wait", () =>
      Effect.gen(function* () {
        const at = yield* place
        const other = yield* place
        const { spend } = yield* TrackerStore
        const limits = [
          { most: 2, within: minute },
          { most: 3, within: hour }
        ]
        const call = Effect.map(spend(at.id, at.connection.id, limits), Duration.toSeconds)
        assert.deepStrictEqual([yield* call, yield* call], [0, 0])
        for (const wait of [yield* call, yield* call]) assert.approximately(wait, 60, 30)
        const wider = Effect.map(spend(at.id, at.connection.id, limits.slice(1)), Duration.toSeconds)
        assert.strictEqual(yield* wider, 0)
        assert.approximately(yield* wider, 3600, 30)
        assert.approximately(yield* call, 3600, 30)
        assert.isTrue(isFree(yield* spend(other.id, other.connection.id, limits)))
        // The connection of another workspace is none of this one.
        for (const _ of [1, 2]) assert.isTrue(isFree(yield* spend(other.id, at.connection.id, limits)))
        assert.isTrue(isFree(yield* spend(other.id, other.connection.id, limits)))
      })
    )

    it.effect("of many calls at once no more than the limit are made", () =>
      Effect.gen(function* () {
        const { spend } = yield* TrackerStore
        // Later rounds find the connections already open, so the calls truly overlap.
        for (const _ of rounds(5)) {
          const at = yield* place
          const call = spend(at.id, at.connection.id, [{ most: 7, within: hour }])
          const waits = yield* Effect.replicateEffect(call, 20, { concurrency: "unbounded" })
          assert.strictEqual(waits.filter(isFree).length, 7)
        }
      })
    )
  })
