import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Connections from "../../application/codehost/Connections.ts"
import * as Engine from "../jobs/Engine.ts"
import * as Queue from "../jobs/Queue.ts"
import { answer, arrange, connect, decisions, fails, handOff, look, onGitHub, words } from "./GitHubJobs.ts"
import { lines } from "./Repositories.ts"
import * as Scene from "./Scene.ts"
import { long } from "../support/Long.ts"

onGitHub("the main branch on GitHub", (it) => {
  it.scoped("a red main branch holds merges and proposes the revert of our merge, once; green closes it", () =>
    Effect.gen(function* () {
      const place = yield* arrange("verified")
      const { repository, server } = place
      yield* fails(place, repository.head("main"), "success")
      yield* handOff(place)
      yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "succeeded")
      const merge = repository.head("main")
      yield* look(place)
      assert.deepStrictEqual(yield* words(place), [])
      yield* fails(place, merge)
      yield* look(place)
      yield* look(place)
      assert.deepStrictEqual(yield* words(place), ["main_red_incident pending", "revert_approval pending"])
      const [revert] = yield* decisions(place)
      assert.include(revert?.body, "- [ci](https://ci.test/1) failed")
      yield* answer(place, "open_revert", "revert_approval")
      yield* Engine.eventually(Effect.either(Scene.pull(place, 2)), ({ _tag }) => _tag === "Right")
      const opened = yield* Scene.pull(place, 2)
      assert.deepInclude<object>(opened, { state: "open", reverts: 1 })
      assert.strictEqual(repository.file(opened.head, "fees.txt"), lines().trim())
      assert.strictEqual(server.count("graphql:revertPullRequest"), 1)
      yield* place.ana("PUT", `/pulls/${opened.hostNumber}/merge`, {})
      const reverted = repository.head("main")
      yield* fails(place, reverted, "success")
      yield* look(place)
      assert.deepStrictEqual(yield* words(place), ["main_red_incident superseded", "revert_approval resolved"])
      assert.strictEqual((yield* Scene.pull(place, 2)).state, "merged")
      yield* fails(place, reverted)
      yield* look(place)
      assert.deepStrictEqual((yield* words(place)).slice(2), ["main_red_incident pending"])
    })
  )

  long(() => {
    it.scoped("a branch that stays red holds merges however long, is reported once, and its green lets them go", () =>
      Effect.gen(function* () {
        const place = yield* arrange("verified")
        const { repository } = place
        const red = (message: string) =>
          Effect.gen(function* () {
            const head = repository.commit("main", { [message]: "" }, { message })
            yield* place.ana("POST", "/git/refs", { ref: `refs/heads/seen-${head.slice(0, 7)}`, sha: head })
            yield* fails(place, head)
            yield* look(place)
          })
        for (let n = 0; n < 12; n++) {
          yield* red(`red-${n}`)
          if (n === 0 || n > 9) yield* look(place)
        }
        assert.deepStrictEqual(yield* words(place), ["main_red_incident pending"])
        assert.isNull((yield* decisions(place))[0]?.expiresAt)
        yield* handOff(place)
        const held = Effect.map(Scene.runOf(place), ({ stage, status }) => [status, stage])
        yield* Engine.eventually(Scene.runOf(place), ({ pullRequest }) => pullRequest !== null)
        assert.deepStrictEqual(yield* held, ["running", "handing_off"])
        yield* fails(place, repository.head("main"), "success")
        yield* look(place)
        assert.deepStrictEqual(yield* words(place), ["main_red_incident superseded"])
        yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "succeeded")
      })
    )
  })

  long(() => {
    it.scoped("jobs that rest for want of a connection go on as soon as there is one", () =>
      Effect.gen(function* () {
        const place = yield* arrange("verified")
        yield* Connections.remove(place.owner, "github")
        yield* handOff(place)
        const jobs = Effect.map(Queue.all(place.id), (all) => all.map(({ kind, status }) => `${kind} ${status}`))
        yield* Engine.eventually(jobs, (all) => all.includes("open_pull_request no_adapter"))
        yield* connect(place)
        yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "succeeded")
      })
    )
  })
})
