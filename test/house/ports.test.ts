import { assert, it } from "vitest"
import { ownPort } from "../support/Port.ts"

it("two tests never draw one port, and the system gives none of them to a connection", async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, ownPort))
  assert.strictEqual(new Set(ports).size, 20)
  assert.isBelow(Math.max(...ports), 32_768)
})
