import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { dequeue, enqueue, mergeFromQueue } from "../github/MergeQueue.ts"
import { isPullRequest } from "../github/State.ts"
import * as Engine from "../jobs/Engine.ts"
import * as Queue from "../jobs/Queue.ts"
import { answer, arrange, decisions, handOff, look, onGitHub, type Place, waiting, words } from "./GitHubJobs.ts"
import * as Scene from "./Scene.ts"
import { long } from "../support/Long.ts"

/** A change that is handed off for a branch with a merge queue. */
const queued = Effect.gen(function* () {
  const place = yield* arrange("verified")
  place.kept.protections.set("main", { mergeQueue: true, reviews: 0, requiredChecks: [], isStrict: false })
  place.server.moods.next("graphql:enqueuePullRequest", { kind: "lost" })
  yield* handOff(place)
  yield* untilQueued(place)
  return place
})

const errors = ({ id }: Place) =>
  Effect.map(Queue.all(id), (all) =>
    all
      .filter(({ kind }) => kind === "merge_pull_request")
      .map(({ error, status, tries }) => ({ status, error, tries }))
  )

const untilQueued = (place: Place) =>
  Engine.eventually(errors(place), (all) =>
    all.some(({ error }) => error?.startsWith("It is in the merge queue") === true)
  )

const pulls = ({ kept }: Place) => kept.issues.filter(isPullRequest)

const inQueue = (place: Place) => {
  const found = pulls(place).find(({ pull }) => pull.queue !== null)
  if (found === undefined) throw new Error("nothing is in the queue")
  return found
}

/** The queue takes the pull request out; GitHub tells the second of it, so an answer counts from the next one on. */
const remove = (place: Place, reason: string) =>
  Effect.gen(function* () {
    yield* Effect.promise(() => dequeue(place.server.world, place.kept, inQueue(place), inQueue(place).user, reason))
    const removed = yield* second
    yield* Engine.eventually(second, (now) => now > removed)
  })

const second = Effect.map(Clock.currentTimeMillis, (now) => Math.floor(now / 1000))

const puts = ({ server }: Place) => server.count("graphql:enqueuePullRequest")

onGitHub("the merge queue of GitHub", (it) => {
  it.scoped(
    "a change is put into the queue once, also after a lost answer, and done when the queue has merged it",
    () =>
      Effect.gen(function* () {
        const place = yield* queued
        const before = place.repository.head("main")
        assert.deepStrictEqual([inQueue(place).pull.queue?.head, puts(place)], [place.head, 1])
        yield* Effect.promise(() => mergeFromQueue(place.server.world, place.kept, inQueue(place)))
        yield* look(place)
        yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "succeeded")
        assert.notStrictEqual(place.repository.head("main"), before)
        assert.deepStrictEqual([puts(place), yield* words(place), place.server.violations.slice(0, 3)], [1, [], []])
        assert.deepInclude<object>(yield* Scene.pull(place, 1), { state: "merged" })
      })
  )

  long(() => {
    it.scoped(
      "a change that the queue removes is a question with the reason, and another answer puts it in again",
      () =>
        Effect.gen(function* () {
          const place = yield* queued
          yield* remove(place, "FAILED_CHECKS")
          yield* waiting(place)
          const [asked] = yield* decisions(place)
          assert.include(asked?.body, "It was removed from the merge queue: failed checks.")
          assert.strictEqual(puts(place), 1)
          yield* answer(place, "merge")
          yield* Engine.eventually(
            Effect.sync(() => pulls(place).some(({ pull }) => pull.queue !== null)),
            Boolean
          )
          assert.strictEqual(puts(place), 2)
          yield* Effect.promise(() => mergeFromQueue(place.server.world, place.kept, inQueue(place)))
          yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "succeeded")
        })
    )
  })

  long(() => {
    it.scoped(
      "a change that conflicts in the queue fails its attempt; one that GitHub does not take is a question",
      () =>
        Effect.gen(function* () {
          const place = yield* queued
          yield* remove(place, "MERGE_CONFLICT")
          yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "failed")
          assert.strictEqual((yield* Scene.runOf(place)).failureClass, "dependency")

          const other = yield* arrange("verified")
          other.kept.protections.set("main", { mergeQueue: true, reviews: 1, requiredChecks: [], isStrict: false })
          yield* handOff(other)
          yield* waiting(other)
          assert.include(
            (yield* decisions(other))[0]?.body,
            "It cannot be added to the merge queue: Pull request At least 1"
          )
        })
    )
  })

  long(() => {
    it.scoped("a change that a person has put into the queue is waited for, and a wait uses up no tries", () =>
      Effect.gen(function* () {
        const place = yield* arrange()
        place.kept.protections.set("main", { mergeQueue: true, reviews: 0, requiredChecks: [], isStrict: false })
        yield* handOff(place)
        yield* waiting(place)
        const [pull] = pulls(place)
        if (pull === undefined) return assert.fail("there is no pull request")
        yield* Effect.promise(() => enqueue(place.server.world, place.kept, pull, pull.user, null))
        yield* answer(place, "merge")
        yield* untilQueued(place)
        const [before] = yield* errors(place)
        const seen = place.server.count("pulls/merge")
        yield* Engine.eventually(
          Effect.sync(() => place.server.count("pulls/merge")),
          (count) => count > seen + 1
        )
        assert.strictEqual((yield* errors(place))[0]?.tries, before?.tries)
        yield* Effect.promise(() => mergeFromQueue(place.server.world, place.kept, pull))
        yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "succeeded")
        assert.strictEqual(puts(place), 0)
      })
    )
  })
})
