import { assert, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import * as LeaseBell from "../../application/runner/LeaseBell.ts"
import * as Runners from "../../application/runner/Runners.ts"
import * as Runs from "../../application/work/Runs.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import { rounds } from "../support/Range.ts"
import type { Stores } from "../support/World.ts"
import { granted, introduction, setUp } from "./scenes/LeaseScene.ts"

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

/** Runners that a person drains. */
export const runnerDrainContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(Layer.provideMerge(LeaseBell.layer, layer), { timeout: "60 seconds" })(`drains (${adapter})`, (it) => {
    it.effect("a drain ends the wait for a run, and another start works again", () =>
      Effect.gen(function* () {
        const { caller, owner, run, runner } = yield* setUp
        yield* Runs.stop(owner, run)
        const asked = { runner, executors: ["custom"], waitSeconds: 25 }
        const waiting = yield* Effect.fork(Runners.lease(caller, asked))
        yield* Effect.yieldNow()
        assert.isNotNull((yield* Runners.drain(owner, introduction.name)).drainingAt)
        assert.strictEqual((yield* Effect.flip(waiting))._tag, "RunnerDraining")
        yield* Runs.retry(owner, run, null)
        assert.strictEqual(yield* tagOf(Runners.lease(caller, asked)), "RunnerDraining")
        yield* Runners.hello(caller, introduction)
        assert.strictEqual((yield* granted({ caller, runner })).run.key, run)
      })
    )

    it.effect("a runner that drains keeps its lease, renews it and takes no other", () =>
      Effect.gen(function* () {
        const { caller, owner, runner } = yield* setUp
        const { fence, id: lease } = yield* granted({ caller, runner })
        const renewed = Runners.renew(caller, { lease, fence }, 0)
        assert.strictEqual((yield* renewed).action, "continue")
        const once = yield* Runners.drain(owner, introduction.name)
        assert.deepStrictEqual((yield* Runners.drain(owner, runner)).drainingAt, once.drainingAt)
        assert.strictEqual((yield* renewed).action, "drain")
        yield* Runs.start(owner, "PAY-2" as StoryKey)
        const next = Runners.lease(caller, { runner, executors: ["custom"], waitSeconds: 0 })
        assert.strictEqual(yield* tagOf(next), "RunnerDraining")
        assert.strictEqual((yield* renewed).action, "drain")
        yield* Runners.goodbye(caller, runner)
        assert.strictEqual(yield* tagOf(Runners.drain(owner, runner)), "RunnerOffline")
        assert.strictEqual(yield* tagOf(Runners.drain(owner, "nobody")), "RunnerNotFound")
      })
    )

    it.effect("a lease and a drain at once leave nothing that the runner does not hear of", () =>
      Effect.gen(function* () {
        for (const _ of rounds(5)) {
          const { caller, owner, runner } = yield* setUp
          const take = Runners.lease(caller, { runner, executors: ["custom"], waitSeconds: 0 })
          const [taken] = yield* Effect.all([Effect.either(take), Runners.drain(owner, runner)], {
            concurrency: "unbounded"
          })
          if (Either.isLeft(taken)) assert.strictEqual(taken.left._tag, "RunnerDraining")
          else {
            const { fence, id: lease } = taken.right ?? assert.fail("there was a run")
            assert.strictEqual((yield* Runners.renew(caller, { lease, fence }, 0)).action, "drain")
          }
        }
      })
    )
  })
