import { assert, describe, it } from "@effect/vitest"
import { holder, later, leased, one, other, question, stage, through, token } from "./LeasedRun.ts"
import * as OneRun from "./OneRun.ts"

describe("after an answer", () => {
  const resumed = through(leased, OneRun.reportAs(holder(leased), [question]), OneRun.resolve("answer", "Euro"))

  it("the last runner has two minutes, then any may take the run; the attempt stays the same", () => {
    assert.isNull(resumed.run.lease)
    assert.strictEqual(OneRun.leaseBy(other, token)(resumed).refusal, "RunNotQueued")
    for (const at of [
      OneRun.leaseBy(one, token)(resumed),
      through(resumed, later(120), OneRun.leaseBy(other, token))
    ]) {
      assert.deepStrictEqual([at.refusal, at.run.fence, at.run.attemptList.length], [null, 2, 1])
      assert.strictEqual(OneRun.reportAs(holder(leased), [stage])(at).refusal, "LeaseLost")
    }
  })

  it("a person may take it at once", () => assert.isNull(OneRun.lease(resumed).refusal))

  it("the agent that takes the run has the answer", () => {
    assert.deepStrictEqual(
      resumed.jobs.map(({ kind, status }) => [kind, status]),
      [["tell_agent", "queued"]]
    )
    const at = OneRun.leaseBy(one, token)(resumed)
    assert.deepStrictEqual([at.jobs[0]?.status, at.run.inputsTaken], ["done", 1])
  })

  it("being held by nobody is no lapse", () => assert.strictEqual(OneRun.lose("nobody")(resumed).run, resumed.run))
})

describe("a lost lease", () => {
  const lost = OneRun.lose("it was not renewed for 60 s")

  it("fails the attempt as transient and queues the next", () => {
    const at = lost(leased)
    const [first, second] = at.run.attemptList
    assert.deepStrictEqual([first.status, first.failureClass, second?.status], ["failed", "transient", "queued"])
    assert.strictEqual(first.error, "The lease was lost: it was not renewed for 60 s")
    assert.deepStrictEqual(
      at.entries.slice(-2).map(({ actor, event }) => [event, actor.type]),
      [
        ["lease_lost", "system"],
        ["run_state_changed", "system"]
      ]
    )
  })

  it("three times in a row ends the run, and says so", () => {
    const again = OneRun.leaseBy(one, token)
    const at = through(leased, lost, again, lost, again, lost)
    assert.deepStrictEqual([at.run.latest.status, at.run.attemptList.length], ["failed", 3])
    assert.match(at.run.latest.error ?? "", /3 leases in a row were lost/)
    assert.isNull(OneRun.retry()(at).refusal)
  })

  it("is forgotten when an attempt gets as far as a question, or a person retries", () => {
    const again = OneRun.leaseBy(one, token)
    const twice = through(leased, lost, again, lost, again)
    const asked = through(twice, OneRun.reportAs(holder(twice), [question]), OneRun.resolve("answer", "Euro"), again)
    assert.strictEqual(lost(asked).run.latest.status, "queued")
    const retried = through(twice, OneRun.stop, OneRun.retry(), again, lost)
    assert.strictEqual(retried.run.latest.status, "queued")
  })
})

describe("two questions of one run", () => {
  it("are two decisions; the same question is one", () => {
    const both = OneRun.reportAs(holder(leased), [question, { type: "question", question: "Which locale?" }])(leased)
    assert.deepStrictEqual(
      OneRun.pending(both).map(({ body }) => body),
      ["Which currency?", "Which locale?"]
    )
    const [first] = OneRun.pending(both)
    const resumed = OneRun.resolve("answer", "Euro")(both)
    assert.strictEqual(OneRun.place(resumed), "waiting planning in_progress clarification")
    assert.match(first?.subject ?? "", /^[0-9a-f]{16}$/)
  })
})
