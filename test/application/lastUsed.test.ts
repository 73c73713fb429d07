import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Exit, Layer, Scope, TestClock } from "effect"
import * as TokenUsage from "../../application/workspace/TokenUsage.ts"
import { TokenStore, type TokenUse } from "../../application/ports/TokenStore.ts"
import type { TokenId } from "../../domain/workspace/ApiToken.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { long } from "../support/Long.ts"

/** Seconds written for each token, in order. */
const scene = Effect.gen(function* () {
  const written: Array<readonly [string, number]> = []
  let isDown = false
  const touch = (uses: ReadonlyArray<TokenUse>) =>
    Effect.sync(() => {
      if (isDown) throw new Error("down")
      for (const { at, token } of uses) written.push([token, at.epochMillis / 1000])
    })
  const scope = yield* Scope.make()
  const store = Layer.succeed(TokenStore, { touch } as unknown as TokenStore["Type"])
  const context = yield* Layer.buildWithScope(Layer.provide(TokenUsage.layer, store), scope)
  const { record } = yield* Effect.provide(TokenUsage.TokenUsage, context)
  const use = (token: string) =>
    Effect.map(DateTime.now, (at) => record({ workspace: "w" as WorkspaceId, token: token as TokenId, at }))
  return {
    written,
    use,
    wait: (seconds: number) => TestClock.adjust(`${seconds} seconds`),
    setDown: (down: boolean) => Effect.sync(() => void (isDown = down)),
    stop: Scope.close(scope, Exit.void)
  }
})

it.effect("the last request of a burst is written, within a minute of the first", () =>
  Effect.gen(function* () {
    const { use, wait, written } = yield* scene
    for (let second = 0; second < 20; second++) {
      yield* use("a")
      yield* wait(1)
    }
    assert.deepStrictEqual(written, [["a", 0]])
    yield* wait(60)
    assert.deepStrictEqual(written, [
      ["a", 0],
      ["a", 19]
    ])
    yield* wait(120)
    assert.strictEqual(written.length, 2)
  })
)

long(() => {
  it.effect("a token in constant use is written once a minute, and holds up no other", () =>
    Effect.gen(function* () {
      const { use, wait, written } = yield* scene
      for (let second = 0; second < 150; second++) {
        yield* use("a")
        if (second === 30) yield* use("b")
        yield* wait(1)
      }
      assert.strictEqual(written.filter(([token]) => token === "a").length, 3)
      assert.deepStrictEqual(
        written.filter(([token]) => token === "b"),
        [["b", 30]]
      )
    })
  )
})

it.effect("a clean stop writes what waits", () =>
  Effect.gen(function* () {
    const { stop, use, wait, written } = yield* scene
    yield* use("a")
    yield* wait(1)
    yield* use("a")
    yield* stop
    assert.deepStrictEqual(written, [
      ["a", 0],
      ["a", 1]
    ])
  })
)

it.effect("a write that fails is made up for, with the newest use", () =>
  Effect.gen(function* () {
    const { setDown, use, wait, written } = yield* scene
    yield* setDown(true)
    yield* use("a")
    yield* wait(2)
    yield* use("a")
    yield* wait(2)
    assert.deepStrictEqual(written, [])
    yield* setDown(false)
    yield* wait(61)
    assert.deepStrictEqual(written, [["a", 2]])
  })
)
