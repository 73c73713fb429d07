import { assert, it } from "vitest"
import { named } from "../../adapters/alerting/DeliveryName.ts"

it.each([
  ["a".repeat(200), `id ${"a".repeat(200)}`],
  ["a".repeat(201), null],
  ["a", "id a"],
  ["", null],
  ["with space", null],
  ["ümlaut", null],
  [undefined, null]
])("a delivery with the id %j", (id, name) => assert.strictEqual(named(id), name))
