import { assert, it } from "@effect/vitest"
import { Duration, Effect, Either, Layer, Option, PubSub, Queue, Redacted } from "effect"
import * as LeaseBell from "../../application/runner/LeaseBell.ts"
import * as OwnRun from "../../application/runner/OwnRun.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { RunnerStore } from "../../application/ports/runner/RunnerStore.ts"
import { TokenStore } from "../../application/ports/TokenStore.ts"
import * as Runners from "../../application/runner/Runners.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import { answered } from "../../domain/Change.ts"
import { mostRunners } from "../../domain/runner/Runner.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { ApiToken } from "../../domain/workspace/ApiToken.ts"
import { entityOf, fact } from "../../domain/workspace/Audit.ts"
import type { Stores } from "../support/World.ts"
import { callerOf, granted, introduction, pass, type Scene, setUp, setUpWith } from "./scenes/LeaseScene.ts"
import { long } from "../support/Long.ts"

const stage = { type: "stage", stage: "implementing" } as const
const nothing = { facts: [], log: "", session: null }
const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)
const logOf = ({ id, run }: Pick<Scene, "id" | "run">, attempt = 1) =>
  Effect.map(Runners.logs(id, { run, attempt, after: 0 }), ({ text }) => text)

/** Calls of runners that are late, foreign or hostile. */
export const leaseGuardContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(Layer.provideMerge(LeaseBell.layer, layer), { timeout: "60 seconds" })(
    `hostile leases (${adapter})`,
    (it) => {
      it.effect("a report with an old number neither passes for another holder nor reaches a log", () =>
        Effect.gen(function* () {
          const scene = yield* setUp
          const { caller } = scene
          const { fence, id: lease } = yield* granted(scene)
          const sent = { ...nothing, lease, fence, facts: [stage] }
          yield* Runners.report(caller, { ...sent, seq: 3, log: "three\n" })
          const { caller: foreign } = yield* callerOf(scene.slug)
          for (const [by, more] of [
            [caller, { fence: fence + 1 }],
            [foreign, {}]
          ] as const) {
            const forged = Runners.report(by, { ...sent, ...more, seq: 1, log: "forged\n" })
            assert.strictEqual(yield* tagOf(forged), "LeaseLost")
            assert.strictEqual(yield* tagOf(Runners.finish(by, { lease, fence, ...more }, "failed")), "LeaseLost")
          }
          for (const facts of [[stage], []])
            assert.isTrue((yield* Runners.report(caller, { ...sent, facts, seq: 2, log: "two\n" })).held)
          assert.isTrue((yield* Runners.report(caller, { ...sent, seq: 3, log: "three\n" })).held)
          yield* Runners.report(caller, { ...nothing, lease, fence, seq: 9, log: "nine\n" })
          assert.strictEqual(yield* logOf(scene), "three\nnine\n")
        })
      )

      it.effect("a repetition writes into no later attempt", () =>
        Effect.gen(function* () {
          const scene = yield* setUp
          const { fence, id: lease } = yield* granted(scene)
          const facts = [{ type: "spec_changed", reason: "It was touched." }] as const
          const sent = { ...nothing, facts, lease, fence, seq: 2 }
          const { raised } = yield* Runners.report(scene.caller, sent)
          const decision = raised[0] ?? assert.fail("nothing was asked")
          const answer = { decision, optionId: "revert_spec_and_retry", note: null, idempotency: null }
          yield* Decisions.answer(scene.owner, answer)
          const again = yield* Runners.report(scene.caller, { ...sent, log: "late\n" })
          assert.isFalse(again.held)
          assert.strictEqual(yield* logOf(scene, 2), "")
        })
      )

      it.effect("a lapsed or stopped lease takes no old number", () =>
        Effect.gen(function* () {
          const scene = yield* setUp
          const { fence, id: lease } = yield* granted(scene)
          const old = Runners.report(scene.caller, { ...nothing, lease, fence, seq: 1, facts: [stage], log: "x\n" })
          yield* old
          yield* pass(61)
          assert.strictEqual(yield* tagOf(old), "LeaseLost")
          yield* Runners.sweep()
          assert.strictEqual(yield* tagOf(old), "LeaseLost")
          assert.deepStrictEqual([yield* logOf(scene), yield* logOf(scene, 2)], ["x\n", ""])
        })
      )

      it.effect("lapsed leases are swept oldest first", () =>
        Effect.gen(function* () {
          const { id, owner, run } = yield* setUp
          const { run: later } = yield* Runs.start(owner, "PAY-2" as StoryKey)
          for (const key of [later.key, run]) {
            yield* Runs.lease({ workspace: id }, { team: null, run: key })
            yield* pass(10)
          }
          yield* pass(86_400)
          const lapsed = yield* (yield* RunStore).lapsed(100)
          assert.deepStrictEqual(
            lapsed.flatMap((one) => (one.workspace === id ? [one.run] : [])),
            [later.key, run]
          )
          yield* Runners.sweep()
          assert.isEmpty((yield* (yield* RunStore).lapsed(100)).filter(({ workspace }) => workspace === id))
        })
      )

      it.effect("a log is plain text without secrets, as the runner or its agent sends it", () =>
        Effect.gen(function* () {
          const scene = yield* setUp
          const { credential, fence, id: lease } = yield* granted(scene)
          const secret = `tk_${"a".repeat(32)}`
          const log = `\u001b[31mred\u001b[0m \u001b]0;title\u0007\u009b2J\u202e${secret}\tkept\r\n\0`
          yield* Runners.report(scene.caller, { ...nothing, lease, fence, seq: 1, log })
          const held = yield* OwnRun.enter(Redacted.make(credential))
          yield* OwnRun.progress(held, `\u001b[2Jhalf ${credential}`)
          const line = "red \uFFFDtk_…\tkept\n\uFFFD"
          assert.strictEqual(yield* logOf(scene), `${line}half rk_…\n`)
        })
      )

      it.effect("a success needs a verification", () =>
        Effect.gen(function* () {
          const scene = yield* setUp
          const { fence, id: lease } = yield* granted(scene)
          const finish = (outcome: "succeeded" | null) => Runners.finish(scene.caller, { lease, fence }, outcome)
          for (const outcome of ["succeeded", null] as const)
            assert.strictEqual(yield* tagOf(finish(outcome)), "NotVerified")
          const passed = [{ type: "verification", status: "passed", summary: "3 of 3 gates passed." }] as const
          yield* Runners.report(scene.caller, { ...nothing, lease, fence, seq: 1, facts: passed })
          assert.strictEqual((yield* finish(null)).status, "succeeded")
        })
      )

      it.effect("the next runner has the plan and the note of the person who approved it", () =>
        Effect.gen(function* () {
          const scene = yield* setUpWith({ planApproval: "always" })
          const first = yield* granted(scene)
          assert.isNull(first.run.plan)
          const facts = [{ type: "plan_ready", plan: "Refund by part.", size: null }] as const
          const sent = { ...nothing, facts, lease: first.id, fence: first.fence, seq: 1 }
          const { raised } = yield* Runners.report(scene.caller, sent)
          const decision = raised[0] ?? assert.fail("nothing was asked")
          const answer = { decision, optionId: "approve_plan", note: "Mind the cents", idempotency: null }
          yield* Decisions.answer(scene.owner, answer)
          yield* pass(121)
          const { caller } = yield* callerOf(scene.slug)
          const { id: runner } = yield* Runners.hello(caller, { ...introduction, name: "build-2" })
          const next = yield* granted({ caller, runner })
          assert.deepStrictEqual([next.run.plan, next.run.stage], ["Refund by part.", "implementing"])
          assert.deepStrictEqual(
            next.inputs.map(({ note }) => note),
            ["Mind the cents"]
          )
          yield* Runs.stop(scene.owner, scene.run)
          yield* Runs.retry(scene.owner, scene.run, null)
          assert.isNull((yield* granted({ caller, runner })).run.plan)
        })
      )

      it.effect("a revoked token ends the wait for a run", () =>
        Effect.gen(function* () {
          const scene = yield* setUp
          const { caller, runner } = scene
          yield* granted(scene)
          yield* Runs.stop(scene.owner, scene.run)
          const waiting = yield* Effect.fork(Runners.lease(caller, { runner, executors: ["custom"], waitSeconds: 25 }))
          yield* Effect.yieldNow()
          yield* Tokens.revoke(bySystem, { workspace: scene.slug, prefix: scene.prefix })
          assert.strictEqual((yield* Effect.flip(waiting))._tag, "RunnerNotFound")
        })
      )

      it.scoped("a run that can be leased wakes the requests of its workspace alone", () =>
        Effect.gen(function* () {
          const [scene, other] = [yield* setUp, yield* setUp]
          const bell = yield* LeaseBell.LeaseBell
          const hints = yield* PubSub.subscribe(bell)
          const again = Effect.gen(function* () {
            yield* granted(scene)
            yield* Runs.stop(scene.owner, scene.run)
            yield* Runs.retry(scene.owner, scene.run, null)
            const heard = new Set<unknown>()
            while (!heard.has(scene.id)) heard.add(yield* Queue.take(hints))
            return heard
          })
          // The first one's hint comes after all hints of the set-up.
          yield* again
          const waiting = yield* Effect.fork(
            LeaseBell.rung(yield* PubSub.subscribe(bell), other.id, Duration.minutes(1))
          )
          assert.isFalse((yield* again).has(other.id))
          assert.isTrue(Option.isNone(yield* waiting.poll))
          yield* PubSub.publish(bell, other.id)
          yield* waiting
        })
      )

      long(() => {
        it.effect("the runners of a workspace are bounded, and idle ones make room", () =>
          Effect.gen(function* () {
            const scene = yield* setUp
            const hello = (name: string) => Runners.hello(scene.caller, { ...introduction, name })
            const names = Array.from({ length: mostRunners + 20 }, (_, n) => `pod-${n}`)
            const met = yield* Effect.forEach(names, (name) => Effect.either(hello(name)), { concurrency: 8 })
            assert.strictEqual(met.filter(({ _tag }) => _tag === "Right").length, mostRunners - 1)
            assert.strictEqual(yield* tagOf(hello("late")), "TooManyRunners")
            assert.strictEqual((yield* hello(introduction.name)).id, scene.runner)
            yield* pass(91)
            yield* hello(introduction.name)
            yield* Effect.repeat(Runners.sweep(), { times: 3 })
            assert.strictEqual(yield* tagOf(hello("late")), "TooManyRunners")
            yield* pass(3600)
            yield* hello("late")
            const list = yield* Runners.list(scene.owner)
            assert.strictEqual(list.length, mostRunners)
            assert.includeMembers(
              list.map(({ name }) => name),
              ["late", introduction.name]
            )
          })
        )
      })

      it.effect(
        "a change that revokes one token and changes another takes the runners of the first alone offline",
        () =>
          Effect.gen(function* () {
            const scene = yield* setUp
            const { fence, id: lease } = yield* granted(scene)
            const { caller, prefix } = yield* callerOf(scene.slug)
            const gone = yield* Runners.hello(caller, { ...introduction, name: "build-2" })
            const store = yield* TokenStore
            const kept = (yield* store.list(scene.id, scene.caller.member.id)).find(
              (token) => token.prefix === scene.prefix
            )
            yield* store.change(scene.slug, prefix, (token, now) => {
              if (token === null || kept === undefined) return Either.left("no token")
              const tokens = [new ApiToken({ ...token, revokedAt: now }), new ApiToken({ ...kept, name: "renamed" })]
              return answered(
                { changed: { tokens }, audit: [fact(bySystem, "token_revoked", entityOf("token", token))] },
                null
              )
            })
            const offline = (yield* Runners.list(scene.owner)).filter(({ offlineAt }) => offlineAt !== null)
            assert.deepStrictEqual(
              offline.map(({ id }) => id),
              [gone.id]
            )
            assert.strictEqual((yield* Runners.renew(scene.caller, { lease, fence }, 0)).action, "continue")
          })
      )

      it.effect("a name that several runners have names none of them, and an id does", () =>
        Effect.gen(function* () {
          const { caller, owner, runner, slug } = yield* setUp
          const { caller: second } = yield* callerOf(slug)
          const { id: other } = yield* Runners.hello(second, introduction)
          for (const act of [Runners.find, Runners.drain, Runners.remove]) {
            const refusal = yield* Effect.flip(act(owner, introduction.name))
            assert.strictEqual(refusal._tag, "SeveralRunners")
            for (const id of [runner, other]) assert.include(refusal.message, id)
          }
          yield* Runners.remove(owner, other)
          assert.strictEqual((yield* Runners.find(owner, introduction.name)).id, runner)
          yield* Runners.hello(caller, { ...introduction, name: other })
          yield* Runners.hello(second, introduction)
          assert.strictEqual((yield* Runners.find(owner, other)).id, other)
        })
      )

      it.effect("a removed runner is forgotten after a while, and others are not", () =>
        Effect.gen(function* () {
          const scene = yield* setUp
          const store = yield* RunnerStore
          yield* Runners.hello(scene.caller, { ...introduction, name: "build-2" })
          yield* Runners.remove(scene.owner, "build-2")
          const back = yield* Runners.hello(scene.caller, { ...introduction, name: "build-2" })
          yield* Runners.remove(scene.owner, "build-2")
          yield* store.purge(1)
          yield* Runners.hello(scene.caller, { ...introduction, name: "build-2" })
          const [, kept] = yield* Runners.list(scene.owner)
          assert.strictEqual(kept?.id, back.id)
          yield* Runners.remove(scene.owner, "build-2")
          yield* pass(90_000)
          yield* store.purge(1)
          assert.notStrictEqual((yield* Runners.hello(scene.caller, { ...introduction, name: "build-2" })).id, back.id)
          assert.strictEqual((yield* Runners.hello(scene.caller, introduction)).id, scene.runner)
        })
      )
    }
  )
