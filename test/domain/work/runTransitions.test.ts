import { assert, describe, inject, it } from "@effect/vitest"
import { DateTime, FastCheck } from "effect"
import { Kind } from "../../../domain/work/Decision.ts"
import { usual } from "../../../domain/work/DecisionTriggers.ts"
import type { Fact } from "../../../domain/work/RunReport.ts"
import { progress, type Run, RunStatus, Stage } from "../../../domain/work/Run.ts"
import * as RunTransitions from "../../../domain/work/RunTransitions.ts"
import * as OneRun from "./OneRun.ts"
import * as Sample from "../Sample.ts"

const { now } = Sample

/** Allowed transitions of an attempt. */
const ruled: Record<RunStatus, string> = {
  queued: "running stopped",
  running: "waiting succeeded failed timed_out stopped",
  waiting: "running failed timed_out stopped",
  succeeded: "",
  failed: "",
  timed_out: "",
  stopped: ""
}
const mayGo = (from: RunStatus, to: RunStatus) => ruled[from].split(" ").includes(to)

const operations: Record<string, (run: Run) => Run> = {
  start: (run) => RunTransitions.start(run, now),
  wait: RunTransitions.wait,
  resume: (run) => RunTransitions.resume(run, now),
  succeed: (run) => RunTransitions.end(run, now, "succeeded"),
  fail: (run) => RunTransitions.end(run, now, "failed"),
  timeOut: (run) => RunTransitions.end(run, now, "timed_out"),
  stop: (run) => RunTransitions.stop(run, now)
}

/** Result of each operation for each status; a dot leaves the run unchanged. */
const table = `
          | start   | wait    | resume  | succeed   | fail   | timeOut   | stop
queued    | running | .       | .       | .         | .      | .         | stopped
running   | .       | waiting | .       | succeeded | failed | timed_out | stopped
waiting   | .       | .       | running | .         | failed | timed_out | stopped
succeeded | .       | .       | .       | .         | .      | .         | .
failed    | .       | .       | .       | .         | .      | .         | .
timed_out | .       | .       | .       | .         | .      | .         | .
stopped   | .       | .       | .       | .         | .      | .         | .`
const [head = [], ...rows] = table
  .split("\n")
  .slice(1)
  .map((line) => line.split("|").map((cell) => cell.trim()))

describe("an attempt", () => {
  it("goes where it is ruled to go", () => {
    for (const from of RunStatus.literals) {
      assert.deepStrictEqual(RunTransitions.moves[from].join(" "), ruled[from])
      assert.strictEqual(RunTransitions.isOver(from), ruled[from] === "")
    }
    assert.deepStrictEqual(RunStatus.literals.filter(RunTransitions.isRetriable), ["failed", "timed_out", "stopped"])
  })

  it.each(rows.map(([from = "", ...cells]) => [from as RunStatus, cells] as const))("that is %s", (from, cells) => {
    const run = Sample.run(from, "verifying")
    for (const [index, expected] of cells.entries()) {
      const name = head[index + 1] ?? ""
      const after = operations[name]?.(run)
      if (expected === ".") assert.strictEqual(after, run, name)
      else assert.strictEqual(after?.latest.status, expected, name)
    }
  })

  it("keeps what was reported of its failure unless its end says more", () => {
    const failing = Sample.runOf([Sample.attempt("running", "verifying", { failureClass: "transient", error: "Boom" })])
    const plain = RunTransitions.end(failing, now, "failed").latest
    const said = RunTransitions.end(failing, now, "failed", { failureClass: "gate", error: "Lint" }).latest
    assert.deepStrictEqual([plain.failureClass, plain.error, plain.completedAt], ["transient", "Boom", now])
    assert.deepStrictEqual([said.failureClass, said.error], ["gate", "Lint"])
  })

  it("that succeeded is done; any other stays in its stage", () =>
    assert.deepStrictEqual(
      (["succeeded", "failed", "timed_out", "stopped"] as const).map(
        (end) => RunTransitions.end(Sample.run("running", "verifying"), now, end).latest.stage
      ),
      ["done", "verifying", "verifying", "verifying"]
    ))
})

describe("the next attempt", () => {
  it.each(["running", "waiting", "failed", "timed_out", "stopped"] as const)("of a run that is %s", (status) => {
    const before = Sample.runOf([Sample.attempt(status, "verifying", { costCents: 7 })])
    const { attemptList } = RunTransitions.requeue(before, now, { failureClass: "gate", error: "Lint" })
    const isOn = status === "running" || status === "waiting"
    assert.deepStrictEqual(attemptList, [
      isOn
        ? { ...before.latest, status: "failed", failureClass: "gate", error: "Lint", completedAt: now }
        : before.latest,
      Sample.attempt("queued", "planning", { attempt: 2 })
    ])
  })

  it("of a run that has not begun is the one that is queued", () => {
    const run = Sample.run("queued", "planning")
    assert.strictEqual(RunTransitions.requeue(run, now), run)
  })
})

describe("whatever happens to a run", () => {
  const one = FastCheck.constantFrom
  const cost = FastCheck.record({ type: one("cost" as const), costCents: FastCheck.nat(550) })
  const fact: FastCheck.Arbitrary<Fact> = FastCheck.oneof(
    cost,
    cost,
    cost,
    cost,
    FastCheck.record({ type: one("stage" as const), stage: one(...Stage.literals) }),
    FastCheck.record({
      type: one("verification" as const),
      status: one("passed" as const, "failed" as const, "skipped" as const),
      summary: one("")
    }),
    FastCheck.record({ type: one("gate_failed" as const), gate: one("lint", "tests"), reason: one("") }),
    FastCheck.record({ type: one("failure" as const), failureClass: one("transient" as const), error: one("Boom") }),
    FastCheck.record({ type: one("path_needed" as const), path: one(".kanman/acceptance/a"), reason: one("") }),
    FastCheck.record({ type: one("question" as const, "plan_ready" as const), size: one(null) }).map(
      ({ size, type }): Fact => (type === "question" ? { type, question: "?" } : { type, plan: "", size })
    ),
    one<Fact>({ type: "merged" }, { type: "main_red", reason: "" }, { type: "scope_grew", reason: "" })
  )
  const asks = Kind.literals.map((kind) =>
    OneRun.ask({ kind, title: "?", body: "", subject: null, authority: "member", ...usual(kind) })
  )
  const choose = (index: number, note: string | null) => (at: OneRun.OneRun) => {
    const options = OneRun.pending(at)[0]?.options ?? []
    return OneRun.resolve(options[index % options.length]?.id ?? "none", note)(at)
  }
  const step: FastCheck.Arbitrary<(at: OneRun.OneRun) => OneRun.OneRun> = FastCheck.oneof(
    { weight: 2, arbitrary: one(OneRun.lease) },
    {
      weight: 4,
      arbitrary: FastCheck.array(fact, { minLength: 1, maxLength: 3 }).map(([first, ...rest]) =>
        OneRun.report(first ?? { type: "merged" }, ...rest)
      )
    },
    {
      weight: 1,
      arbitrary: one("succeeded" as const, "failed" as const, "timed_out" as const, null).map(OneRun.finish)
    },
    { weight: 1, arbitrary: one(OneRun.stop, OneRun.ignore) },
    { weight: 2, arbitrary: one(null, "Again").map(OneRun.retry) },
    { weight: 2, arbitrary: one(...asks) },
    {
      weight: 5,
      arbitrary: FastCheck.tuple(FastCheck.nat(4), one(null, "Mind the cents")).map(([index, note]) =>
        choose(index, note)
      )
    }
  )

  const check = (before: OneRun.OneRun, after: OneRun.OneRun) => {
    const old = before.run.attemptList
    const fresh = after.run.attemptList
    assert.isAtLeast(fresh.length, old.length)
    for (const [index, attempt] of old.entries()) {
      const next = fresh[index]
      if (RunTransitions.isOver(attempt.status)) assert.deepStrictEqual(next, attempt)
      else if (next?.status !== attempt.status) assert.isTrue(next && mayGo(attempt.status, next.status))
    }
    for (const [index, { attempt, completedAt, startedAt, status }] of fresh.entries()) {
      assert.strictEqual(attempt, index + 1)
      assert.strictEqual(completedAt !== null, RunTransitions.isOver(status))
      if (status === "queued") assert.isNull(startedAt)
      if (status === "running" || status === "waiting") assert.isNotNull(startedAt)
      if (index < fresh.length - 1) assert.isTrue(RunTransitions.isOver(status))
    }
    assert.isAtLeast(progress(after.run).costCents, progress(before.run).costCents)
    assert.isAtLeast(after.run.budgetCents, before.run.budgetCents)
    assert.strictEqual(after.run.latest.status === "waiting", OneRun.pending(after).length > 0)
    if (after.refusal !== null && after.refusal !== "DecisionExpired") assert.strictEqual(after.run, before.run)
  }

  it(
    "takes no forbidden move: over stays over, attempts only grow, cost never falls, waiting is for an answer",
    () =>
      FastCheck.assert(
        FastCheck.property(FastCheck.array(step, { maxLength: 30, size: "max" }), (steps) => {
          let at = OneRun.queued()
          for (const next of steps) {
            const after = next({ ...at, now: DateTime.add(at.now, { minutes: 1 }) })
            check(at, after)
            at = after
          }
        }),
        { numRuns: inject("full") ? 1000 : 50 }
      ),
    120_000
  )
})
