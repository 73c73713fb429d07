import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as GitHubTracker from "../../adapters/github/GitHubTracker.ts"
import * as GitHubClient from "../../adapters/github/GitHubClient.ts"
import type { Board } from "../../domain/tracker/Mapping.ts"
import { gitHub, outgoing } from "../codehost/GitHubPlace.ts"
import { boardStatuses } from "../contract/TrackerContract.ts"
import { addBoard, addItem, itemOf, moveIssue, removeItem } from "../github/Boards.ts"
import { addPersonalToken, addUser } from "../github/World.ts"
import { gitHubIssues } from "./GitHubIssues.ts"
import { long } from "../support/Long.ts"

const ready = [{ kind: "status" as const, name: "Ready" }]
const change = { addLabels: [], removeLabels: [] }

/** The same project over a classic token of a person. */
const classic = (scopes: ReadonlyArray<string>, login = "ana") =>
  Effect.gen(function* () {
    const place = yield* gitHubIssues("token")
    const token = Object.assign(addPersonalToken(place.world, login), { scopes })
    const access = { ...place.access, credentials: { ...place.access.credentials, secret: Redacted.make(token.value) } }
    const tracker = GitHubTracker.make(GitHubClient.make(outgoing), () => Effect.succeed(access))
    return { ...place, tracker }
  })

const rights =
  "Give the App the organization permission 'Projects: read and write', or the token the scope 'project'; only a classic token reaches the project of a person."

describe("the dry run names", () => {
  const problem = (board: Board, place = gitHubIssues()) =>
    Effect.gen(function* () {
      const { at, server, tracker } = yield* place
      const facts = yield* tracker.inspect({ ...at, board })
      assert.deepStrictEqual([facts.statuses, facts.missing, server.violations], [[], [], []])
      return (facts.boardProblem ?? "").replaceAll(server.origin, "")
    })
  const status = (name: string) => ({ name, field: "Status" })

  it.scoped("a project that is none of GitHub's", () =>
    Effect.gen(function* () {
      for (const name of ["acme", "acme/board", "acme/0", "../7"])
        assert.strictEqual(
          yield* problem(status(name)),
          `'${name}' is no project of GitHub. Name it as OWNER/NUMBER, such as acme/7.`
        )
    })
  )

  it.scoped("a project or an owner that is missing", () =>
    Effect.gen(function* () {
      for (const name of ["acme/99", "nobody/1"])
        assert.strictEqual(
          yield* problem(status(name)),
          `GitHub has no project ${name} that the connection may see. Name it as OWNER/NUMBER, as its address ends with. ${rights}`
        )
    })
  )

  long(() => {
    it.scoped("a field that is missing, or has no options", () =>
      Effect.gen(function* () {
        assert.strictEqual(
          yield* problem({ name: "acme/1", field: "Stage" }),
          "The project acme/1 has no field 'Stage'. Create it at /orgs/acme/projects/1/settings, or name another."
        )
        assert.strictEqual(
          yield* problem({ name: "acme/1", field: "Notes" }),
          "The field 'Notes' of the project acme/1 is no single select. Name one that is, such as Status."
        )
      })
    )
  })

  it.scoped("a permission that the App lacks, to see or to write", () =>
    Effect.gen(function* () {
      const place = yield* gitHubIssues()
      const [installation] = [...place.world.installations.values()]
      if (installation === undefined) return assert.fail("no installation")
      const { organization_projects: _, ...rest } = installation.permissions
      installation.permissions = rest
      assert.strictEqual(
        yield* problem(status("acme/1"), Effect.succeed(place)),
        `The connection may not see the project acme/1: Resource not accessible by integration ${rights}`
      )
    })
  )

  long(() => {
    it.scoped("a scope that a classic token lacks, and one that only reads", () =>
      Effect.gen(function* () {
        const message = yield* problem(status("acme/1"), classic(["repo"]))
        assert.match(message, /^The connection may not see the project acme\/1: Your token has not been granted/)
        assert.include(message, rights)
      })
    )
  })

  long(() => {
    it.scoped("a board that the connection may not write to", () =>
      Effect.gen(function* () {
        const place = yield* gitHubIssues()
        const [installation] = [...place.world.installations.values()]
        if (installation === undefined) return assert.fail("no installation")
        installation.permissions = { ...installation.permissions, organization_projects: "read" }
        assert.strictEqual(
          yield* problem(status("acme/1"), Effect.succeed(place)),
          `The connection may not write to the project acme/1. ${rights}`
        )
      })
    )
  })

  long(() => {
    it.scoped("nothing of the board of a person, by a classic token", () =>
      Effect.gen(function* () {
        const { at, people, server, tracker, world } = yield* classic(["repo", "project"])
        addBoard(world, "ana", ["Todo", "Ready"], "User")
        const mine = { ...at, board: status("ana/1") }
        assert.deepStrictEqual((yield* tracker.inspect(mine)).statuses, ["Todo", "Ready"])
        const ref = yield* people.open("writer", { title: "Fees" })
        yield* tracker.update(mine, ref, { ...change, status: "Todo" })
        assert.strictEqual((yield* tracker.statuses(mine, [ref])).get(ref.id)?.status, "Todo")
        assert.deepStrictEqual(server.violations, [])
      })
    )
  })
})

describe("statuses", () => {
  it.scoped("a hundred issues take one call", () =>
    Effect.gen(function* () {
      const { board, onBoard, people, found, actOf, server, tracker } = yield* gitHubIssues()
      const refs = yield* Effect.replicateEffect(people.open("writer", { title: "Fees" }), 100)
      refs.forEach((ref, index) => moveIssue(actOf("ana"), board, found(ref), boardStatuses[index % 5] ?? null))
      const statuses = yield* tracker.statuses(onBoard, refs)
      assert.strictEqual(server.count("graphql:repositoryOwner"), 1)
      assert.deepStrictEqual(
        refs.map(({ id }) => statuses.get(id)?.status),
        refs.map((_, index) => boardStatuses[index % 5])
      )
      assert.deepStrictEqual(server.violations, [])
    })
  )

  long(() => {
    it.scoped("an issue on more boards than a page holds is found on its own", () =>
      Effect.gen(function* () {
        const { actOf, board, found, onBoard, people, tracker, world } = yield* gitHubIssues()
        const ref = yield* people.open("writer", { title: "Fees" })
        world.boards.length = 0
        for (let count = 0; count < 120; count++) addItem(world, addBoard(world, "acme", ["Ready"]), found(ref))
        world.boards.push(Object.assign(board, { number: 500 }))
        moveIssue(actOf("ana"), board, found(ref), "In review")
        const at = { ...onBoard, board: { name: "acme/500", field: "Status" } }
        assert.strictEqual((yield* tracker.statuses(at, [ref])).get(ref.id)?.status, "In review")
      })
    )
  })

  long(() => {
    it.scoped("an archived item has none, and is taken out of the archive to be moved", () =>
      Effect.gen(function* () {
        const { board, found, onBoard, people, tracker } = yield* gitHubIssues()
        const ref = yield* people.open("writer", { title: "Fees" })
        yield* people.move("writer", ref, "Ready")
        const item = itemOf(board, found(ref))
        if (item === undefined) return assert.fail("no item")
        item.isArchived = true
        assert.strictEqual((yield* tracker.statuses(onBoard, [ref])).get(ref.id)?.status, null)
        yield* tracker.update(onBoard, ref, { ...change, status: "Done" })
        assert.deepStrictEqual([item.isArchived, item.values.get("Status")?.option], [false, "Done"])
      })
    )
  })

  it.scoped("an issue that left the board has none; a board that is hidden is no empty one", () =>
    Effect.gen(function* () {
      const { board, found, onBoard, people, tracker, world } = yield* gitHubIssues()
      const ref = yield* people.open("writer", { title: "Fees" })
      yield* people.move("writer", ref, "Ready")
      removeItem(board, found(ref))
      assert.strictEqual((yield* tracker.statuses(onBoard, [ref])).get(ref.id)?.status, null)
      yield* people.move("writer", ref, "Ready")
      const fields = [...board.fields]
      board.fields.splice(0, 1)
      assert.include((yield* Effect.flip(tracker.statuses(onBoard, [ref]))).reason, "has no field 'Status'")
      board.fields.splice(0, 1, ...fields)
      world.boards.length = 0
      for (const read of [tracker.statuses(onBoard, [ref]), tracker.get(onBoard, ref)])
        assert.include(
          (yield* Effect.flip<unknown, { readonly reason: string }, never>(read)).reason,
          "has no project acme/1"
        )
    })
  )

  it.scoped("an option that was taken away is named, and written to no more", () =>
    Effect.gen(function* () {
      const { onBoard, people, tracker } = yield* gitHubIssues()
      const ref = yield* people.open("writer", { title: "Fees" })
      const failed = yield* Effect.flip(tracker.update(onBoard, ref, { ...change, status: "Shipped" }))
      assert.isTrue(failed.isFinal)
      assert.include(failed.reason, "The field 'Status' of the project acme/1 has no option 'Shipped'.")
    })
  )
})

describe("who set a status", () => {
  long(() => {
    it.scoped("a workflow of the board stands for nobody", () =>
      Effect.gen(function* () {
        const { board, found, onBoard, people, repository, tracker, world } = yield* gitHubIssues()
        const ref = yield* people.open("writer", { title: "Fees" })
        const user = addUser(world, "github-project-automation[bot]", "Bot")
        moveIssue({ world, repository, user, app: null }, board, found(ref), "Ready")
        const { readied } = yield* tracker.trail(onBoard, ref, ready)
        assert.deepStrictEqual(readied?.by, { name: "github-project-automation[bot]", mayWrite: false })
      })
    )
  })

  long(() => {
    it.scoped("an act on another board says nothing", () =>
      Effect.gen(function* () {
        const { actOf, found, onBoard, people, tracker, world } = yield* gitHubIssues()
        const ref = yield* people.open("writer", { title: "Fees" })
        yield* people.move("stranger", ref, "Ready")
        moveIssue(actOf("ana"), addBoard(world, "acme", boardStatuses), found(ref), "Ready")
        assert.isFalse((yield* tracker.trail(onBoard, ref, ready)).readied?.by.mayWrite)
      })
    )
  })

  it.scoped("an act that is not recorded yet is waited for, and then there is none", () =>
    Effect.gen(function* () {
      const { forward, onBoard, people, tracker } = yield* gitHubIssues()
      const ref = yield* people.open("writer", { title: "Fees" })
      yield* people.move(null, ref, "Ready")
      const early = yield* tracker.trail(onBoard, ref, ready)
      assert.deepStrictEqual([early.readied, early.isEarly], [null, true])
      yield* forward(60_000)
      const late = yield* tracker.trail(onBoard, ref, ready)
      assert.deepStrictEqual([late.readied, late.isEarly], [null, undefined])
    })
  )

  it.scoped("boards are not asked for where a mapping has none", () =>
    Effect.gen(function* () {
      const { kept, server, tracker, access } = yield* gitHub()
      kept.collaborators.set("ana", "admin")
      yield* tracker.inspect({ connection: access.connection, project: "acme/pay" })
      assert.strictEqual(server.count("graphql:repositoryOwner"), 0)
    })
  )
})
