import { assert, it } from "vitest"
import { boundedCache } from "../../../domain/value/BoundedCache.ts"

it("a cache holds no more than its most, and is emptied for the next", () => {
  const cache = boundedCache<string, number>(2)
  const held = () => ["a", "b", "c"].map((key) => cache.get(key))
  assert.strictEqual(cache.set("a", 1), 1)
  cache.set("b", 2)
  assert.deepStrictEqual(held(), [1, 2, undefined])
  cache.set("c", 3)
  assert.deepStrictEqual(held(), [undefined, undefined, 3])
})
