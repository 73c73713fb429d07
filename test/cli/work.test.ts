import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { type Acme, acme, asMember, open } from "./Acme.ts"

let at: Acme
beforeEach(async () => {
  at = await open()
})
afterEach(() => at.close())

const runKey = /^run-[0-9a-hjkmnp-tv-z]{4}$/

const leased = (run: string, fence: number) =>
  new RegExp(`^${run} of PAY-1 is running \\(planning\\)\\. Lease ${fence} ends at \\S+ \\S+ UTC\\.$`)

describe("a run", () => {
  it("is queued by a person, leased, reported on and finished", async () => {
    const story = await at.story()
    const started = await at.json("run", "start", ...asMember, "--story", story)
    assert.match(started.run, runKey)
    assert.deepStrictEqual(started, {
      run: started.run,
      team: "payments",
      story: { key: "PAY-1", title: "Refund in part", column: "in_progress" },
      status: "queued",
      stage: "planning",
      attempts: 1,
      costCents: 0,
      budgetCents: 500,
      failureClass: null,
      lease: null,
      inputs: [],
      exceptions: [],
      raised: [],
      mergeHold: null
    })
    const run = ["--run", started.run]
    assert.match(await at.said("run", "lease", ...acme), leased(started.run, 1))
    const told = await at.json("run", "report", ...acme, ...run, "--stage", "implementing", "--cost", "40")
    assert.deepInclude(told, { status: "running", stage: "implementing", costCents: 40, raised: [] })
    assert.strictEqual(
      await at
        .said("run", "report", ...acme, ...run, "--question", "Which currency?")
        .then((said) => said.slice(0, -9)),
      `${started.run} of PAY-1 is waiting (implementing). It waits for `
    )
    const [asked] = await at.json("decision", "list", ...asMember, "--status", "pending")
    await at.json("decision", "answer", ...asMember, "--decision", asked.key, "--option", "answer", "--note", "Euro")
    const finished = await at.json("run", "finish", ...acme, ...run)
    assert.deepInclude(finished, { status: "succeeded", stage: "done" })
    assert.strictEqual(finished.story.column, "done")
    assert.deepStrictEqual(finished.inputs, [{ decision: asked.key, action: "answer", note: "Euro" }])
  })

  it("has no log of an attempt that it does not have", async () => {
    const { run } = await at.json("run", "start", ...asMember, "--story", await at.story())
    for (const attempt of ["0", "2", "99"]) {
      const { message } = await at.refused("run", "logs", ...asMember, "--run", run, "--attempt", attempt)
      assert.strictEqual(message, `--attempt must be 1, which ${run} has; got '${attempt}'`)
    }
    assert.strictEqual((await at.json("run", "logs", ...asMember, "--run", run, "--attempt", "1")).attempt, 1)
  })

  it("is leased by a person's agent when --as names them, else by the service", async () => {
    const actors = async () => (await at.audit()).findLast(({ event }) => event === "run_state_changed")
    await at.json("run", "start", ...asMember, "--story", await at.story())
    await at.json("run", "lease", ...asMember)
    const { actor, details } = await actors()
    assert.deepStrictEqual([actor.type, actor.name, details.channel], ["human", "A member", "mcp"])
    await at.json("run", "start", ...asMember, "--story", await at.story())
    await at.json("run", "lease", ...acme)
    const { actor: worker, details: told } = await actors()
    assert.deepStrictEqual([worker.type, details.cli, told.cli], ["service", true, true])
  })

  it("is taken expedite first, then the oldest, and of the named team or run only", async () => {
    const start = async (...words: ReadonlyArray<string>): Promise<string> =>
      (await at.json("run", "start", ...asMember, "--story", await at.story(...words))).run
    const [first, second, urgent, last] = [
      await start(),
      await start(),
      await start("--class", "expedite"),
      await start()
    ]
    assert.strictEqual((await at.json("run", "lease", ...acme)).run, urgent)
    assert.strictEqual((await at.json("run", "lease", ...acme, "--run", last)).run, last)
    assert.strictEqual((await at.json("run", "lease", ...acme, "--team", "Payments")).run, first)
    assert.strictEqual((await at.json("run", "lease", ...acme)).run, second)
    assert.strictEqual(await at.json("run", "lease", ...acme), null)
    assert.strictEqual(await at.said("run", "lease", ...acme), "Nothing is queued.")
  })

  it("is stopped by a person who confirms it; the story stays and the decision is cancelled", async () => {
    const run = await at.running()
    const decision = await at.asked(run, "--question", "Which currency?")
    const refusal = await at.refused("run", "stop", ...asMember, "--run", run)
    assert.deepStrictEqual(refusal, {
      code: "invalid_usage",
      message: "Nothing was stopped. Add --yes to confirm that you mean it"
    })
    const stopped = await at.json("run", "stop", ...asMember, "--run", run, "--yes")
    assert.deepInclude(stopped, { status: "stopped" })
    assert.strictEqual(stopped.story.column, "in_progress")
    const [{ key, status }] = await at.json("decision", "list", ...asMember, "--run", run)
    assert.deepStrictEqual([key, status], [decision, "cancelled"])
    const told = (await at.audit()).slice(-2).map(({ actor, event }) => [actor.name, event])
    assert.deepStrictEqual(told, [
      ["A member", "run_state_changed"],
      ["A member", "decision_cancelled"]
    ])
    const late = await at.refused("decision", "answer", ...asMember, "--decision", decision, "--option", "answer")
    assert.strictEqual(late.code, "decision_cancelled")
  })

  it("is retried under the same key, with the note as guidance", async () => {
    const run = await at.running()
    await at.json("run", "finish", ...acme, "--run", run, "--outcome", "failed")
    const retried = await at.json("run", "retry", ...asMember, "--run", run, "--note", "- Mind the fees")
    assert.deepInclude(retried, { run, status: "queued", attempts: 2 })
    assert.deepStrictEqual(retried.inputs, [{ decision: null, action: "retry", note: "- Mind the fees" }])
    const { code, message } = await at.refused("run", "retry", ...asMember, "--run", run)
    assert.deepStrictEqual([code, message.includes("is queued; only a failed")], ["run_not_over", true])
    assert.match(await at.said("run", "lease", ...acme), leased(run, 2))
    const long = await at.refused("run", "retry", ...asMember, "--run", await stopped(), "--note", "x".repeat(4001))
    assert.deepStrictEqual(long.code, "note_too_long")
  })

  const stopped = async () => {
    const run = await at.running()
    await at.json("run", "stop", ...asMember, "--run", run, "--yes")
    return run
  }

  it.each([
    [[], "succeeded"],
    [["--failure", "No disk", "--class", "transient"], "failed"]
  ])("that is finished after %j without an outcome has %s", async (words, status) => {
    const run = await at.running()
    if (words.length > 0) await at.json("run", "report", ...acme, "--run", run, ...words)
    const finished = await at.json("run", "finish", ...acme, "--run", run)
    assert.deepInclude(finished, { status, failureClass: words.at(-1) ?? null })
    assert.strictEqual(await at.said("run", "lease", ...acme), "Nothing is queued.")
    const { message } = await at.refused("run", "finish", ...acme, "--run", run)
    const way = status === "succeeded" ? "Start another run of its story." : "Retry it to queue a new attempt."
    assert.strictEqual(message, `${run} is over (${status}). ${way}`)
  })

  it("that is over, waits or is not begun yet says what to do first", async () => {
    const run = await at.running()
    const report = ["run", "report", ...acme, "--run", run, "--stage", "verifying"]
    await at.asked(run, "--question", "Which?")
    for (const words of [report, ["run", "finish", ...acme, "--run", run]]) {
      const { code, message } = await at.refused(...words)
      assert.deepStrictEqual([code, message.includes("answer its pending decision first")], ["run_not_running", true])
    }
    const { run: queued } = await at.json("run", "start", ...asMember, "--story", await at.story())
    const early = await at.refused(...report.with(5, queued))
    assert.deepStrictEqual([early.code, early.message.includes("lease it first")], ["run_not_running", true])
    const twice = await at.refused("run", "start", ...asMember, "--story", "PAY-2")
    assert.deepStrictEqual([twice.code, twice.message.includes(queued)], ["story_is_worked_on", true])
    const draft = await at.refused("run", "start", ...asMember, "--story", await at.story("--draft"))
    assert.deepStrictEqual([draft.code, draft.message], ["story_is_draft", "PAY-3 is a draft. Approve it first."])
  })
})
