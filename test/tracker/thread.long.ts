import { Effect } from "effect"
import { assert, it } from "vitest"
import { thread } from "./IssueThread.ts"

it.each([
  ["two instances", []],
  ["two instances, of which one is killed when GitHub has the comment", ["issues/create-comment"]]
] as const)(
  "an issue that is labelled ready is worked on, merged, commented on once and closed by %s",
  async (_, killedAt) => {
    assert.strictEqual(await Effect.runPromise(thread({ killedAt })), killedAt.length)
  },
  600_000
)
