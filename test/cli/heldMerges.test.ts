import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { JobStore } from "../../application/ports/JobStore.ts"
import { Effect } from "effect"
import { type Acme, acme, asAdmin, asMember, open, payments } from "./Acme.ts"
import { lease } from "../jobs/Queue.ts"

let at: Acme
beforeEach(async () => {
  at = await open()
  await at.json("policy", "set", ...asAdmin, ...payments, "--merge-policy", "verified")
})
afterEach(() => at.close())

const report = (run: string, ...words: ReadonlyArray<string>) =>
  at.json("run", "report", ...acme, "--run", run, ...words)

const passing = (run: string) => report(run, "--pull-request", "https://git.test/pull/7", "--verification", "passed")

/** A run whose passing report queues a merge while another run has reported that main is red. */
const held = async () => {
  const red = await at.running()
  const decision = await at.asked(red, "--main-red", "The nightly build fails")
  const run = await at.running()
  return { red, decision, run, reported: await passing(run) }
}

/** The merges that an engine with every adapter starts now. */
const begun = () =>
  at.run(
    Effect.gen(function* () {
      const store = yield* JobStore
      return (yield* store.take(lease, ["merge_pull_request"], 10)).jobs.length
    })
  )

const raise = () =>
  at.json("decision", "raise", ...asMember, ...payments, "--kind", "main_red_incident", "--title", "Main is red")

const answer = (decision: string) =>
  at.json("decision", "answer", ...asMember, "--decision", decision, "--option", "decline_proposal")

describe("a merge that a red main branch holds", () => {
  it("shows the hold on the report, the run, the job and in the audit log", async () => {
    const { decision, reported, run } = await held()
    const [{ createdAt: since }] = await at.json("decision", "list", ...asMember, "--status", "pending")
    const hold = { decision, status: "pending", since }
    assert.deepStrictEqual(reported.mergeHold, hold)
    const shown = await at.json("run", "show", ...acme, "--run", run)
    assert.deepStrictEqual([shown.key, shown.mergeHold], [run, hold])
    const [job] = await at.json("job", "list", ...acme)
    assert.deepStrictEqual([job.kind, job.status, job.runKey, job.hold], ["merge_pull_request", "queued", run, hold])
    const words = `held by ${decision} (pending) since ${since}`
    for (const verb of [
      ["run", "show", ...acme, "--run", run],
      ["job", "list", ...acme]
    ])
      assert.include(await at.said(...verb), words)
    const recorded = (await at.audit()).findLast(({ event, runKey }) => event === "run_state_changed" && runKey === run)
    assert.deepStrictEqual(recorded.details.mergeHold, hold)
  })

  it("goes on when the decision is resolved", async () => {
    const { decision, run } = await held()
    assert.strictEqual(await begun(), 0)
    await answer(decision)
    assert.isNull((await at.json("run", "show", ...acme, "--run", run)).mergeHold)
    assert.isNull((await at.json("job", "list", ...acme))[0].hold)
    assert.notInclude(await at.said("job", "list", ...acme), "held")
    assert.strictEqual(await begun(), 1)
  })

  it("waits on when the run that reported it is stopped, until a newer decision is raised and resolved", async () => {
    const { decision, red, run } = await held()
    await at.json("run", "stop", ...asMember, "--run", red, "--yes")
    assert.strictEqual(await begun(), 0)
    const said = await at.said("run", "show", ...acme, "--run", run)
    assert.include(said, `held by ${decision} (cancelled)`)
    assert.include(said, "it continues when a newer main_red_incident of the team is raised and resolved")
    const { key } = await raise()
    assert.strictEqual(await begun(), 0)
    await answer(key)
    assert.strictEqual(await begun(), 1)
  })

  it("is not held by the red main branch of another team", async () => {
    await at.json("team", "create", ...asAdmin, "--slug", "web", "--name", "Web", "--key-prefix", "WEB")
    await at.json("decision", "raise", ...asMember, "--team", "web", "--kind", "main_red_incident", "--title", "Red")
    const reported = await passing(await at.running())
    assert.isNull(reported.mergeHold)
    assert.strictEqual(await begun(), 1)
  })

  it("is held by a red main branch that the same report tells of", async () => {
    const run = await at.running()
    const words = ["--pull-request", "https://git.test/pull/7", "--verification", "passed"]
    const { mergeHold, raised } = await report(run, ...words, "--main-red", "It fails")
    assert.strictEqual(mergeHold.decision, raised[0])
    assert.strictEqual(await begun(), 0)
  })

  it("is announced where people approve it", async () => {
    const { decision } = await held()
    await at.json("policy", "set", ...asAdmin, ...payments, "--merge-policy", "manual")
    const run = await at.running()
    const { raised } = await passing(run)
    const decisions = await at.json("decision", "list", ...asMember, "--run", run)
    assert.include(decisions[0].body, `held by ${decision} (pending)`)
    const merge = ["--decision", raised[0], "--option", "merge"]
    const { effects } = await at.json("decision", "answer", ...asMember, ...merge)
    const [merged] = effects
    assert.deepStrictEqual([merged.type, merged.status], ["pull_request_merged", "queued"])
    assert.match(
      merged.summary,
      new RegExp(`^The pull request is to be merged: held by ${decision} \\(pending\\) since 20`)
    )
  })
})
