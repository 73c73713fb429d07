import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Option, Schema } from "effect"
import * as Key from "../../../domain/value/Key.ts"
import * as Run from "../../../domain/work/Run.ts"
import { stop } from "../../../domain/work/RunTransitions.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import type { StoryKey } from "../../../domain/work/Story.ts"
import type { TeamSlug } from "../../../domain/workspace/Team.ts"

const at = DateTime.unsafeMake
const attempt: Run.Attempt = {
  attempt: 1,
  status: "queued",
  stage: "planning",
  executor: "codex",
  costCents: 0,
  failureClass: null,
  error: null,
  verification: null,
  startedAt: null,
  completedAt: null
}
const run = (...attemptList: [Run.Attempt, ...Array<Run.Attempt>]) =>
  new Run.Run({
    key: "run-aaaa" as RunKey,
    team: "payments" as TeamSlug,
    story: "PAY-1" as StoryKey,
    budgetCents: 500,
    pullRequest: null,
    createdAt: at(0),
    attemptList,
    evidence: null,
    inputs: [],
    exceptions: [],
    gateFailures: {}
  })

describe("a run", () => {
  it("shows its latest attempt, everyone's cost, the first start and the last end", () => {
    const shown = Run.progress(
      run(
        { ...attempt, status: "failed", failureClass: "gate", costCents: 7, startedAt: at(1), completedAt: at(2) },
        { ...attempt, attempt: 2, status: "running", stage: "verifying", costCents: 5, startedAt: at(3) }
      )
    )
    assert.deepStrictEqual(shown, {
      status: "running",
      stage: "verifying",
      executor: "codex",
      attempts: 2,
      costCents: 12,
      failureClass: null,
      startedAt: at(1),
      completedAt: null
    })
  })

  it.each(["queued", "running", "waiting"] as const)("that is %s can be stopped", (status) => {
    const { latest } = stop(run({ ...attempt, status }), at(9))
    assert.deepStrictEqual([latest.status, latest.completedAt], ["stopped", at(9)])
  })

  it.each(["succeeded", "failed", "timed_out", "stopped"] as const)("that %s stays as it ended", (status) => {
    const over = run({ ...attempt, status, completedAt: at(5) })
    assert.strictEqual(stop(over, at(9)), over)
  })
})

describe("run keys", () => {
  it.effect("that are drawn are well-formed and use the whole alphabet", () =>
    Effect.gen(function* () {
      const keys = yield* Effect.replicateEffect(Key.draw("run"), 2000)
      for (const key of keys) assert.deepStrictEqual(Run.parseKey(key.toUpperCase()), Option.some(key))
      assert.strictEqual(new Set(keys.flatMap((key) => key.slice(4).split(""))).size, 32)
    })
  )
  it.each(["run-", "run-aaa", "run-aaaaa", "run-aaai", "run-aaal", "run-aaao", "run-aaau", "dec-aaaa", "run_aaaa", ""])(
    "'%s' is none",
    (text) => assert.isTrue(Option.isNone(Run.parseKey(text)))
  )
})

describe("a reported pull request", () => {
  it.each([
    ["https://github.com/acme/pay/pull/7", "7"],
    ["https://github.com/acme/pay/pull/7/files?w=1#diff", "7"],
    ["https://github.com/acme/pull/pull/7", "7"],
    ["https://gitlab.com/acme/pay/-/merge_requests/7", "7"],
    ["https://bitbucket.org/acme/pay/pull-requests/7", "7"],
    ["https://codeberg.org/acme/pay/pulls/7", "7"],
    ["https://dev.azure.com/acme/pay/_git/pay/pullrequest/7", "7"],
    ["https://git.acme.test/changes/7", null],
    ["https://git.acme.test/pull/7x", null]
  ])("at %s has the number %s", (url, number) => {
    assert.strictEqual(Run.numberIn(url), number)
    const is = Schema.is(Run.ReportedPullRequest)
    assert.deepStrictEqual([is({ url, number: 7 }), is({ url, number: 8 })], [true, number === null])
  })
})
