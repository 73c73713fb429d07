import { DateTime } from "effect"
import { assert, describe, it } from "vitest"
import { lanesOf, spanOf, withQuestion } from "../../../adapters/http/web/runs/Lanes.ts"
import { type Attempt, queuedAttempt, type RunHistory } from "../../../domain/work/Run.ts"

const at = (minute: number) => DateTime.unsafeMake(minute * 60_000)

const attempt = (number: number, from: number | null, to: number | null, status: Attempt["status"]): Attempt => ({
  ...queuedAttempt(number, "custom"),
  status,
  startedAt: from === null ? null : at(from),
  completedAt: to === null ? null : at(to)
})

const state = (minute: number, fields: Partial<Omit<RunHistory[number], "at">>): RunHistory[number] => ({
  at: at(minute),
  status: null,
  stage: null,
  attempt: null,
  ...fields
})

const words = (attempts: ReadonlyArray<Attempt>, history: RunHistory, now = 100) =>
  lanesOf(attempts, history, at(now)).map(({ attempt: { attempt: number }, pieces }) => [
    number,
    ...pieces.map(({ doing, from, to }) => `${doing} ${from.epochMillis / 60_000}-${to.epochMillis / 60_000}`)
  ])

describe("the lanes of a run", () => {
  it("have the stages of each attempt, and the time it waited for a person", () => {
    const history = [
      state(0, { status: "queued", stage: "planning", attempt: 1 }),
      state(10, { status: "running" }),
      state(20, { stage: "implementing" }),
      state(30, { stage: "verifying" }),
      state(40, { status: "failed" }),
      state(45, { status: "queued", attempt: 2, stage: "planning" }),
      state(50, { status: "running" }),
      state(60, { status: "waiting" }),
      state(80, { status: "running", stage: "implementing" })
    ]
    const attempts = [attempt(1, 10, 40, "failed"), attempt(2, 50, null, "running")]
    assert.deepStrictEqual(words(attempts, history), [
      [1, "planning 10-20", "implementing 20-30", "verifying 30-40"],
      [2, "planning 50-60", "waiting 60-80", "implementing 80-100"]
    ])
    assert.deepStrictEqual(spanOf(lanesOf(attempts, history, at(100)), at(100)), [600_000, 6_000_000])
  })

  it("show that an attempt worked where no stage was recorded", () => {
    const imported = [state(90, { status: "waiting" })]
    assert.deepStrictEqual(words([attempt(1, 10, null, "waiting")], imported), [[1, "worked 10-90", "waiting 90-100"]])
    assert.deepStrictEqual(words([attempt(1, 10, 40, "succeeded")], imported), [[1, "worked 10-40"]])
  })

  it("show since when an imported run waits, by its question", () => {
    const imported = withQuestion([state(90, { status: "waiting" })], 2, { createdAt: at(60) })
    const attempts = [attempt(1, 10, 20, "failed"), attempt(2, 30, null, "waiting")]
    assert.deepStrictEqual(words(attempts, imported), [
      [1, "worked 10-20"],
      [2, "worked 30-60", "waiting 60-100"]
    ])
    assert.deepStrictEqual(withQuestion([], 1, undefined), [])
  })

  it("leave out an attempt that has not begun, and last a moment at least", () => {
    assert.deepStrictEqual(words([attempt(1, null, null, "queued")], []), [])
    const [lane] = lanesOf([attempt(1, 10, 10, "stopped")], [], at(100))
    assert.deepStrictEqual(lane?.pieces, [])
    assert.deepStrictEqual(spanOf([lane as never], at(100)), [600_000, 601_000])
  })
})
