import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import type { AuditLog } from "../../application/ports/AuditLog.ts"
import { CodeHosts, HostFailed } from "../../application/ports/codehost/CodeHost.ts"
import type { RunStore } from "../../application/ports/RunStore.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Engine from "../jobs/Engine.ts"
import * as Queue from "../jobs/Queue.ts"
import * as People from "../support/People.ts"
import { isLong, long } from "../support/Long.ts"
import { turns } from "../support/Share.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { lines } from "./Repositories.ts"
import * as Scene from "./Scene.ts"

const answer = (place: Scene.Place, optionId: string, note: string | null = null) =>
  Effect.gen(function* () {
    const { key } = yield* Scene.asked(place)
    yield* Decisions.answer(yield* People.person(place.slug), { decision: key, optionId, note, idempotency: null })
  })

for (const [name, stores] of [
  ["memory", Memory.layer],
  ["postgres", TestPostgres.layer]
] as const)
  layer(Layer.merge(stores, Scene.local), { timeout: "60 seconds", excludeTestServices: true })(
    `the code host's jobs (${name})`,
    (it) => {
      it.scoped("a verified change is opened and merged by policy, and the run is done", () =>
        Effect.gen(function* () {
          const place = yield* Scene.arrange("verified")
          yield* Scene.started
          yield* Scene.handOff(place)
          assert.deepStrictEqual(Scene.told(yield* Scene.settled(place)), [
            "open_pull_request done",
            "merge_pull_request done"
          ])
          const { pullRequest, stage, status } = yield* Scene.runOf(place)
          assert.deepStrictEqual([status, stage, pullRequest?.number], ["succeeded", "done", 1])
          assert.strictEqual(pullRequest?.url, `http://localhost:3000/${place.slug}/pulls/1`)
          assert.strictEqual((yield* Scene.storyOf(place)).column.role, "done")
          const [commit] = Scene.merges(place)
          assert.deepInclude<object>(yield* Scene.pull(place, 1), {
            state: "merged",
            mergeCommit: commit,
            head: place.head,
            runKey: Scene.run,
            story: "PAY-1"
          })
          const { git } = place.repository
          assert.deepStrictEqual(git("log", "-1", "--format=%an <%ae>%n%B", "main").split("\n"), [
            "Gatehouse <gatehouse@acme.test>",
            "Merge pull request #1: Round the fees",
            "",
            `http://localhost:3000/${place.slug}/pulls/1`,
            "",
            "Story: PAY-1",
            "Run: run-aaaa",
            "Attempt: 1"
          ])
          const log = yield* Scene.entries(place)
          assert.deepStrictEqual(
            log.flatMap(({ actor, details }) => {
              const pull = details["pullRequest"] as { readonly state: string } | undefined
              return pull === undefined ? [] : [[actor.type, pull.state]]
            }),
            [
              ["service", "open"],
              ["service", "merged"]
            ]
          )
        })
      )

      long(() => {
        it.scoped("a change whose failed gate a person allowed waits for an approval, whatever the policy", () =>
          Effect.gen(function* () {
            const place = yield* Scene.arrange("verified")
            yield* Scene.started
            yield* Scene.handOff(place, { verified: false, summary: "test: exit code 1" })
            assert.deepStrictEqual(Scene.told(yield* Scene.settled(place)), ["open_pull_request done"])
            const { attemptList, stage, status } = yield* Scene.runOf(place)
            assert.deepStrictEqual(
              [status, stage, attemptList.at(-1)?.verification?.status],
              ["waiting", "handing_off", "failed"]
            )
            const { body, kind } = yield* Scene.asked(place)
            assert.strictEqual(kind, "merge_approval")
            assert.include(body, "No decision of the run allowed that.")
            assert.include(body, "test: exit code 1")
            assert.deepStrictEqual(Scene.merges(place), [])
            yield* answer(place, "merge")
            yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "succeeded")
            assert.strictEqual(Scene.merges(place).length, 1)
          })
        )
      })

      it.scoped("a merge that fails leaves the next attempt, which began meanwhile, to its holder", () =>
        Effect.gen(function* () {
          const place = yield* Scene.arrange("verified")
          const owner = yield* People.person(place.slug)
          const retried = Effect.gen(function* () {
            yield* Runs.stop(owner, Scene.run)
            yield* Runs.retry(owner, Scene.run, null)
            yield* Runs.lease({ workspace: place.id }, { team: null, run: Scene.run })
          }).pipe(Effect.provide(yield* Effect.context<AuditLog | RunStore>()))
          const [local] = yield* CodeHosts
          const host = {
            ...(local ?? assert.fail("no code host")),
            merge: () =>
              Effect.zipRight(Effect.orDie(retried), new HostFailed({ reason: "It conflicts.", isFinal: true }))
          }
          yield* Engine.start(yield* Effect.provideService(Scene.handlers, CodeHosts, [host]))
          yield* Scene.handOff(place)
          const [, merge] = yield* Scene.settled(place)
          assert.strictEqual(merge?.status, "failed")
          assert.deepInclude<object>(yield* Scene.runOf(place), { status: "running", stage: "planning", attempts: 2 })
        })
      )

      if (name === "memory" || isLong)
        it.scoped("a change that needs an approval waits for it, and is merged with it", () =>
          Effect.gen(function* () {
            const place = yield* Scene.arrange("manual")
            yield* Scene.started
            yield* Scene.handOff(place)
            assert.deepStrictEqual(Scene.told(yield* Scene.settled(place)), ["open_pull_request done"])
            assert.strictEqual((yield* Scene.runOf(place)).status, "waiting")
            assert.include((yield* Scene.asked(place)).title, "#1")
            assert.deepStrictEqual(Scene.merges(place), [])
            yield* answer(place, "merge")
            yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "succeeded")
            assert.strictEqual(Scene.merges(place).length, 1)
          })
        )
    }
  )

layer(Layer.merge(Memory.layer, Scene.local), { timeout: "60 seconds", excludeTestServices: true })(
  "the code host's jobs",
  (it) => {
    long(() => {
      it.scoped("a change that was reworked moves its pull request", () =>
        Effect.gen(function* () {
          const place = yield* Scene.arrange("manual")
          yield* Scene.started
          yield* Scene.handOff(place)
          yield* Scene.settled(place)
          yield* answer(place, "request_changes", "Mind the cents")
          const head = place.repository.commit(Scene.own, { "fees.txt": lines([5, "rounded up"]) })
          yield* Scene.handOff({ ...place, head })
          yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "waiting")
          assert.deepInclude<object>(yield* Scene.pull(place, 1), { head, state: "open" })
          yield* answer(place, "merge")
          yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "succeeded")
          assert.strictEqual(place.repository.file("main", "fees.txt"), lines([5, "rounded up"]).trim())
        })
      )
    })

    it.scoped("a branch that moved after its verification is not merged: the run fails and names both commits", () =>
      Effect.gen(function* () {
        const place = yield* Scene.arrange("manual")
        yield* Scene.started
        yield* Scene.handOff(place)
        yield* Scene.settled(place)
        const main = place.repository.head("main")
        const moved = place.repository.commit(Scene.own, { sneaked: "in" })
        yield* answer(place, "merge")
        yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "failed")
        const { attemptList, failureClass } = yield* Scene.runOf(place)
        const error = attemptList.at(-1)?.error ?? ""
        assert.deepStrictEqual(
          [failureClass, error.includes(place.head), error.includes(moved)],
          ["policy", true, true]
        )
        const jobs = yield* Scene.settled(place)
        assert.deepStrictEqual([jobs.at(-1)?.status, jobs.at(-1)?.error], ["failed", error])
        assert.strictEqual(place.repository.head("main"), main)
      })
    )

    it.scoped("a conflict fails the run and names its files; after a retry the same pull request is merged", () =>
      Effect.gen(function* () {
        const place = yield* Scene.arrange("verified")
        place.repository.commit("main", { "fees.txt": lines([5, "doubled"]) })
        yield* Scene.started
        yield* Scene.handOff(place)
        yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "failed")
        const { attemptList, failureClass } = yield* Scene.runOf(place)
        assert.strictEqual(failureClass, "dependency")
        assert.include(attemptList.at(-1)?.error ?? "", "fees.txt")
        yield* Scene.settled(place)
        yield* Runs.retry(yield* People.person(place.slug), Scene.run, null)
        yield* Runs.lease({ workspace: place.id }, { team: null, run: Scene.run })
        const head = place.repository.commit(Scene.own, { "fees.txt": lines(), "cents.txt": "rounded" })
        yield* Scene.handOff({ ...place, head })
        yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "succeeded")
        assert.deepInclude<object>(yield* Scene.pull(place, 1), { state: "merged", head })
      })
    )

    long(() => {
      it.scoped("a branch that was deleted closes its pull request and fails the run", () =>
        Effect.gen(function* () {
          const place = yield* Scene.arrange("manual")
          yield* Scene.started
          yield* Scene.handOff(place)
          yield* Scene.settled(place)
          place.repository.git("update-ref", "-d", `refs/heads/${Scene.own}`)
          yield* answer(place, "merge")
          yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "failed")
          assert.strictEqual((yield* Scene.pull(place, 1)).state, "closed")
        })
      )

      it.scoped("a merge that was decided before the pull request changed is not done", () =>
        Effect.gen(function* () {
          const place = yield* Scene.arrange("manual")
          const work = Scene.handlers
          yield* Effect.scoped(
            Effect.gen(function* () {
              yield* Engine.start({ open_pull_request: (yield* work).open_pull_request })
              yield* Scene.handOff(place)
              yield* Scene.settled(place)
              // The merge rests, as if it was held, while the run is stopped and goes through again.
              yield* answer(place, "merge")
              const owner = yield* People.person(place.slug)
              yield* Runs.stop(owner, Scene.run)
              yield* Runs.retry(owner, Scene.run, null)
              yield* Runs.lease({ workspace: place.id }, { team: null, run: Scene.run })
              const head = place.repository.commit(Scene.own, { "fees.txt": lines([6, "other"]) })
              yield* Scene.handOff({ ...place, head })
              yield* Engine.eventually(Scene.runOf(place), ({ status }) => status === "waiting")
            })
          )
          yield* Scene.started
          const jobs = yield* Scene.settled(place)
          const merge = jobs.find(({ kind }) => kind === "merge_pull_request")
          assert.strictEqual(merge?.status, "failed")
          assert.strictEqual((yield* Scene.runOf(place)).status, "waiting")
          assert.deepStrictEqual(Scene.merges(place), [])
        })
      )
    })

    for (const [what, more] of turns(
      [
        ["a repository that the team does not have", { repository: "/srv/git/other.git" }],
        ["the branch of another run", { branch: "gatehouse/PAY-1-run-bbbb" }],
        ["another base than the main branch", { base: "release" }],
        ["a commit that is not the head of its branch", { head: "0123456789".repeat(4) }],
        ["a branch that begins with a hyphen", { branch: "--force" }],
        ["a commit that is an option", { head: "--upload-pack=touch" }]
      ] as const,
      6
    ))
      it.scoped(`a run cannot hand off ${what}`, () =>
        Effect.gen(function* () {
          const place = yield* Scene.arrange("verified")
          place.repository.commit("release", { released: "" }, { from: "main" })
          place.repository.commit("gatehouse/PAY-1-run-bbbb", { other: "" }, { from: "main" })
          yield* Scene.started
          yield* Scene.handOff(place, more)
          const [job] = yield* Scene.settled(place)
          assert.strictEqual(job?.status, "failed")
          assert.deepStrictEqual(Scene.merges(place), [])
          assert.strictEqual((yield* Effect.either(Scene.pull(place, 1)))._tag, "Left")
          assert.deepInclude<object>(yield* Scene.runOf(place), { status: "failed", failureClass: "policy" })
        })
      )

    long(() => {
      it.scoped("work for a host that is not connected rests and says so", () =>
        Effect.gen(function* () {
          const far = "https://git.acme.test/pay"
          const url = `${far}/pull/3`
          const place = yield* Scene.arrange("verified", [far])
          yield* Scene.started
          yield* Scene.handOff(place, { repository: far })
          yield* Queue.put(place, ["open_revert"], { payload: { subject: url, note: null } })
          yield* Queue.put(place, ["merge_pull_request"], {
            runKey: Scene.run,
            payload: { pullRequest: { url, number: 3 } }
          })
          const jobs = yield* Scene.settled(place)
          assert.strictEqual(jobs.length, 3)
          assert.deepStrictEqual(
            jobs.map(({ error, status }) => [status, error?.includes(far)]),
            jobs.map(() => ["no_adapter" as const, true])
          )
          assert.deepInclude<object>(yield* Scene.runOf(place), { status: "running", stage: "handing_off" })
        })
      )
    })
  }
)
