import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { codeHostContract } from "../contract/CodeHostContract.ts"
import { proposedAt } from "./Proposal.ts"
import { codeHostRevertContract } from "../contract/CodeHostRevertContract.ts"
import { gitHub, present } from "./GitHubPlace.ts"
import { branch } from "./Repositories.ts"
import { long } from "../support/Long.ts"

codeHostContract("GitHub", Effect.zipRight(present(), gitHub("app")), { isForge: true })
long(() => codeHostRevertContract("GitHub", Effect.zipRight(present(), gitHub("token")), { isForge: true }))

const proposed = (way: "token" | "app" = "app") =>
  Effect.gen(function* () {
    yield* present()
    const place = yield* gitHub(way)
    const { head, pull } = yield* proposedAt(Effect.succeed(place))
    return { ...place, head, pull }
  })

const page = { body: "All gates passed.", isVerified: true, summary: "All 3 gates passed.", url: "https://gate.test/r" }

it.scoped("a pull request is opened once with its evidence, also after a lost answer", () =>
  Effect.gen(function* () {
    const { head, host, kept, pull, server } = yield* proposed()
    server.moods.next("pulls/create", { kind: "lost" })
    server.moods.next("checks/create", { kind: "lost" })
    assert.strictEqual((yield* Effect.flip(host.open(pull, page)))._tag, "HostFailed")
    assert.strictEqual((yield* Effect.flip(host.open(pull, page)))._tag, "HostFailed")
    const first = yield* host.open(pull, page)
    assert.deepStrictEqual(yield* host.open(pull, page), first)
    assert.strictEqual(first?.url, `${server.origin}/acme/pay/pull/${first?.number}`)
    assert.strictEqual(server.count("pulls/create"), 1)
    yield* host.open({ ...pull, title: "Round all fees" }, { ...page, body: "Again.", isVerified: false })
    assert.strictEqual(server.count("pulls/update"), 1)
    assert.deepStrictEqual([server.count("checks/create"), server.count("checks/update")], [1, 1])
    assert.strictEqual(server.count("repos/create-commit-status"), 0)
    assert.deepStrictEqual(
      kept.checkRuns.map(({ conclusion, detailsUrl, externalId, head: at, name, output }) => [
        name,
        at,
        externalId,
        conclusion,
        detailsUrl,
        output["summary"]
      ]),
      [["gatehouse", head, pull.runKey ?? pull.branch, "failure", page.url, "Again."]]
    )
    assert.deepStrictEqual(yield* host.checks(pull.repository, head), [])
    assert.deepStrictEqual(server.violations, [])
  })
)

long(() => {
  it.scoped("a token, and an App that may not write checks, show the verification as a status, once", () =>
    Effect.gen(function* () {
      for (const way of ["token", "app"] as const) {
        const { head, host, kept, pull, server } = yield* proposed(way)
        if (way === "app")
          for (const one of server.world.installations.values())
            Object.assign(one, { permissions: { ...one.permissions, checks: "read" } })
        yield* host.open(pull, page)
        yield* host.open(pull, page)
        yield* host.open(pull, { ...page, isVerified: false })
        assert.deepStrictEqual(
          kept.statuses.map((one) => [one.context, one.state]),
          [
            ["gatehouse", "success"],
            ["gatehouse", "failure"]
          ]
        )
        assert.strictEqual(kept.checkRuns.length, 0)
        assert.deepStrictEqual(yield* host.checks(pull.repository, head), [])
      }
    })
  )
})

it.scoped("a merge whose answer is lost is decided by looking", () =>
  Effect.gen(function* () {
    const { host, pull, repository, server } = yield* proposed("token")
    yield* host.open(pull, page)
    server.moods.next("pulls/merge", { kind: "lost" })
    const commit = yield* host.merge(pull, "Merge")
    assert.strictEqual(repository.head("main"), commit)
    server.moods.next("pulls/merge", { kind: "cut" })
    assert.strictEqual(yield* host.merge(pull, "Merge"), commit)
    assert.deepStrictEqual(server.violations, [])
  })
)

long(() => {
  it.scoped("a limit makes every call of the connection wait, and a server error is tried again", () =>
    Effect.gen(function* () {
      const { address, host, pull, server } = yield* proposed()
      server.moods.next(/GET .*pulls/, { kind: "answer", status: 502, message: "Bad gateway" })
      assert.deepInclude<object>(yield* Effect.flip(host.open(pull)), { _tag: "HostFailed", isFinal: false })
      yield* host.open(pull)
      const sent = server.requests.length
      server.moods.next(/repos/, { kind: "secondary", status: 403, retryAfter: 120 })
      assert.strictEqual((yield* Effect.flip(host.defaultBranch(address)))._tag, "HostFailed")
      assert.include((yield* Effect.flip(host.branchHead(address, branch("main")))).message, "asks to wait until")
      assert.strictEqual(server.requests.length, sent + 1)
    })
  )
})

long(() => {
  it.scoped("a rule of the repository blocks the merge and is named", () =>
    Effect.gen(function* () {
      const { host, kept, pull, repository } = yield* proposed()
      yield* host.open(pull)
      kept.mergeMethods.clear()
      const before = repository.head("main")
      const refused = yield* Effect.flip(host.merge(pull, "Merge"))
      assert.strictEqual(refused._tag, "MergeBlocked")
      assert.include(refused.message, "not allowed on this repository")
      assert.strictEqual(repository.head("main"), before)
    })
  )
})

long(() => {
  it.scoped("the changed files of a pull request are shown, before and after its merge", () =>
    Effect.gen(function* () {
      const { host, pull } = yield* proposed()
      assert.deepStrictEqual(yield* host.difference(pull), { files: [], text: "", isCut: false })
      yield* host.open(pull)
      const shown = yield* host.difference(pull)
      assert.deepStrictEqual(shown.files, [{ path: "fees.txt", lines: { added: 1, deleted: 1 } }])
      const mergeCommit = yield* host.merge(pull, "Merge")
      assert.deepStrictEqual(yield* host.difference({ ...pull, state: "merged", mergeCommit }), shown)
    })
  )
})

long(() => {
  it.scoped("checks of both systems are read, and commits by their first parents", () =>
    Effect.gen(function* () {
      const { address, ana, host, pull, repository } = yield* proposed()
      const first = repository.head("main")
      yield* ana("POST", `/statuses/${first}`, { state: "error", context: "ci", target_url: "https://ci.test/1" })
      yield* host.open(pull, page)
      assert.deepStrictEqual(yield* host.checks(address, pull.head), [])
      const [seen, ...more] = yield* host.checks(address, first)
      assert.deepInclude<object>({ ...seen }, { name: "ci", outcome: "failed", url: "https://ci.test/1" })
      assert.deepStrictEqual(more, [])
      const merge = yield* host.merge(pull, "Merge")
      const recent = yield* host.recent(address, branch("main"))
      assert.deepStrictEqual(recent.slice(0, 2), [
        { commit: merge, parent: first, isRevert: false },
        { commit: first, parent: recent[2]?.commit ?? null, isRevert: false }
      ])
    })
  )
})
