import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { RunnerStore } from "../../application/ports/runner/RunnerStore.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { LeaseId } from "../../domain/work/Lease.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { type Acme, acme, asMember, open } from "../cli/Acme.ts"
import * as Seed from "../support/Seed.ts"
import { long } from "../support/Long.ts"

const hostile = "a\u001b[2Jb\u001b]0;title\u0007c\u009b31md\u202ee\u007ff"
const shown = "abcd\uFFFDe\uFFFDf"
const steering = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u

let at: Acme
beforeEach(async () => {
  at = await open()
})
afterEach(() => at.close())

describe("texts of people and agents", () => {
  it("steer no terminal, and scripts get them as they are", async () => {
    const story = { key: "PAY-1", team: "payments", title: "Fees", description: `${hostile}\nsecond line` }
    const options = Seed.options.map((option) => ({ ...option, label: hostile }))
    const decision = { key: "dec-aaaa", kind: "plan_approval", title: "Go on?", body: hostile, recommendation: "yes" }
    await at.load({ stories: [story], decisions: [{ ...decision, options, team: "payments" }] })
    for (const words of [
      ["story", "show", ...asMember, "--story", "PAY-1"],
      ["decision", "show", ...asMember, "--decision", "dec-aaaa"]
    ]) {
      const text = await at.said(...words)
      assert.include(text, shown, words.join(" "))
      assert.notMatch(text, steering)
      const { out } = await at.gatehouse(...words, "--json")
      assert.notMatch(out.join(""), steering)
      assert.include(JSON.stringify(JSON.parse(out.join(""))), JSON.stringify(hostile).slice(1, -1))
    }
  })

  it("steer no terminal in refusals", async () => {
    const words = ["team", "show", ...asMember, "--team", `x${hostile}`]
    for (const more of [[], ["--json"]]) {
      const { code, err } = await at.gatehouse(...words, ...more)
      assert.strictEqual(code, 1)
      assert.notMatch(err.join("\n"), steering)
    }
  })

  long(() => {
    it("steer no terminal in logs, whole or followed, whatever the store holds", async () => {
      const story = await at.story()
      const { run } = await at.json("run", "start", ...asMember, "--story", story)
      const part = {
        run: run as RunKey,
        attempt: 1,
        lease: crypto.randomUUID() as LeaseId,
        seq: 1,
        text: `${hostile}\n`
      }
      const appended = Effect.gen(function* () {
        yield* (yield* RunnerStore).appendLog(yield* Workspaces.idOf("acme" as WorkspaceSlug), part)
      })
      await at.typed(appended)
      const logs = ["run", "logs", ...acme, "--run", run]
      assert.strictEqual(await at.said(...logs), shown)
      assert.strictEqual((await at.json(...logs)).log, `${hostile}\n`)
      const written: Array<string> = []
      const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
        written.push(String(text))
        return true
      })
      const followed = at.gatehouse(...logs, "--follow")
      await vi.waitUntil(() => written.length > 0, { timeout: 60_000 })
      await at.json("run", "stop", ...asMember, "--run", run, "--yes")
      await followed
      spy.mockRestore()
      assert.strictEqual(written.join(""), `${shown}\n`)
    })
  })
})
