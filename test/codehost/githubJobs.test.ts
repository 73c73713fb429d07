import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Connections from "../../application/codehost/Connections.ts"
import * as Engine from "../jobs/Engine.ts"
import { answer, arrange, decisions, handOff, look, onGitHub, push, waiting, words } from "./GitHubJobs.ts"
import * as Scene from "./Scene.ts"
import { long } from "../support/Long.ts"

onGitHub("pull requests on GitHub", (it) => {
  it.scoped("a change is opened with its evidence, approved, merged at the verified commit, and done", () =>
    Effect.gen(function* () {
      const place = yield* arrange()
      const { head, repository, server } = place
      yield* handOff(place)
      const { pullRequest } = yield* waiting(place)
      assert.strictEqual(pullRequest?.url, `${server.origin}/acme/pay/pull/${pullRequest?.number}`)
      const shown = (yield* place.ana("GET", `/pulls/${pullRequest?.number}`)) as { readonly body: string }
      assert.include(shown.body, "All 3 gates passed.")
      assert.include(shown.body, "/runs/run-aaaa")
      yield* answer(place, "merge")
      yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "succeeded")
      assert.strictEqual((yield* Scene.storyOf(place)).column.role, "done")
      const [commit] = Scene.merges({ ...place })
      assert.strictEqual(repository.git("log", "-1", "--format=%P", commit ?? "").split(" ")[1], head)
      assert.deepInclude<object>(yield* Scene.pull(place, 1), { state: "merged", mergeCommit: commit })
      assert.deepStrictEqual(
        [server.count("pulls/create"), server.count("pulls/merge"), server.violations.slice(0, 3)],
        [1, 1, []]
      )
    })
  )

  long(() => {
    it.scoped("a person who merges or closes the pull request on GitHub ends the run and its question", () =>
      Effect.gen(function* () {
        const place = yield* arrange()
        yield* handOff(place)
        const { pullRequest } = yield* waiting(place)
        yield* place.ana("PUT", `/pulls/${pullRequest?.number}/merge`, {})
        yield* look(place)
        assert.deepInclude<object>(yield* Scene.runOf(place), { status: "succeeded", stage: "done" })
        assert.strictEqual((yield* Scene.storyOf(place)).column.role, "done")
        assert.deepStrictEqual(yield* words(place), ["merge_approval cancelled"])

        const other = yield* arrange()
        yield* handOff(other)
        const opened = yield* waiting(other)
        yield* other.ana("PATCH", `/pulls/${opened.pullRequest?.number}`, { state: "closed" })
        yield* look(other)
        assert.deepInclude<object>(yield* Scene.runOf(other), { status: "stopped", failureClass: "policy" })
        assert.strictEqual((yield* Scene.storyOf(other)).column.role, "backlog")
        assert.deepInclude<object>(yield* Scene.pull(other, 1), { state: "closed" })
      })
    )
  })

  long(() => {
    it.scoped("a push after the verification makes the approval stale and asks anew", () =>
      Effect.gen(function* () {
        const place = yield* arrange()
        yield* handOff(place)
        yield* waiting(place)
        const moved = yield* push(place, { more: "" })
        yield* look(place)
        yield* look(place)
        assert.deepStrictEqual(yield* words(place), ["merge_approval superseded", "merge_approval pending"])
        const [asked] = yield* decisions(place)
        assert.include(asked?.body, moved)
        assert.strictEqual(asked?.recommendation, "request_changes")
        const before = place.repository.head("main")
        const again = yield* push(place, { sneaked: "" })
        yield* answer(place, "merge")
        yield* Engine.eventually(words(place), (all) => all.length === 3)
        assert.strictEqual(place.repository.head("main"), before)
        assert.include((yield* decisions(place))[0]?.body, again)
        yield* waiting(place)
        yield* answer(place, "merge")
        yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "succeeded")
        assert.strictEqual(place.repository.file("main", "sneaked"), "")
      })
    )
  })

  long(() => {
    it.scoped("a rule of the repository is named by a decision, and the merge goes on after it", () =>
      Effect.gen(function* () {
        const place = yield* arrange("verified")
        place.kept.mergeMethods.clear()
        yield* handOff(place)
        yield* waiting(place)
        const [asked] = yield* decisions(place)
        assert.include(asked?.title, "A rule keeps pull request")
        assert.include(asked?.body, "not allowed on this repository")
        place.kept.mergeMethods.add("squash")
        yield* answer(place, "merge")
        yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "succeeded")
      })
    )
  })

  it.scoped("a connection that stops working says so until it works again", () =>
    Effect.gen(function* () {
      const place = yield* arrange()
      const { server } = place
      server.moods.next(/repos/, { kind: "answer", status: 401, message: "Bad credentials" }, 4)
      yield* look(place)
      const [failing] = yield* Connections.list(place.owner)
      assert.include(failing?.trouble?.reason, "Bad credentials")
      server.moods.clear()
      yield* look(place)
      const [working] = yield* Connections.list(place.owner)
      assert.isNull(working?.trouble)
      const tested = yield* Connections.test(place.owner, "github")
      assert.deepStrictEqual([tested.missing, tested.trouble], [[], null])
    })
  )
})
