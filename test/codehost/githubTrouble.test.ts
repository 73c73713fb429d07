import { assert, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as GitHubClient from "../../adapters/github/GitHubClient.ts"
import { proposedAt } from "./Proposal.ts"
import { uninstall } from "../github/Installations.ts"
import { gitHub, present } from "./GitHubPlace.ts"
import { long } from "../support/Long.ts"

const proposed = (way: "token" | "app" = "app", skew = 0) =>
  Effect.gen(function* () {
    yield* present(skew)
    const place = yield* gitHub(way)
    const { head, pull } = yield* proposedAt(Effect.succeed(place))
    return { ...place, head, pull }
  })

const page = { body: "All gates passed.", isVerified: true, summary: "All 3 gates passed.", url: "https://gate.test/r" }

long(() => {
  it.scoped("an App is believed although the clock here is ten minutes ahead or behind", () =>
    Effect.gen(function* () {
      for (const skew of [600_000, -600_000]) {
        const { host, pull } = yield* proposed("app", skew)
        assert.isNotNull(yield* host.open(pull, page))
      }
    })
  )
})

it.scoped("a repository that was renamed, transferred or archived is named as such, and nothing is given up", () =>
  Effect.gen(function* () {
    const { address, host, pull, server } = yield* proposed("token")
    yield* host.open(pull, page)
    for (const status of [301, 307]) {
      server.moods.next(
        /repos/,
        { kind: "answer", status, message: "Moved", headers: { location: "http://169.254.169.254/" } },
        3
      )
      const moved = yield* Effect.flip(host.defaultBranch(address))
      assert.deepInclude<object>(moved, { isFinal: false })
      assert.include(moved.message, "acme/pay was renamed or transferred on GitHub")
      server.moods.clear()
      server.moods.next("pulls/merge", { kind: "answer", status, message: "Moved" })
      assert.deepInclude<object>(yield* Effect.flip(host.merge(pull, "Merge")), { _tag: "HostFailed", isFinal: false })
    }
    const message = "Repository was archived so is read-only."
    server.moods.next("pulls/merge", { kind: "answer", status: 403, message })
    assert.deepInclude<object>(yield* Effect.flip(host.merge(pull, "Merge")), { _tag: "MergeBlocked", rule: message })
  })
)

it.scoped(
  "an App that was uninstalled is said to give no token, and titles and texts are as long as GitHub takes them",
  () =>
    Effect.gen(function* () {
      const { host, kept, pull, server } = yield* proposed()
      yield* host.open(
        { ...pull, title: "T".repeat(500) },
        { ...page, body: "b".repeat(100_000), summary: "s".repeat(1000) }
      )
      yield* host.open(
        { ...pull, title: "T".repeat(500) },
        { ...page, body: "b".repeat(100_000), summary: "s".repeat(1000) }
      )
      const [issue] = kept.issues
      assert.deepStrictEqual([issue?.title.length, issue?.body?.length], [256, 65_000])
      assert.deepStrictEqual(
        [server.count("pulls/update"), server.count("checks/update"), server.violations],
        [0, 0, []]
      )
      for (const one of server.world.installations.values())
        yield* Effect.promise(async () => uninstall(server.world, one, "ana"))
      yield* TestClock.adjust("2 hours")
      assert.include((yield* Effect.flip(host.state(pull))).message, "GitHub gave no token for the App's installation")
    })
)

it.effect("an answer that is no JSON is not kept, so that it does not come back with every 304", () =>
  Effect.gen(function* () {
    const asked: Array<string | undefined> = []
    const bodies = ["<html>Sign in to the proxy</html>", '{"default_branch":"main"}', ""]
    const client = GitHubClient.make({
      send: ({ headers }) => {
        asked.push(headers?.["if-none-match"])
        const body = bodies[asked.length - 1] ?? ""
        return Effect.succeed({ status: body === "" ? 304 : 200, headers: { etag: `"${asked.length}"` }, body })
      }
    })
    const { access } = yield* proposed("token")
    const call = client.call(access, { method: "GET", path: "/repos/acme/pay", repository: null })
    assert.deepStrictEqual(
      [(yield* call).body, (yield* call).body, (yield* call).body],
      [null, { default_branch: "main" }, { default_branch: "main" }]
    )
    assert.deepStrictEqual(asked, [undefined, undefined, '"2"'])
  }).pipe(Effect.scoped)
)
