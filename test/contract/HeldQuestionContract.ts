import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted } from "effect"
import * as Json from "../../application/ports/Json.ts"
import { JobStore } from "../../application/ports/JobStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import * as LeaseBell from "../../application/runner/LeaseBell.ts"
import * as OwnRun from "../../application/runner/OwnRun.ts"
import * as Runners from "../../application/runner/Runners.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import { mostLapses } from "../../domain/work/Lease.ts"
import { RunView } from "../../domain/work/Run.ts"
import type { Stores } from "../support/World.ts"
import { granted, pass, type Scene, setUp } from "./scenes/LeaseScene.ts"

const decodeRun = Json.decoder(RunView)
const runOf = ({ id, run }: Pick<Scene, "id" | "run">) =>
  Effect.map(
    Effect.flatMap(RunStore, (store) => store.get(id, run)),
    decodeRun
  )
const nothing = { facts: [], log: "", session: null }

/** Questions that the agent of a runner asks with the credential of its run. */
export const heldQuestionContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(Layer.provideMerge(LeaseBell.layer, layer), { timeout: "60 seconds" })(
    `held questions (${adapter})`,
    (it) => {
      it.effect("an agent asks and works on; the run waits when its runner awaits the answer", () =>
        Effect.gen(function* () {
          const scene = yield* setUp
          const { caller } = scene
          const { credential, fence, id: lease } = yield* granted(scene)
          const held = yield* OwnRun.enter(Redacted.make(credential))
          const decision = yield* OwnRun.ask(held, "Which currency?")
          assert.strictEqual(yield* OwnRun.ask(held, "Which currency?"), decision)
          assert.strictEqual((yield* runOf(scene)).status, "running")
          assert.strictEqual((yield* Runners.renew(caller, { lease, fence }, 0)).action, "continue")
          yield* OwnRun.enter(Redacted.make(credential))
          const awaits = (seq: number) =>
            Runners.report(caller, { ...nothing, lease, fence, seq, facts: [{ type: "answer_awaited" }] })
          assert.deepInclude(yield* awaits(1), { status: "waiting", held: false, raised: [] })
          assert.isTrue(Exit.isFailure(yield* Effect.exit(OwnRun.enter(Redacted.make(credential)))))
          yield* Decisions.answer(scene.owner, { decision, optionId: "answer", note: "Euro", idempotency: null })
          const next = yield* granted(scene)
          assert.deepStrictEqual(
            next.inputs.map(({ note }) => note),
            ["Euro"]
          )
        })
      )

      it.effect("an answer that came while the agent worked lets the run go on under the same lease", () =>
        Effect.gen(function* () {
          const scene = yield* setUp
          const { caller } = scene
          const { credential, fence, id: lease } = yield* granted(scene)
          const decision = yield* OwnRun.ask(yield* OwnRun.enter(Redacted.make(credential)), "Which currency?")
          yield* Decisions.answer(scene.owner, { decision, optionId: "answer", note: "Euro", idempotency: null })
          const { inputs } = yield* Runners.renew(caller, { lease, fence }, 0)
          assert.deepStrictEqual(
            inputs.map(({ note }) => note),
            ["Euro"]
          )
          const report = { ...nothing, lease, fence, seq: 1, facts: [{ type: "answer_awaited" }] } as const
          assert.deepInclude(yield* Runners.report(caller, report), { status: "running", held: true })
          const { items } = yield* (yield* JobStore).page(scene.id, { status: "done" }, { limit: 10, before: null })
          assert.strictEqual(JSON.parse(items).length, 1)
        })
      )

      it.effect("a question outlives a lost lease, and is cancelled with the last one", () =>
        Effect.gen(function* () {
          const scene = yield* setUp
          for (let lapses = 1; lapses <= mostLapses; lapses++) {
            const { credential } = yield* granted(scene)
            const decision = yield* OwnRun.ask(yield* OwnRun.enter(Redacted.make(credential)), "Which currency?")
            yield* pass(61)
            yield* Runners.sweep()
            const { decisions: asked, status } = yield* runOf(scene)
            const isLast = lapses === mostLapses
            assert.strictEqual(status, isLast ? "failed" : "queued")
            assert.deepStrictEqual(
              asked.map((one) => [one.key, one.status]),
              [[decision, isLast ? "cancelled" : "pending"]]
            )
          }
        })
      )
    }
  )
