import { Duration } from "effect"
import { assert, describe, it } from "vitest"
import { plan, waitAfter } from "../../application/jobs/Backoff.ts"

const { longest, tries } = plan(false)

describe("the wait after a failed try", () => {
  it.each([
    [1, "1s"],
    [2, "2s"],
    [3, "4s"],
    [4, "8s"],
    [5, "16s"],
    [6, "32s"],
    [7, "1m 4s"],
    [8, "2m 8s"],
    [9, "4m 16s"],
    [10, "8m 32s"],
    [11, "17m 4s"],
    [12, "34m 8s"],
    [13, "1h"],
    [19, "1h"],
    [2000, "1h"]
  ])("number %i is %s", (failed, wait) => {
    assert.strictEqual(Duration.format(waitAfter(failed, Duration.seconds(1), longest)), wait)
  })

  it("adds up to a working day", () => {
    const waits = Array.from({ length: tries - 1 }, (_, index) => waitAfter(index + 1, Duration.seconds(1), longest))
    assert.strictEqual(Duration.format(waits.reduce(Duration.sum)), "8h 8m 15s")
  })

  it("is two minutes at most where somebody waits in the night, for as long", () => {
    const urgent = plan(true)
    const waits = Array.from({ length: urgent.tries - 1 }, (_, index) =>
      waitAfter(index + 1, Duration.seconds(1), urgent.longest)
    )
    assert.strictEqual(Duration.format(waits.at(-1) ?? 0), "2m")
    assert.isAbove(Duration.toHours(waits.reduce(Duration.sum)), 8)
  })
})
