import { Effect } from "effect"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import * as LeaseBell from "../../application/runner/LeaseBell.ts"
import * as Runners from "../../application/runner/Runners.ts"
import { type Acme, acme, asAdmin, asMember, introduction, open } from "../cli/Acme.ts"
import { long } from "../support/Long.ts"

let at: Acme
beforeEach(async () => {
  at = await open()
})
afterEach(() => at.close())

/** A runner that holds a run with a log. */
const busy = async () => {
  await at.json("team", "set", ...asAdmin, "--team", "payments", "--repository", "https://example.test/pay.git")
  const story = await at.story()
  const { run } = await at.json("run", "start", ...asMember, "--story", story)
  const { caller: by, runner } = await at.register()
  const grant = await at.typed(
    Effect.gen(function* () {
      const leased = yield* Runners.lease(by, { runner, executors: ["claude-code"], waitSeconds: 0 })
      const { fence, id: lease } = leased ?? assert.fail("nothing was leased")
      const tell = (seq: number, log: string) =>
        Runners.report(by, { lease, fence, seq, facts: [], log, session: null })
      yield* tell(1, "planning\n")
      return { lease, fence, tell }
    }).pipe(Effect.provide(LeaseBell.layer))
  )
  return { ...grant, by, runner, run: run as string, story }
}

describe("runners", () => {
  it("are listed and shown with what they work on", async () => {
    assert.strictEqual(await at.said("runner", "list", ...asMember), "No runners.")
    assert.deepStrictEqual(await at.json("runner", "list", ...asMember), [])
    const { run, runner, story } = await busy()
    const [one, ...more] = await at.json("runner", "list", ...asMember)
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual(one, {
      ...introduction,
      id: runner,
      registeredAt: one.registeredAt,
      lastSeenAt: one.lastSeenAt,
      drainingAt: null,
      offlineAt: null,
      runs: [{ key: run, story, stage: "planning" }],
      status: "online"
    })
    const [headings, row] = (await at.said("runner", "list", ...asMember)).split("\n")
    assert.match(headings ?? "", /^Name +Status +Version +Slots in use +Agents +Last heard from$/)
    assert.match(row ?? "", /^build-1 +online +0\.1\.0 +1 of 2 +claude-code +20\d\d-\d\d-\d\d \d\d:\d\d UTC$/)
    assert.deepStrictEqual(await at.json("runner", "show", ...asMember, "--name", "build-1"), one)
    assert.deepStrictEqual(await at.json("runner", "show", ...asMember, "--name", runner), one)
    const shown = await at.said("runner", "show", ...asMember, "--name", "build-1")
    assert.match(
      shown,
      /^build-1 is online, last heard from at 20\S+ \d\d:\d\d UTC\.\nVersion 0\.1\.0 on linux x64, 2 slots, for all/
    )
    for (const part of ["claude-code", "2.1", run, story]) assert.include(shown, part)
    const missing = await at.refused("runner", "show", ...asMember, "--name", "build-9")
    assert.strictEqual(missing.code, "runner_not_found")
    assert.include(missing.message, "'./gatehouse runner list --workspace SLUG --as EMAIL' shows them")
    const { caller } = await at.register()
    await at.typed(Runners.hello(caller, { ...introduction, name: "small", slots: 1 }))
    assert.include(await at.said("runner", "show", ...asMember, "--name", "small"), "x64, 1 slot, for all teams")
  })

  it("are drained by an admin, and show it", async () => {
    const { by, runner } = await busy()
    const drain = ["runner", "drain", ...asAdmin, "--name", runner]
    assert.strictEqual((await at.refused("runner", "drain", ...asMember, "--name", runner)).code, "admin_required")
    assert.deepStrictEqual((await at.denials()).slice(-1), [["access_denied", "A member", "runner drain"]])
    assert.strictEqual((await at.json(...drain)).status, "draining")
    assert.strictEqual(
      await at.said(...drain),
      "build-1 drains: it leases nothing more, and ends after 1 run. Started again, it works again."
    )
    assert.match(await at.said("runner", "show", ...asMember, "--name", runner), /^build-1 is draining, last heard/)
    assert.strictEqual((await at.audit()).filter(({ event }) => event === "runner_draining").length, 1)
    await at.typed(Runners.goodbye(by, runner))
    assert.strictEqual((await at.refused(...drain)).code, "runner_offline")
    await at.typed(Runners.hello(by, introduction))
    assert.strictEqual((await at.json("runner", "show", ...asMember, "--name", runner)).status, "online")
  })

  it("are removed by an admin, and lose their leases", async () => {
    const { by, run, runner } = await busy()
    assert.strictEqual((await at.refused("runner", "remove", ...asMember, "--name", "build-1")).code, "admin_required")
    assert.deepStrictEqual((await at.denials()).slice(-1), [["access_denied", "A member", "runner remove"]])
    const removed = await at.json("runner", "remove", ...asAdmin, "--name", "build-1")
    assert.deepStrictEqual(removed, { id: runner, name: "build-1" })
    assert.strictEqual((await at.refused("runner", "remove", ...asAdmin, "--name", runner)).code, "runner_not_found")
    assert.deepStrictEqual(await at.json("runner", "list", ...asMember), [])
    assert.strictEqual((await at.json("run", "show", ...acme, "--run", run)).status, "queued")
    await at.typed(Runners.hello(by, introduction))
    assert.strictEqual(
      await at.said("runner", "remove", ...asAdmin, "--name", runner),
      "build-1 is removed. It registers again as long as its token is active."
    )
    const events = (await at.audit()).map(({ event }) => event)
    assert.includeMembers(events, ["runner_registered", "runner_offline", "lease_lost"])
  })
})

describe("the log of a run", () => {
  it("is printed for the latest attempt, or the one named", async () => {
    const { by, fence, lease, run } = await busy()
    const logs = ["run", "logs", ...acme, "--run", run]
    assert.strictEqual(await at.said(...logs), "planning")
    assert.deepStrictEqual(await at.json(...logs), { run, attempt: 1, log: "planning\n" })
    await at.typed(Runners.finish(by, { lease, fence }, "failed"))
    await at.json("run", "retry", ...asMember, "--run", run)
    assert.strictEqual(await at.said(...logs), "The attempt has no log.")
    assert.strictEqual(await at.said(...logs, "--attempt", "1"), "planning")
    assert.strictEqual(await at.said(...logs, "--attempt", "1", "--follow"), "planning")
    assert.strictEqual((await at.refused("run", "logs", ...acme, "--run", "run-0000")).code, "run_not_found")
  })

  long(() => {
    it("is followed until the attempt is over, and every line is printed once", async () => {
      const { by, fence, lease, run, tell } = await busy()
      const written: Array<string> = []
      const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
        written.push(String(text))
        return true
      })
      const logs = ["run", "logs", ...asMember, "--run", run, "--follow"]
      const both = Promise.all([at.gatehouse(...logs), at.json(...logs)])
      await vi.waitUntil(() => written.length > 0, { timeout: 60_000 })
      await at.typed(tell(2, "half done\n"))
      await at.typed(Runners.finish(by, { lease, fence }, "failed"))
      const [{ code, out }, whole] = await both
      spy.mockRestore()
      assert.deepStrictEqual([code, written.join(""), out], [0, "planning\n", ["half done"]])
      assert.deepStrictEqual(whole, { run, attempt: 1, log: "planning\nhalf done\n" })
    })
  })
})

describe("a lease", () => {
  const started = async () => (await at.json("run", "start", ...asMember, "--story", await at.story())).run as string

  it("by hand is named by its number, and an older one is refused", async () => {
    const run = await started()
    const { lease } = await at.json("run", "lease", ...acme, "--run", run)
    assert.strictEqual(lease.fence, 1)
    assert.isAbove(Date.parse(lease.expiresAt) - performance.timeOrigin, 23 * 3_600_000)
    const told = ["run", "report", ...acme, "--run", run, "--cost", "10"]
    assert.strictEqual((await at.json(...told, "--fence", "1")).lease.fence, 1)
    const wrong = await at.refused(...told, "--fence", "2")
    assert.deepStrictEqual([wrong.code, wrong.message.includes(`lease 1 holds ${run}`)], ["lease_lost", true])
    await at.json("run", "finish", ...acme, "--run", run, "--outcome", "failed", "--fence", "1")
    await at.json("run", "retry", ...asMember, "--run", run)
    assert.strictEqual((await at.json("run", "lease", ...acme, "--run", run)).lease.fence, 2)
    for (const words of [told, ["run", "finish", ...acme, "--run", run]])
      assert.strictEqual((await at.refused(...words, "--fence", "1")).code, "lease_lost")
    assert.strictEqual((await at.json(...told)).costCents, 20)
    assert.deepInclude(await at.json("run", "finish", ...acme, "--run", run, "--fence", "2"), { status: "succeeded" })
  })

  it("of a runner is not taken by hand", async () => {
    const { run } = await busy()
    assert.strictEqual((await at.refused("run", "lease", ...acme, "--run", run)).code, "run_not_queued")
    assert.strictEqual((await at.refused("run", "report", ...acme, "--run", run, "--cost", "1")).code, "lease_lost")
    assert.strictEqual((await at.refused("run", "finish", ...acme, "--run", run)).code, "lease_lost")
  })

  it("ends with a question; the report after the answer takes the next", async () => {
    const run = await started()
    await at.json("run", "lease", ...acme, "--run", run)
    const decision = await at.asked(run, "--question", "Which currency?")
    const waiting = await at.json("run", "report", ...acme, "--run", run, "--cost", "5")
    assert.isNull(waiting.lease)
    await at.json("decision", "answer", ...asMember, "--decision", decision, "--option", "answer", "--note", "Euro")
    assert.strictEqual((await at.json("run", "report", ...acme, "--run", run, "--cost", "6")).lease.fence, 2)
  })
})
