import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Engine from "../jobs/Engine.ts"
import * as Queue from "../jobs/Queue.ts"
import * as People from "../support/People.ts"
import { turns } from "../support/Share.ts"
import { lines, spec } from "./Repositories.ts"
import * as Scene from "./Scene.ts"
import { long } from "../support/Long.ts"

/** A change that was merged as #1. */
const merged = Effect.gen(function* () {
  const place = yield* Scene.arrange("verified")
  yield* Scene.started
  yield* Scene.handOff(place)
  yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "succeeded")
  return place
})

/** Asks for a revert, and returns the state and error of the job. */
const revert = (place: Scene.Place, subject: string | null, runKey: typeof Scene.run | null = null) =>
  Effect.gen(function* () {
    yield* Queue.put(place, ["open_revert"], { runKey, payload: { subject, note: null } })
    const last = (yield* Scene.settled(place)).at(-1)
    return [last?.status, last?.error ?? ""] as const
  })

layer(Layer.merge(Memory.layer, Scene.local), { timeout: "60 seconds", excludeTestServices: true })("reverts", (it) => {
  for (const [what, subjectOf] of turns(
    [
      ["the address of its pull request", ({ slug }) => `https://gatehouse.acme.test/${slug}/pulls/1`],
      ["its number", () => "#1"],
      ["its run", () => "run-aaaa of PAY-1"],
      ["its merge commit", (place) => place.repository.head("main")],
      ["the beginning of its merge commit", (place) => place.repository.head("main").slice(0, 9)]
    ] satisfies ReadonlyArray<readonly [string, (place: Scene.Place) => string]>,
    5
  ))
    it.scoped(`a merge that is named by ${what} gets one pull request that reverts it`, () =>
      Effect.gen(function* () {
        const place = yield* merged
        const subject = subjectOf(place)
        assert.deepStrictEqual(yield* revert(place, subject), ["done", ""])
        const [original, reverting] = [yield* Scene.pull(place, 1), yield* Scene.pull(place, 2)]
        assert.deepStrictEqual([original.revertedBy, reverting.reverts], [2, 1])
        assert.deepInclude<object>(reverting, {
          branch: "revert-1",
          base: "main",
          title: 'Revert "Round the fees"',
          state: "open",
          head: place.repository.head("revert-1"),
          runKey: Scene.run
        })
        assert.strictEqual(place.repository.file("revert-1", "fees.txt"), lines().trim())
        assert.deepStrictEqual(yield* revert(place, subject), ["done", ""])
        assert.strictEqual((yield* Effect.either(Scene.pull(place, 3)))._tag, "Left")
        const log = yield* Scene.entries(place)
        assert.deepInclude(Object(log.at(-1)?.details["pullRequest"]), { number: 2, reverts: 1, state: "open" })
      })
    )

  it.scoped("a decision about a broken main branch leads to it", () =>
    Effect.gen(function* () {
      const place = yield* Scene.arrange("manual")
      yield* Scene.started
      const commit = place.repository.commit("main", { "fees.txt": lines([2, "broken"]) })
      yield* Runs.report({ workspace: place.id }, Scene.run, [
        { type: "main_broken", merge: commit, reason: "It is red" }
      ])
      const { key } = yield* Scene.asked(place)
      const owner = yield* People.person(place.slug)
      yield* Decisions.answer(owner, { decision: key, optionId: "open_revert", note: null, idempotency: null })
      assert.deepStrictEqual(Scene.told(yield* Scene.settled(place)), ["open_revert done"])
      const branch = `revert-${commit.slice(0, 12)}`
      assert.deepInclude<object>(yield* Scene.pull(place, 1), { branch, reverts: null, runKey: null, state: "open" })
      assert.strictEqual(place.repository.file(branch, "fees.txt"), lines().trim())
    })
  )

  long(() => {
    it.scoped("nothing else is reverted: not a revert, not what is open, unknown or in conflict", () =>
      Effect.gen(function* () {
        const place = yield* merged
        const { repository } = place
        const commit = repository.head("main")
        const refused = (subject: string | null, problem: string) =>
          Effect.gen(function* () {
            const [status, error] = yield* revert(place, subject)
            assert.deepStrictEqual([status, error.includes(problem)], ["failed", true], error)
          })
        yield* refused("#9", "names no merge")
        yield* refused("main", "names no merge")
        yield* refused("0123456789abcdef", "names no merge")
        yield* refused(null, "names no merge")
        repository.commit("main", { "fees.txt": lines([5, "rounded twice"]) })
        yield* refused("#1", "fees.txt")
        assert.strictEqual((yield* Effect.either(Scene.pull(place, 2)))._tag, "Left")
        repository.git("update-ref", "refs/heads/main", commit)
        assert.deepStrictEqual(yield* revert(place, null, Scene.run), ["done", ""])
        yield* refused("#2", "is not merged")
        const tree = repository.git("rev-parse", "revert-1^{tree}")
        const back = repository.git("commit-tree", tree, "-p", "main", "-p", "revert-1", "-m", "Merge the revert")
        repository.git("update-ref", "refs/heads/main", back)
        yield* refused(back, "is a revert itself")
        yield* refused(repository.head("revert-1"), "is a revert itself")
      })
    )
  })

  it.scoped("the acceptance spec of a run is put back, once, and that is recorded", () =>
    Effect.gen(function* () {
      const place = yield* Scene.arrange("verified")
      const { repository } = place
      repository.git("update-ref", "-d", `refs/heads/${Scene.own}`)
      repository.commit(Scene.own, { [`${spec}/check`]: "exit 1" }, { from: "main" })
      repository.commit(Scene.own, { [`${spec}/check`]: "exit 0", work: "" })
      yield* Scene.started
      const put = Queue.put(place, ["restore_spec"], { runKey: Scene.run, payload: { note: null } })
      yield* put
      assert.deepStrictEqual(Scene.told(yield* Scene.settled(place)), ["restore_spec done"])
      assert.strictEqual(repository.file(Scene.own, `${spec}/check`), "exit 1")
      const commit = repository.head(Scene.own)
      const restored = { repository: repository.path, branch: Scene.own, commit }
      assert.deepStrictEqual((yield* Scene.entries(place)).at(-1)?.details["specRestored"], restored)
      yield* put
      yield* Scene.settled(place)
      assert.strictEqual(repository.head(Scene.own), commit)
    })
  )

  long(() => {
    it.scoped("a spec is put back beside files whose names are not UTF-8", () =>
      Effect.gen(function* () {
        const place = yield* Scene.arrange("verified")
        const { repository } = place
        repository.git("update-ref", "-d", `refs/heads/${Scene.own}`)
        const name = String.raw`"caf\351.txt"`
        repository.commit(Scene.own, { [`${spec}/check`]: "exit 1", [name]: "old" }, { from: "main" })
        repository.commit(Scene.own, { [`${spec}/check`]: "exit 0" })
        yield* Scene.started
        yield* Queue.put(place, ["restore_spec"], { runKey: Scene.run, payload: { note: null } })
        yield* Scene.settled(place)
        assert.strictEqual(repository.file(Scene.own, `${spec}/check`), "exit 1")
        assert.include(repository.git("ls-tree", "--name-only", Scene.own).split("\n"), name)
      })
    )
  })
})
