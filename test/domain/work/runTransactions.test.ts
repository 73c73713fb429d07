import { assert, describe, it } from "@effect/vitest"
import type { Fact } from "../../../domain/work/RunReport.ts"
import { RunStatus } from "../../../domain/work/Run.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import type { Settings } from "../../../domain/workspace/Policy.ts"
import * as QueueRun from "../../../domain/work/QueueRun.ts"
import * as OneRun from "./OneRun.ts"
import * as Sample from "../Sample.ts"

const pullRequest = { url: "https://git.test/pull/7", number: 7 }
const withPolicy = (settings: Partial<Settings>) => Sample.team(Sample.policy(settings))
const through = (start: OneRun.OneRun, ...steps: ReadonlyArray<(at: OneRun.OneRun) => OneRun.OneRun>) =>
  steps.reduce((at, step) => step(at), start)
const running = (settings: Partial<Settings> = {}) =>
  through(OneRun.queued(Sample.story("ready"), withPolicy(settings)), OneRun.lease)

const events = ({ entries }: OneRun.OneRun) => entries.map(({ event }) => event).join(" ")

describe("from Ready to merged", () => {
  it("with people asked about the plan and the merge", () => {
    const settings = { planApproval: "always", mergePolicy: "manual" } as const
    const steps: ReadonlyArray<readonly [(at: OneRun.OneRun) => OneRun.OneRun, string, string]> = [
      [OneRun.lease, "running planning in_progress", "run_state_changed"],
      [
        OneRun.report({ type: "plan_ready", plan: "First this.", size: null }),
        "waiting planning in_progress plan_approval",
        "run_state_changed decision_raised"
      ],
      [
        OneRun.resolve("approve_plan", "Mind the cents"),
        "running implementing in_progress",
        "decision_resolved run_state_changed"
      ],
      [OneRun.report({ type: "stage", stage: "verifying" }), "running verifying in_progress", "run_state_changed"],
      [OneRun.report({ type: "pull_request", pullRequest }), "running verifying in_progress", "run_state_changed"],
      [
        OneRun.report({ type: "verification", status: "passed", summary: "Green" }),
        "waiting handing_off review merge_approval",
        "run_state_changed story_moved decision_raised"
      ],
      [OneRun.resolve("merge"), "running handing_off review", "decision_resolved run_state_changed"],
      [OneRun.report({ type: "merged" }), "running done done", "run_state_changed story_moved"],
      [OneRun.finish(), "succeeded done done", "run_state_changed"]
    ]
    let at = OneRun.queued(Sample.story("ready"), withPolicy(settings))
    assert.strictEqual(OneRun.place(at), "queued planning in_progress")
    assert.strictEqual(events(at), "run_state_changed story_moved")
    for (const [step, place, entries] of steps) {
      at = step({ ...at, entries: [] })
      assert.deepStrictEqual([at.refusal, OneRun.place(at), events(at)], [null, place, entries])
    }
    assert.deepStrictEqual(
      at.run.inputs.map(({ note }) => note),
      ["Mind the cents"]
    )
    assert.deepStrictEqual<unknown>(
      at.jobs.map(({ decision, kind, payload }) => [kind, decision, payload]),
      [["merge_pull_request", "dec-0002", { pullRequest }]]
    )
  })

  it("with nobody asked where the policy asks for nobody", () => {
    const at = through(
      running({ planApproval: "never", mergePolicy: "verified" }),
      OneRun.report({ type: "plan_ready", plan: "First this.", size: null }),
      OneRun.report({ type: "pull_request", pullRequest }, { type: "verification", status: "passed", summary: "" })
    )
    assert.strictEqual(OneRun.place(at), "running handing_off review")
    assert.deepStrictEqual(
      at.jobs.map(({ decision, kind }) => [kind, decision]),
      [["merge_pull_request", null]]
    )
    const end = through(at, OneRun.report({ type: "merged" }), OneRun.finish())
    assert.strictEqual(OneRun.place(end), "succeeded done done")
    assert.deepStrictEqual(end.decisions, [])
  })
})

describe("a queued run", () => {
  const of = (settings: Partial<Settings> | null) =>
    OneRun.queued(Sample.story("ready"), settings === null ? Sample.team(null) : withPolicy(settings)).run
  const budgets = { dayCents: null, monthCents: null }
  it("has the budget of the policy, or 500 cents", () => {
    assert.strictEqual(of({ budgets: { ...budgets, runCents: 1234 } }).budgetCents, 1234)
    assert.strictEqual(of({ budgets: { ...budgets, runCents: 0 } }).budgetCents, 0)
    assert.strictEqual(of({ budgets: { ...budgets, runCents: null } }).budgetCents, 500)
    assert.strictEqual(of(null).budgetCents, 500)
  })

  it("is for the executor of the policy", () => assert.strictEqual(of({ executor: "codex" }).latest.executor, "codex"))

  it("begins with why its story was sent back", () => {
    const back = through(
      running({ planApproval: "always" }),
      OneRun.report({ type: "plan_ready", plan: "", size: null }),
      OneRun.resolve("reject", "Too large")
    )
    assert.strictEqual(OneRun.place(back), "stopped planning backlog")
    const again = OneRun.queued(back.story)
    assert.strictEqual(OneRun.place(again), "queued planning in_progress")
    assert.deepStrictEqual(again.run.inputs, [{ decision: null, action: null, note: "Too large" }])
  })

  it("does not touch a story that is in progress already", () => {
    const story = Sample.story("in_progress")
    const key = "run-aaaa" as RunKey
    const queued = QueueRun.queue(Sample.ana, { key, now: Sample.now, story, team: Sample.team() })
    assert.strictEqual(queued.story, story)
    assert.deepStrictEqual(
      queued.audit.map(({ event }) => event),
      ["run_state_changed"]
    )
  })
})

describe("only a queued run, or one that nobody holds, of a team that works", () => {
  it.each(RunStatus.literals)("can be leased: %s", (status) => {
    const at = { ...OneRun.queued(), run: Sample.run(status) }
    const leased = OneRun.lease(at)
    const isFree = status === "queued" || status === "running"
    assert.strictEqual(leased.refusal, isFree ? null : "RunNotQueued")
    if (status === "queued") assert.deepStrictEqual(leased.run.latest.startedAt, at.now)
    if (!isFree) assert.strictEqual(leased.run, at.run)
  })
  it("can be leased: not while it is paused", () => {
    const at = OneRun.queued()
    const paused = { ...at, team: Sample.team(Sample.policy(), { pausedAt: Sample.now }) }
    assert.strictEqual(OneRun.lease(paused).refusal, "TeamIsPaused")
  })
})

describe("the end", () => {
  const failure: Fact = { type: "failure", failureClass: "transient", error: "Boom" }
  it.each([
    ["without a word it succeeded", running(), null, "succeeded done done"],
    ["after a failure it failed", through(running(), OneRun.report(failure)), null, "failed planning in_progress"],
    ["as it is said", through(running(), OneRun.report(failure)), "timed_out", "timed_out planning in_progress"],
    [
      "with a pull request that is not merged its story stays in review",
      through(
        running({ mergePolicy: "verified" }),
        OneRun.report({ type: "pull_request", pullRequest }, { type: "verification", status: "passed", summary: "" })
      ),
      null,
      "succeeded done review"
    ]
  ] as const)("%s", (_, at, outcome, expected) =>
    assert.strictEqual(OneRun.place(OneRun.finish(outcome)(at)), expected)
  )

  const asked = through(running(), OneRun.report({ type: "question", question: "?" }))
  it("of a run that waits is no success", () => {
    const refused = OneRun.finish("succeeded")(asked)
    assert.deepStrictEqual([refused.refusal, refused.run], ["RunNotRunning", asked.run])
  })

  it.each([
    ["failed", OneRun.finish("failed")],
    ["timed_out", OneRun.finish("timed_out")],
    ["stopped", OneRun.stop]
  ])("of a run that waits cancels what it waited for: %s", (status, step) => {
    const at = step(asked)
    assert.strictEqual(OneRun.place(at), `${status} planning in_progress`)
    assert.deepStrictEqual(
      at.decisions.map((one) => one.status),
      ["cancelled"]
    )
    assert.match(events(at), /run_state_changed decision_cancelled$/)
  })

  it.each(RunStatus.literals)("comes once: %s", (status) => {
    const at = { ...OneRun.queued(), run: Sample.run(status) }
    const isOver = ["succeeded", "failed", "timed_out", "stopped"].includes(status)
    assert.strictEqual(OneRun.stop(at).refusal, isOver ? "RunOver" : null)
    assert.strictEqual(
      OneRun.finish("failed")(at).refusal,
      isOver ? "RunOver" : status === "queued" ? "RunNotRunning" : null
    )
  })
})

describe("a person retries", () => {
  it.each(RunStatus.literals)("a run that is over without success: %s", (status) => {
    const at = { ...OneRun.queued(), story: Sample.story("backlog"), run: Sample.run(status, "verifying") }
    const again = OneRun.retry("Smaller steps")(at)
    if (!["failed", "timed_out", "stopped"].includes(status)) {
      assert.deepStrictEqual([again.refusal, again.run], ["RunNotOver", at.run])
      return
    }
    assert.strictEqual(OneRun.place(again), "queued planning in_progress")
    assert.deepStrictEqual([again.run.key, again.run.attemptList.length], [at.run.key, 2])
    assert.deepStrictEqual(again.run.inputs, [{ decision: null, action: "retry", note: "Smaller steps" }])
  })

  it("with a note of at most 4,000 characters", () => {
    const at = { ...OneRun.queued(), run: Sample.run("failed") }
    assert.isNull(OneRun.retry("\u{1f37a}".repeat(4000))(at).refusal)
    assert.strictEqual(OneRun.retry("\u{1f37a}".repeat(4001))(at).refusal, "NoteTooLong")
  })
})
