import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SecretKey } from "../../application/secrets/SecretKey.ts"
import * as Sealing from "../../application/secrets/Sealing.ts"

const keyed = (byte: number) =>
  Sealing.layer.pipe(Layer.provide(Layer.succeed(SecretKey, Redacted.make(new Uint8Array(32).fill(byte)))))

const seal = (text: string) => Effect.flatMap(Sealing.Sealing, ({ seal }) => seal(Redacted.make(text), "a source"))

it.effect("of several secrets those are opened that open, in their order, the second time as the first", () =>
  Effect.gen(function* () {
    const foreign = yield* Effect.provide(seal("foreign"), keyed(2))
    const own = Effect.gen(function* () {
      const sealed = [yield* seal("new"), foreign, "not sealed at all", yield* seal("old")]
      const { openSome } = yield* Sealing.Sealing
      const openedFor = (about: string) =>
        Effect.map(openSome(sealed, about), (secrets) => secrets.map((one) => Redacted.value(one)))
      assert.deepStrictEqual(yield* openedFor("a source"), ["new", "old"])
      assert.deepStrictEqual(yield* openedFor("a source"), ["new", "old"])
      assert.deepStrictEqual(yield* openedFor("another"), [])
    })
    yield* Effect.provide(own, keyed(1))
  })
)
