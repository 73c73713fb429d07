import { Effect } from "effect"
import { it } from "vitest"
import { thread } from "./IssueThread.ts"

it("an issue that is labelled ready is worked on, merged, commented on once and closed, though an instance is killed when GitHub has the comment", async () => {
  await Effect.runPromise(thread({ killedAt: ["issues/create-comment"] }))
}, 600_000)
