import { Effect } from "effect"
import { assert, it } from "vitest"
import { way } from "./GitHubWay.ts"

it("goes from Ready to merged, red and reverted on GitHub, also when the service is killed after the merge", async () => {
  const { kills } = await Effect.runPromise(way([["pulls/merge", "after"]]))
  assert.strictEqual(kills, 1)
}, 300_000)
