import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { leaseTokens } from "../../adapters/runner/git/LeaseTokens.ts"
import * as LeaseLine from "../../adapters/runner/attempt/LeaseLine.ts"
import type { Service } from "../../adapters/runner/ServiceClient.ts"
import type { LeaseGrant } from "../../application/runner/LeaseGrant.ts"
import { eventually, gates, git, repository, rig, running } from "./Rig.ts"
import { grantOf } from "./ScriptedService.ts"

const files = { "README.md": "Hi\n", ".kanman/gates.json": gates("true") }
const unplanned = { run: { stage: "implementing" }, policy: { acceptanceSpecRequired: false } }

describe("a run that its runner leases again at once", () => {
  it.scopedLive("goes on with what the agent of the last lease wrote, though that takes its time to end", () =>
    Effect.gen(function* () {
      const bench = yield* rig
      const { state } = bench.service
      const repo = repository(bench.base, files)
      const go = join(bench.base, "go")
      // The first lease ends with its cost; its agent writes on until it may end.
      const agent = `case "$(cat)" in
*Again*) if test -e late.txt; then echo yes > seen.txt; else echo no > seen.txt; fi ;;
*)
  trap 'until test -e ${go}; do sleep 0.05; done; echo late > late.txt; exit 0' TERM
  echo '{"gatehouse":{"costCents":12}}'
  while :; do sleep 0.1; done ;;
esac`
      state.holds = (facts) => !facts.some(({ type }) => type === "cost" || type === "handed_off")
      state.queue.push(grantOf(repo, unplanned))
      const runner = yield* running(bench, agent, { RUNNER_SLOTS: "2" })
      yield* eventually(
        () => `the end of the first lease in\n${runner.lines.join("\n")}`,
        () => bench.service.factsOf("run-7f3k").some(({ type }) => type === "cost")
      )
      const input = { decision: null, action: null, note: "Again" }
      state.queue.push(grantOf(repo, { ...unplanned, fence: 2, inputs: [input] }))
      yield* eventually(
        () => `both leases in\n${runner.lines.join("\n")}`,
        () => runner.lines.filter((line) => line.includes("attempt 1 begins")).length === 2
      )
      // The second lease is renewed while it waits for the first one's work.
      const { renewals } = state
      yield* eventually(
        () => "renewals",
        () => state.renewals > renewals + 1
      )
      writeFileSync(go, "")
      yield* runner.says(/handed off/)
      assert.strictEqual(git(repo, "show", "gatehouse/PAY-1-run-7f3k:seen.txt"), "yes")
      assert.strictEqual(git(repo, "show", "gatehouse/PAY-1-run-7f3k:late.txt"), "late")
    })
  )
})

describe("two renewals at once", () => {
  it.scopedLive("bring what people said once", () =>
    Effect.gen(function* () {
      const both = yield* Deferred.make<void>()
      const said: LeaseGrant["inputs"] = [{ decision: null, action: null, note: "Euro" }]
      let asked = 0
      const renew = ({ payload }: { readonly payload: { readonly lastInput: number } }) =>
        Effect.gen(function* () {
          if (++asked === 2) yield* Deferred.succeed(both, undefined)
          yield* Deferred.await(both)
          const inputs = said.slice(payload.lastInput)
          return { expiresAt: yield* DateTime.now, action: "continue" as const, inputs, decisions: [] }
        })
      const service = { renew } as unknown as Service
      const intervals = { renewMs: 60_000, leaseMs: 180_000 }
      const silent = () => Effect.void
      const grant = grantOf("")
      const tokens = leaseTokens(new Map(), grant)
      const line = yield* LeaseLine.open(service, grant, intervals, (text) => text, silent, Effect.void, tokens)
      yield* Effect.all([line.catchUp, line.catchUp], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* line.inputs, said)
    })
  )
})
