import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { leaseSeconds, renewSeconds } from "../../domain/work/Lease.ts"
import { eventually, gates, processesNaming, repository, rig, running } from "./Rig.ts"
import { grantOf } from "./ScriptedService.ts"

const seconds = (from: number) => ((performance.now() - from) / 1000).toFixed(1)

it.scopedLive(
  "a person's stop ends an agent that ignores requests to end, with the intervals of the service",
  ({ task }) =>
    Effect.gen(function* () {
      const bench = yield* rig
      const { state } = bench.service
      const mark = `stubborn-${crypto.randomUUID()}`
      const alive = () => processesNaming(mark).length
      state.intervals = { pollMs: 1000, renewMs: renewSeconds * 1000, leaseMs: leaseSeconds * 1000 }
      const unplanned = { run: { stage: "implementing" }, policy: { acceptanceSpecRequired: false } }
      state.queue.push(grantOf(repository(bench.base, { ".kanman/gates.json": gates("true") }), unplanned))
      const stubborn = `trap '' TERM; echo begun; while :; do sleep 1; done; : ${mark}`
      const runner = yield* running(bench, stubborn)
      yield* runner.says(/step implement/)
      yield* eventually(
        () => "the agent",
        () => alive() > 0
      )
      let asked = 0
      state.renewal = () => {
        asked++
        return { action: "stop", inputs: [] }
      }
      const stopped = performance.now()
      yield* eventually(
        () => "the renewal",
        () => asked > 0
      )
      const heard = seconds(stopped)
      yield* eventually(
        () => "the end of the agent",
        () => alive() === 0
      )
      task.meta.figures = `the runner heard of it after ${heard} s, and no process was left after ${seconds(stopped)} s`
      assert.strictEqual(asked, 1)
    }),
  120_000
)
