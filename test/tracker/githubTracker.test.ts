import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, TestClock } from "effect"
import * as ContentBudget from "../../adapters/github/ContentBudget.ts"
import { trackerContract, pages } from "../contract/TrackerContract.ts"
import * as Issues from "../github/Issues.ts"
import type * as State from "../github/State.ts"
import { addUser } from "../github/World.ts"
import { long } from "../support/Long.ts"
import { gitHubIssues } from "./GitHubIssues.ts"
import { turns } from "../support/Share.ts"

long(() => trackerContract("GitHub by a token", gitHubIssues("token")))

const early = DateTime.unsafeMake("2026-01-01T00:00:00Z")

describe("the right to write", () => {
  const roles: ReadonlyArray<readonly [role: State.Role | "nobody", mayWrite: boolean]> = [
    ["admin", true],
    ["maintain", true],
    ["write", true],
    ["triage", false],
    ["read", false],
    ["none", false],
    ["nobody", false]
  ]

  it.scoped.each(turns(roles, 3))("%s: %s", ([role, mayWrite]) =>
    Effect.gen(function* () {
      const { actOf, at, found, people, repository, tracker } = yield* gitHubIssues()
      if (role !== "nobody") repository.collaborators.set("rita", role)
      const ref = yield* people.open("writer", { title: "Fees" })
      yield* Effect.promise(() => Issues.setLabels(actOf("Rita"), found(ref), ["ready"]))
      const { readied } = yield* tracker.trail(at, ref, [{ kind: "label", name: "ready" }])
      assert.deepStrictEqual(readied?.by, { name: "Rita", mayWrite })
    })
  )

  it.scoped("a bot that labels every issue has none, nor has an account that was deleted", () =>
    Effect.gen(function* () {
      const { at, found, people, repository, tracker, world } = yield* gitHubIssues()
      const robot = addUser(world, "labeller[bot]", "Bot")
      // A person of the bot's name has rights of their own.
      repository.collaborators.set("labeller", "admin")
      const act = { world, repository, user: robot, app: null }
      const ref = yield* people.open("writer", { title: "Fees" })
      yield* Effect.promise(() => Issues.setLabels(act, found(ref), ["ready"]))
      const byRobot = yield* tracker.trail(at, ref, [{ kind: "label", name: "ready" }])
      assert.deepStrictEqual(byRobot.readied?.by, { name: "labeller[bot]", mayWrite: false })
      yield* people.unlabel(ref, "ready")
      yield* people.label("stranger", ref, "ready")
      yield* people.edit("stranger", ref, { body: "Mine" })
      world.users.delete("mallory")
      const { foreignEdit, readied } = yield* tracker.trail(at, ref, [{ kind: "label", name: "ready" }])
      const ghost = { name: "ghost", mayWrite: false }
      assert.deepStrictEqual([readied?.by, foreignEdit?.by], [ghost, ghost])
    })
  )

  long(() => {
    it.scoped("is asked for once a minute", () =>
      Effect.gen(function* () {
        const { at, forward, people, repository, server, tracker } = yield* gitHubIssues()
        const ref = yield* people.open("writer", { title: "Fees", labels: ["ready"] })
        const asked = () => server.count("repos/get-collaborator-permission-level")
        yield* tracker.trail(at, ref, [{ kind: "label", name: "ready" }])
        repository.collaborators.set("ana", "read")
        assert.isTrue((yield* tracker.trail(at, ref, [{ kind: "label", name: "ready" }])).readied?.by.mayWrite)
        assert.strictEqual(asked(), 1)
        yield* forward(60_000)
        assert.isFalse((yield* tracker.trail(at, ref, [{ kind: "label", name: "ready" }])).readied?.by.mayWrite)
        assert.strictEqual(asked(), 2)
      })
    )
  })

  long(() => {
    it.scoped("an edit is found behind hundreds of others, and a label too", () =>
      Effect.gen(function* () {
        const { at, people, second, server, tracker } = yield* gitHubIssues()
        const ref = yield* people.open("stranger", { title: "Fees" })
        yield* people.label("writer", ref, "ready")
        yield* second
        yield* people.edit("stranger", ref, { body: "Mine" })
        yield* second
        for (let count = 0; count < 250; count++) {
          yield* people.edit("writer", ref, { title: `Fees ${count}`, body: `${count}` })
          yield* people.label("writer", ref, `more ${count}`)
        }
        const { foreignEdit, readied } = yield* tracker.trail(at, ref, [{ kind: "label", name: "ready" }])
        assert.deepStrictEqual([readied?.by.name, foreignEdit?.by.name], ["ana", "mallory"])
        assert.deepStrictEqual(server.violations, [])
      })
    )
  })
})

describe("what is not an issue of ours", () => {
  it.scoped("pull requests are skipped", () =>
    Effect.gen(function* () {
      const here = yield* gitHubIssues()
      const { at, people, repository, tracker } = here
      const ref = yield* people.open("writer", { title: "Fees" })
      const pull = { ...here.found(ref), id: 9_999, number: 99, pull: { draft: false, mergedAt: null } as State.Pull }
      repository.issues.push(pull)
      assert.deepStrictEqual(
        (yield* pages(here, null)).map(({ title }) => title),
        ["Fees"]
      )
      assert.deepStrictEqual(yield* tracker.get(at, here.refOf(pull)), { gone: "deleted" })
    })
  )

  it.scoped("pull requests that fill a page hide no issue, and name the time up to which it was read", () =>
    Effect.gen(function* () {
      const { at, forward, found, people, repository, tracker } = yield* gitHubIssues()
      const ref = yield* people.open("writer", { title: "Fees" })
      const since = DateTime.unsafeMake(found(ref).updatedAt)
      yield* forward(60_000)
      for (let count = 0; count < 120; count++) {
        const opened = found(yield* people.open("writer", { title: `Pull request ${count}` }))
        const pull = { draft: false, mergedAt: null } as State.Pull
        repository.issues.splice(repository.issues.indexOf(opened), 1, { ...opened, pull })
      }
      const page = yield* tracker.page(at, { since, cursor: null })
      assert.deepStrictEqual([page?.issues.length, page?.etag], [1, null])
      assert.strictEqual(page?.until?.epochMillis, Math.floor((since.epochMillis + 60_000) / 1000) * 1000)
    })
  )

  long(() => {
    it.scoped("a marker in the text of somebody else is none", () =>
      Effect.gen(function* () {
        const { actOf, at, found, people, server, tracker } = yield* gitHubIssues()
        const marker = "<!-- gatehouse:1 -->"
        const ref = yield* people.open("stranger", { title: "Fees", body: marker })
        assert.isNull(yield* tracker.find(at, marker, early))
        const foreign = Issues.addComment(actOf("mallory"), found(ref), `Mine ${marker}`)
        const id = yield* tracker.comment(at, ref, { marker, body: `Plan ${marker}`, id: String(foreign.id) })
        assert.notStrictEqual(id, String(foreign.id))
        assert.deepStrictEqual(
          found(ref).comments.map(({ body, user }) => [user.login, body]),
          [
            ["mallory", `Mine ${marker}`],
            ["gatehouse[bot]", `Plan ${marker}`]
          ]
        )
        assert.deepStrictEqual(server.violations, [])
      })
    )
  })

  long(() => {
    it.scoped("an issue is not gone because its repository cannot be read", () =>
      Effect.gen(function* () {
        const { at, people, repository, server, tracker } = yield* gitHubIssues()
        const ref = yield* people.open("writer", { title: "Fees" })
        const reason = Effect.map(Effect.flip(tracker.get(at, ref)), (error) => error.reason)
        repository.hasIssues = false
        assert.include(yield* reason, "acme/pay has no issues")
        assert.include((yield* tracker.inspect(at)).missing, "acme/pay: issues are switched off in its settings")
        repository.hasIssues = true
        const missing = { kind: "answer", status: 404, message: "Not Found" } as const
        server.moods.next(/repos\/acme\/pay/, missing, 2)
        assert.include(yield* reason, "acme/pay: Not Found (404)")
        const moved = {
          kind: "answer",
          status: 301,
          message: "Moved",
          headers: { location: "https://x.test/1" }
        } as const
        server.moods.next(/repos\/acme\/pay/, moved, 3)
        assert.include(yield* reason, "was renamed or moved")
        const listed = yield* Effect.flip(tracker.page(at, { since: null, cursor: null }))
        assert.include(listed.reason, "was renamed or moved")
        assert.strictEqual("gone" in (yield* tracker.get(at, ref)), false)
      })
    )
  })

  it.scoped.each(["acme", "acme/pay/x", "../pay", "acme/pay?x=1", "https://evil.test/acme/pay", ""])(
    "%j is no project",
    (project) =>
      Effect.gen(function* () {
        const { at, server, tracker } = yield* gitHubIssues()
        const before = server.requests.length
        const error = yield* Effect.flip(tracker.inspect({ ...at, project }))
        assert.isTrue(error.isFinal)
        assert.strictEqual(server.requests.length, before)
      })
  )
})

long(() => {
  it.scoped("pages that are too long to be read are read in smaller ones", () =>
    Effect.gen(function* () {
      const here = yield* gitHubIssues()
      const body = "ü".repeat(65_000)
      for (let count = 0; count < 45; count++) yield* here.people.open("writer", { title: `Fees ${count}`, body })
      yield* here.second
      yield* here.people.open("writer", { title: "Last" })
      const found = yield* pages(here, null)
      assert.strictEqual(new Set(found.map(({ id }) => id)).size, 46)
      assert.isTrue(found.every((issue) => issue.title === "Last" || issue.body === body))
    })
  )
})

describe("limits and lost answers", () => {
  long(() => {
    it.scoped("an issue or a comment whose answer is lost is found again", () =>
      Effect.gen(function* () {
        const { at, repository, server, tracker } = yield* gitHubIssues()
        const marker = "<!-- gatehouse:1 -->"
        server.moods.next("issues/create", { kind: "lost" })
        assert.isNull((yield* Effect.flip(tracker.create(at, { title: "Fees", body: marker, labels: [] }))).wait)
        const ref = yield* tracker.find(at, marker, early)
        assert.isNotNull(ref)
        if (ref === null) return
        const comment = { marker, body: `Plan ${marker}`, id: null }
        server.moods.next("issues/create-comment", { kind: "lost" })
        yield* Effect.flip(tracker.comment(at, ref, comment))
        yield* tracker.comment(at, ref, comment)
        assert.deepStrictEqual([repository.issues.length, repository.issues[0]?.comments.length], [1, 1])
        assert.strictEqual(server.count("issues/update-comment"), 0)
      })
    )
  })

  it.scoped("a limit names the time to wait", () =>
    Effect.gen(function* () {
      const { at, forward, people, server, tracker } = yield* gitHubIssues()
      const ref = yield* people.open("writer", { title: "Fees" })
      yield* tracker.get(at, ref)
      server.moods.next("issues/get", { kind: "secondary", status: 403, retryAfter: 90 })
      const waitOf = Effect.map(Effect.flip(tracker.get(at, ref)), ({ wait }) => wait && Duration.toSeconds(wait))
      assert.strictEqual(yield* waitOf, 90)
      yield* forward(30_000)
      const before = server.requests.length
      assert.strictEqual(yield* waitOf, 60)
      assert.strictEqual(server.requests.length, before)
      yield* forward(60_000)
      assert.strictEqual("gone" in (yield* tracker.get(at, ref)), false)
    })
  )

  long(() => {
    it.effect("5,000 changes keep within 80 calls a minute and 500 an hour, and none is lost", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const spend = ContentBudget.make()
        const times: Array<number> = []
        const clock = yield* TestClock.currentTimeMillis
        let now = clock
        while (times.length < 5000) {
          const answer = yield* Effect.either(spend("one"))
          if (answer._tag === "Right") times.push(now)
          else {
            const wait = Duration.toMillis(answer.left.wait ?? Duration.zero)
            assert.isAbove(wait, 0)
            yield* TestClock.adjust(wait)
            now += wait
          }
        }
        const most = (within: number) =>
          Math.max(...times.map((at, first) => times.slice(first).findIndex((other) => other >= at + within)))
        assert.isAtMost(most(60_000), 80)
        assert.isAtMost(most(3_600_000), 500)
        yield* spend("another")
      })
    )
  })
})

it.scoped("a repository that may not be written to is not tried again soon", () =>
  Effect.gen(function* () {
    const { at, people, server, tracker } = yield* gitHubIssues()
    const ref = yield* people.open("writer", { title: "Fees" })
    const archived = { kind: "answer", status: 403, message: "Repository was archived so is read-only." } as const
    server.moods.next("issues/add-labels", archived)
    const error = yield* Effect.flip(tracker.update(at, ref, { addLabels: ["ready"], removeLabels: [] }))
    assert.deepStrictEqual([error.isFinal, error.wait], [true, null])
    server.moods.next("issues/create-comment", archived)
    const marker = "<!-- gatehouse:1 -->"
    assert.isTrue((yield* Effect.flip(tracker.comment(at, ref, { marker, body: marker, id: null }))).isFinal)
  })
)

it.scoped("an App without the right to issues lacks it", () =>
  Effect.gen(function* () {
    const { at, server, tracker, world } = yield* gitHubIssues()
    for (const installation of world.installations.values())
      installation.permissions = { ...installation.permissions, issues: "read" }
    assert.deepStrictEqual((yield* tracker.inspect(at)).missing, ["issues: write"])
    assert.deepStrictEqual(server.violations, [])
  })
)
