import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { JobStore } from "../../application/ports/JobStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import * as LeaseBell from "../../application/runner/LeaseBell.ts"
import * as OwnRun from "../../application/runner/OwnRun.ts"
import * as Runners from "../../application/runner/Runners.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Members from "../../application/workspace/Members.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import { freshId } from "../../domain/work/Fresh.ts"
import type { InstanceId } from "../../domain/work/Lease.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { RunView } from "../../domain/work/Run.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import { Redacted } from "effect"
import * as People from "../support/People.ts"
import { rounds } from "../support/Range.ts"
import type { Stores } from "../support/World.ts"
import { callerOf, granted, introduction, pass, type Scene, setUp, take } from "./scenes/LeaseScene.ts"

const decodeRun = Json.decoder(RunView)
const runOf = ({ id, run }: Pick<Scene, "id" | "run">) =>
  Effect.map(
    Effect.flatMap(RunStore, (store) => store.get(id, run)),
    decodeRun
  )
const nothing = { facts: [], log: "", session: null }
const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

export const leaseContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(Layer.provideMerge(LeaseBell.layer, layer), { timeout: "60 seconds" })(`leases (${adapter})`, (it) => {
    it.effect("a run is leased once, by a runner of its executor and team", () =>
      Effect.gen(function* () {
        const scene = yield* setUp
        const { caller, runner } = scene
        assert.isNull(yield* Runners.lease(caller, { runner, executors: ["codex"], waitSeconds: 0 }))
        const two = yield* Effect.all([take(scene), take(scene)], { concurrency: "unbounded" })
        const grant = two.find((one) => one !== null)
        assert.strictEqual(two.filter((one) => one !== null).length, 1)
        assert.deepInclude(grant, {
          fence: 1,
          repository: "/srv/git/pay.git",
          branch: `gatehouse/PAY-1-${scene.run}`,
          budgetLeftCents: 1000
        })
        assert.isNull(yield* take(scene))
        const [view] = yield* Runners.list(scene.owner)
        assert.deepStrictEqual(view?.runs, [{ key: scene.run, story: "PAY-1" as StoryKey, stage: "planning" }])
      })
    )

    it.effect("a runner that waits is woken by a run", () =>
      Effect.gen(function* () {
        const scene = yield* setUp
        yield* granted(scene)
        const { caller, runner } = scene
        const waiting = yield* Effect.fork(Runners.lease(caller, { runner, executors: ["custom"], waitSeconds: 25 }))
        yield* Effect.yieldNow()
        yield* Runs.start(scene.owner, "PAY-2" as StoryKey)
        assert.strictEqual((yield* waiting)?.story.key, "PAY-2")
      })
    )

    it.effect("renewing keeps a lease; one that was not renewed lapses, once", () =>
      Effect.gen(function* () {
        const scene = yield* setUp
        const { fence, id: lease } = yield* granted(scene)
        const renewed = Runners.renew(scene.caller, { lease, fence }, 0)
        yield* pass(50)
        assert.strictEqual((yield* renewed).action, "continue")
        yield* pass(50)
        assert.strictEqual((yield* renewed).action, "continue")
        yield* Runners.sweep()
        assert.strictEqual((yield* runOf(scene)).status, "running")
        yield* pass(61)
        assert.strictEqual(yield* tagOf(renewed), "LeaseLost")
        yield* Effect.all([Runners.sweep(), Runners.sweep()], { concurrency: "unbounded" })
        const { attemptList, status } = yield* runOf(scene)
        assert.deepStrictEqual([status, attemptList.length, attemptList[0]?.failureClass], ["queued", 2, "transient"])
        assert.strictEqual(yield* tagOf(Runners.finish(scene.caller, { lease, fence }, "succeeded")), "LeaseLost")
      })
    )

    it.effect("a person who stops the run stops the runner at its next renewal", () =>
      Effect.gen(function* () {
        const scene = yield* setUp
        const { fence, id: lease } = yield* granted(scene)
        yield* Runs.stop(scene.owner, scene.run)
        assert.strictEqual((yield* Runners.renew(scene.caller, { lease, fence }, 0)).action, "stop")
        const report = Runners.report(scene.caller, { ...nothing, lease, fence, seq: 1 })
        assert.strictEqual(yield* tagOf(report), "LeaseLost")
      })
    )

    it.effect("a question, its answer and the work after it; each report counts once", () =>
      Effect.gen(function* () {
        const scene = yield* setUp
        const { caller, runner } = scene
        const first = yield* granted(scene)
        const ask = Runners.report(caller, {
          lease: first.id,
          fence: first.fence,
          seq: 1,
          facts: [{ type: "question", question: "Which currency?" }],
          log: "asking\n",
          session: "s-1"
        })
        const asked = yield* ask
        assert.deepInclude(asked, { status: "waiting", held: false })
        assert.deepInclude(yield* ask, { status: "waiting", raised: [] })
        assert.isNull(yield* take(scene))
        const [decision] = asked.raised
        const answer = { decision: decision ?? assert.fail("nothing was asked"), optionId: "answer", note: "Euro" }
        yield* Decisions.answer(scene.owner, { ...answer, idempotency: null })
        const second = yield* callerOf(scene.slug)
        const other = yield* Runners.hello(second.caller, { ...introduction, name: "build-2" })
        assert.isNull(yield* take({ caller: second.caller, runner: other.id }))
        const next = yield* granted({ caller, runner })
        assert.deepStrictEqual([next.fence, next.run.attempt, next.run.session], [2, 1, "s-1"])
        assert.deepStrictEqual(
          next.inputs.map(({ note }) => note),
          ["Euro"]
        )
        const { items } = yield* (yield* JobStore).page(scene.id, { status: "done" }, { limit: 10, before: null })
        assert.strictEqual(JSON.parse(items).length, 1)
        const { text } = yield* Runners.logs(scene.id, { run: scene.run, attempt: 1, after: 0 })
        assert.strictEqual(text, "asking\n")
      })
    )

    it.effect("two minutes after an answer any runner may continue", () =>
      Effect.gen(function* () {
        const scene = yield* setUp
        const { fence, id: lease } = yield* granted(scene)
        const facts = [{ type: "question", question: "?" }] as const
        const { raised } = yield* Runners.report(scene.caller, { ...nothing, facts, lease, fence, seq: 1 })
        const decision = raised[0] ?? assert.fail("nothing was asked")
        yield* Decisions.answer(scene.owner, { decision, optionId: "answer", note: null, idempotency: null })
        const { caller } = yield* callerOf(scene.slug)
        const { id: runner } = yield* Runners.hello(caller, { ...introduction, name: "build-2" })
        assert.isNull(yield* take({ caller, runner }))
        yield* pass(121)
        assert.isNotNull(yield* take({ caller, runner }))
      })
    )

    it.effect("revoking the token takes the runner offline and ends its leases", () =>
      Effect.gen(function* () {
        const scene = yield* setUp
        const { fence, id: lease } = yield* granted(scene)
        yield* Tokens.revoke(bySystem, { workspace: scene.slug, prefix: scene.prefix })
        const [runner] = yield* Runners.list(scene.owner)
        assert.isNotNull(runner?.offlineAt ?? null)
        assert.deepInclude(yield* runOf(scene), { status: "queued", attempts: 2 })
        assert.strictEqual(yield* tagOf(take(scene)), "RunnerNotFound")
        assert.strictEqual(yield* tagOf(Runners.renew(scene.caller, { lease, fence }, 0)), "LeaseLost")
      })
    )

    it.effect("a lease and a revocation at once leave no lease of a revoked token", () =>
      Effect.gen(function* () {
        for (const _ of rounds(5)) {
          const scene = yield* setUp
          yield* Effect.all(
            [Effect.exit(take(scene)), Tokens.revoke(bySystem, { workspace: scene.slug, prefix: scene.prefix })],
            {
              concurrency: "unbounded"
            }
          )
          assert.strictEqual((yield* runOf(scene)).status, "queued")
        }
      })
    )

    it.effect("removing the member ends the leases of their tokens", () =>
      Effect.gen(function* () {
        const scene = yield* setUp
        yield* Runs.start(scene.owner, "PAY-2" as StoryKey)
        yield* People.person(scene.slug, "member")
        const { caller } = yield* callerOf(scene.slug, People.emailOf("member"))
        const { id: runner } = yield* Runners.hello(caller, { ...introduction, name: "laptop" })
        const { run } = yield* granted({ caller, runner })
        yield* Members.remove(scene.owner, { workspace: scene.slug, email: People.emailOf("member") })
        assert.deepInclude(yield* runOf({ id: scene.id, run: run.key }), { status: "queued", attempts: 2 })
      })
    )

    it.effect("goodbye gives back the leases of its own process, not those of another with the same name", () =>
      Effect.gen(function* () {
        const { caller, id, owner, runner } = yield* setUp
        const [old, fresh] = [freshId<InstanceId>(), freshId<InstanceId>()]
        const leased = (instance: InstanceId) =>
          Effect.map(
            Runners.lease(caller, { runner, instance, executors: ["custom"], waitSeconds: 0 }),
            (grant) => grant ?? assert.fail("nothing was leased")
          )
        const first = yield* leased(old)
        yield* Runs.start(owner, "PAY-2" as StoryKey)
        yield* Runners.hello(caller, introduction)
        const second = yield* leased(fresh)
        const renewed = Runners.renew(caller, { lease: second.id, fence: second.fence }, 0)
        for (const _ of ["once", "again"]) yield* Runners.goodbye(caller, runner, old)
        yield* Runners.goodbye(caller, runner)
        assert.strictEqual((yield* renewed).action, "continue")
        const [listed] = yield* Runners.list(owner)
        assert.deepStrictEqual([listed?.offlineAt, listed?.runs.map(({ key }) => key)], [null, [second.run.key]])
        assert.strictEqual((yield* leased(fresh)).run.key, first.run.key)
        yield* Runners.goodbye(caller, runner, fresh)
        assert.strictEqual(yield* tagOf(renewed), "LeaseLost")
        assert.isNotNull((yield* Runners.list(owner))[0]?.offlineAt)
        assert.strictEqual((yield* runOf({ id, run: second.run.key })).attempts, 1)
      })
    )

    it.effect("goodbye gives leases back: the attempt goes on with another runner", () =>
      Effect.gen(function* () {
        const scene = yield* setUp
        yield* granted(scene)
        yield* Runners.goodbye(scene.caller, scene.runner)
        const { caller } = yield* callerOf(scene.slug)
        assert.strictEqual(yield* tagOf(Runners.goodbye(caller, scene.runner)), "RunnerNotFound")
        const { id: runner } = yield* Runners.hello(caller, { ...introduction, name: "build-2" })
        const next = yield* granted({ caller, runner })
        assert.deepStrictEqual([next.fence, next.run.attempt], [2, 1])
      })
    )

    it.effect("a silent runner is offline; it is back with its next hello", () =>
      Effect.gen(function* () {
        const scene = yield* setUp
        yield* pass(91)
        yield* Runners.sweep()
        const online = Effect.map(Runners.list(scene.owner), ([one]) => one?.offlineAt === null)
        assert.isFalse(yield* online)
        assert.strictEqual(yield* tagOf(take(scene)), "RunnerNotFound")
        const again = yield* Runners.hello(scene.caller, introduction)
        assert.strictEqual(again.id, scene.runner)
        assert.isTrue(yield* online)
      })
    )

    it.effect("a removed runner loses its leases", () =>
      Effect.gen(function* () {
        const scene = yield* setUp
        yield* granted(scene)
        yield* Runners.remove(scene.owner, introduction.name)
        assert.strictEqual((yield* runOf(scene)).status, "queued")
        assert.deepStrictEqual(yield* Runners.list(scene.owner), [])
      })
    )

    it.effect("the credential of a lease opens its run alone, and only as long as the lease", () =>
      Effect.gen(function* () {
        const scene = yield* setUp
        const { credential, id: lease } = yield* granted(scene)
        const held = yield* OwnRun.enter(Redacted.make(credential))
        assert.deepInclude(held, { run: scene.run, story: "PAY-1" as StoryKey, lease })
        assert.include((yield* OwnRun.read(held)).run, scene.run)
        yield* OwnRun.progress(held, "half done")
        const { text } = yield* Runners.logs(scene.id, { run: scene.run, attempt: 1, after: 0 })
        assert.strictEqual(text, "half done\n")
        yield* Runs.stop(scene.owner, scene.run)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(OwnRun.enter(Redacted.make(credential)))))
      })
    )

    it.effect("a log keeps its newest five megabytes", () =>
      Effect.gen(function* () {
        const scene = yield* setUp
        const { fence, id: lease } = yield* granted(scene)
        const line = `${"x".repeat(999_999)}\n`
        for (let seq = 1; seq <= 7; seq++)
          yield* Runners.report(scene.caller, { ...nothing, lease, fence, seq, log: `${seq}${line}` })
        const { text } = yield* Runners.logs(scene.id, { run: scene.run, attempt: 1, after: 0 })
        assert.strictEqual(text.length, 5 * 1_000_001)
        assert.isTrue(text.startsWith("3"))
      })
    )
  })
