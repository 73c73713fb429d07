import { Effect } from "effect"
import { assert, it } from "vitest"
import { way } from "./GitHubWay.ts"
import type { Moment } from "./LiveGitHub.ts"

const effects = ["pulls/create", "checks/create", "pulls/merge", "graphql:revertPullRequest"]

const moments: ReadonlyArray<Moment> = [
  ...effects.flatMap((operation): ReadonlyArray<Moment> => [
    [operation, "before"],
    [operation, "after"]
  ]),
  ["pulls/list", "after"],
  ["pulls/get", "before"]
]

it("does each thing on GitHub once, although the service is killed ten times on the way", async () => {
  const { kills } = await Effect.runPromise(way(moments))
  assert.strictEqual(kills, 10)
}, 1_200_000)
