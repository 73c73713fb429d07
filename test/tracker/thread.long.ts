import { Effect } from "effect"
import { assert, it } from "vitest"
import { thread } from "./IssueThread.ts"

it("an issue that is labelled ready is worked on, merged, commented on once and closed by two instances", async () => {
  assert.strictEqual(await Effect.runPromise(thread([])), 0)
}, 400_000)
