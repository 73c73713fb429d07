import { assert, it } from "@effect/vitest"
import { Effect, FastCheck } from "effect"
import * as NodeHashing from "../../../adapters/secrets/NodeHashing.ts"
import { hmac, isSame, sha256 } from "../../../domain/value/Hashing.ts"

const bytes = FastCheck.uint8Array({ maxLength: 300 }).map((some) => new Uint8Array(some))

it.effect("whoever hashes, the hash is the same", () =>
  Effect.gen(function* () {
    const texts = FastCheck.sample(FastCheck.tuple(FastCheck.string({ maxLength: 300 }), bytes, bytes), 100)
    for (const [text, key, message] of texts) {
      const both = Effect.all([sha256(text), hmac(key.length === 0 ? new Uint8Array(1) : key, message)])
      const [digest, mac] = yield* both
      const [nodeDigest, nodeMac] = yield* Effect.provide(both, NodeHashing.layer)
      assert.strictEqual(digest, nodeDigest)
      assert.isTrue(isSame(mac, nodeMac))
    }
  })
)

it("two hashes are the same when every byte is, and as long", () => {
  FastCheck.assert(
    FastCheck.property(bytes, FastCheck.nat(), FastCheck.integer({ min: 1, max: 255 }), (some, at, change) => {
      const other = some.slice()
      assert.isTrue(isSame(some, other))
      assert.isFalse(isSame(some, new Uint8Array([...some, 0])))
      assert.isFalse(isSame(new Uint8Array([...some, 0]), some))
      if (some.length === 0) return
      const place = at % some.length
      other[place] = (other[place] ?? 0) ^ change
      assert.isFalse(isSame(some, other))
    })
  )
})
