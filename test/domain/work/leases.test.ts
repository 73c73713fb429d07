import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import type { Fact } from "../../../domain/work/RunReport.ts"
import type { Hold } from "../../../domain/work/LeaseRun.ts"
import { release } from "../../../domain/work/RunTransitions.ts"
import {
  foreign,
  handedOff,
  holder,
  later,
  leased,
  leasedWith,
  one,
  other,
  question,
  stage,
  through,
  token
} from "./LeasedRun.ts"
import * as OneRun from "./OneRun.ts"
import * as Sample from "../Sample.ts"

describe("a lease", () => {
  it("begins the attempt, for a minute by a runner and for a day by hand", () => {
    assert.strictEqual(OneRun.place(leased), "running planning in_progress")
    const ends = (at: OneRun.OneRun) => at.run.lease && DateTime.distance(at.now, at.run.lease.expiresAt) / 1000
    assert.strictEqual(ends(leased), 60)
    assert.strictEqual(ends(OneRun.lease(OneRun.queued())), 86_400)
    assert.strictEqual(leased.run.fence, 1)
  })

  it("is held by one: neither a runner nor a person takes a run that is held", () => {
    for (const step of [OneRun.leaseBy(other, token), OneRun.leaseBy(one, token), OneRun.lease])
      assert.strictEqual(step(leased).refusal, "RunNotQueued")
  })

  it.each([
    ["another fence", { fence: 2 }],
    ["an older fence", { fence: 0 }],
    ["another lease", { lease: "00000000-0000-4000-9000-000000000077" as never }],
    ["the token of another runner", { token: foreign }]
  ])("is refused with %s, and nothing changes", (_, more) => {
    for (const step of [OneRun.reportAs(holder(leased, more), [stage]), OneRun.finishAs(holder(leased, more))]) {
      const after = step(leased)
      assert.deepStrictEqual([after.refusal, after.run, after.entries], ["LeaseLost", leased.run, leased.entries])
    }
  })

  it("is over at its deadline, not before", () => {
    const reported = OneRun.reportAs(holder(leased), [stage])
    assert.strictEqual(through(leased, later(59), reported).refusal, null)
    assert.strictEqual(through(leased, later(60), reported).refusal, "LeaseLost")
  })

  it("keeps a person with another lease out, and their own in", () => {
    assert.strictEqual(OneRun.report(stage)(leased).refusal, "LeaseLost")
    const byHand = OneRun.lease(OneRun.queued())
    assert.strictEqual(OneRun.report(stage)(byHand).refusal, null)
    const fenced = (fence: number): Hold => ({ by: "hand", fence, fresh: Sample.fresh.job as never })
    assert.strictEqual(OneRun.reportAs(fenced(1), [stage])(byHand).refusal, null)
    assert.strictEqual(OneRun.reportAs(fenced(2), [stage])(byHand).refusal, "LeaseLost")
  })

  it("ends when the run waits, when it is handed off and when it ends", () => {
    const leaseAfter = (...facts: [Fact, ...Array<Fact>]) => OneRun.reportAs(holder(leased), facts)(leased).run.lease
    assert.isNotNull(leaseAfter(stage))
    assert.isNull(leaseAfter(question))
    assert.isNull(leaseAfter(handedOff))
    assert.isNull(OneRun.finishAs(holder(leased), "failed")(leased).run.lease)
    assert.isNull(OneRun.stop(leased).run.lease)
  })
})

describe("a report", () => {
  const sent = (seq: number) => ({ seq, session: null })

  it("is applied once, also when its lease ended with it", () => {
    const first = OneRun.reportAs(holder(leased), [question], sent(1))(leased)
    assert.strictEqual(OneRun.place(first), "waiting planning in_progress clarification")
    const again = OneRun.reportAs(holder(leased), [question], sent(1))(first)
    assert.deepStrictEqual([again.refusal, again.run, again.decisions], ["Repeated", first.run, first.decisions])
    const next = OneRun.reportAs(holder(leased), [stage], sent(2))(first)
    assert.strictEqual(next.refusal, "LeaseLost")
  })

  it("that ends the run may be sent again", () => {
    const ended = OneRun.finishAs(holder(leased), "failed")(leased)
    assert.strictEqual(OneRun.finishAs(holder(leased), "failed")(ended).refusal, "Repeated")
    assert.strictEqual(OneRun.finishAs(holder(leased, { fence: 1 }), "succeeded")(ended).refusal, "Repeated")
  })

  const third = OneRun.reportAs(holder(leased), [stage], sent(3))(leased)
  const asked = OneRun.reportAs(holder(leased), [question], sent(3))(leased)
  const ended = OneRun.finishAs(holder(leased), "failed")(third)

  it("may leave numbers out; one at or below the last is a repetition", () => {
    for (const seq of [1, 2, 3])
      assert.strictEqual(OneRun.reportAs(holder(third), [stage], sent(seq))(third).refusal, "Repeated")
    assert.isNull(OneRun.reportAs(holder(third), [stage], sent(7))(third).refusal)
  })

  it.each([
    ["another fence", { fence: 2 }],
    ["an older fence", { fence: 0 }],
    ["another lease", { lease: "00000000-0000-4000-9000-000000000077" as never }],
    ["the token of another runner", { token: foreign }]
  ])("with an old number and %s is refused", (_, more) => {
    for (const at of [third, asked, ended]) {
      assert.strictEqual(OneRun.reportAs(holder(at, more), [stage], sent(1))(at).refusal, "LeaseLost")
      assert.strictEqual(OneRun.finishAs(holder(at, more), "failed")(at).refusal, "LeaseLost")
    }
  })

  it.each([
    ["lapsed", later(60)(third)],
    ["was lost", OneRun.lose("it was not renewed for 60 s")(third)],
    ["was stopped by a person", OneRun.stop(third)]
  ])("with an old number is refused when its lease %s", (_, at) => {
    assert.strictEqual(OneRun.reportAs(holder(third), [stage], sent(3))(at).refusal, "LeaseLost")
  })

  it("is answered again when the lease ended with it, or with the end of the run", () => {
    for (const at of [asked, ended, OneRun.resolve("answer", "Euro")(asked)])
      assert.strictEqual(OneRun.reportAs(holder(leased), [stage], sent(3))(at).refusal, "Repeated")
  })

  it("hands the branch to the code host", () => {
    const at = OneRun.reportAs(holder(leased), [handedOff])(leased)
    assert.strictEqual(OneRun.place(at), "running handing_off review")
    const { type: _, ...payload } = handedOff
    assert.deepStrictEqual<unknown>(
      at.jobs.map((job) => [job.kind, job.payload]),
      [["open_pull_request", payload]]
    )
    assert.strictEqual(OneRun.leaseBy(one, token)(at).refusal, "RunNotQueued")
    const service: Hold = { by: "service", attempt: 1 }
    const opened = OneRun.reportAs(service, [
      { type: "pull_request", pullRequest: { url: "https://gatehouse.test/acme/pulls/1", number: 1 } },
      { type: "verification", status: "passed", summary: "3 of 3 gates passed." }
    ])(at)
    assert.strictEqual(OneRun.place(opened), "waiting handing_off review merge_approval")
  })
})

describe("the service's own work on a run", () => {
  const service = (attempt: number): Hold => ({ by: "service", attempt })
  const handed = OneRun.reportAs(holder(leased), [handedOff])(leased)
  const again = through(handed, OneRun.stop, OneRun.retry(), OneRun.leaseBy(other, token))
  const held = OneRun.reportAs(holder(again), [{ type: "stage", stage: "handing_off" }])(again)
  const failure: Fact = { type: "failure", failureClass: "dependency", error: "It conflicts." }

  it("fails an attempt that was handed off to it, also while that waits", () => {
    const waiting = OneRun.reportAs(service(1), [{ type: "main_red", reason: "Tests fail." }])(handed)
    for (const at of [handed, waiting]) {
      const failed = through(at, OneRun.reportAs(service(1), [failure]), OneRun.finishAs(service(1), "failed"))
      assert.deepStrictEqual([failed.refusal, failed.run.latest.status], [null, "failed"])
    }
  })

  it.each([
    ["that a runner works on", leased, 1],
    ["that a person works on", OneRun.lease(OneRun.queued()), 1],
    ["that nobody holds, before its hand-off", { ...leased, run: release(leased.run) }, 1],
    ["that came after its own", again, 1],
    ["that came after its own and hands off", held, 1],
    ["that a runner holds while it hands off", held, 2]
  ] as const)("leaves an attempt %s", (_, at, attempt) => {
    assert.strictEqual(OneRun.reportAs(service(attempt), [failure])(at).refusal, "LeaseLost")
    assert.strictEqual(OneRun.finishAs(service(attempt), "failed")(at).refusal, "LeaseLost")
  })
})

describe("the end of a run by its runner", () => {
  const alone = leasedWith({ mergePolicy: "verified" })
  const verified = (status: "passed" | "failed" | "skipped") =>
    OneRun.reportAs(holder(alone), [{ type: "verification", status, summary: "Done." }])(alone)

  it("is no success before a verification", () => {
    const implementing = OneRun.reportAs(holder(leased), [stage])(leased)
    for (const at of [leased, implementing, verified("failed")])
      for (const outcome of ["succeeded", null] as const)
        assert.strictEqual(OneRun.finishAs(holder(at), outcome)(at).refusal, "NotVerified")
    for (const outcome of ["failed", "timed_out"] as const)
      assert.strictEqual(OneRun.finishAs(holder(leased), outcome)(leased).run.latest.status, outcome)
  })

  it("is a success after one that passed, or that the story needs not", () => {
    for (const at of [verified("passed"), verified("skipped")])
      assert.strictEqual(OneRun.finishAs(holder(at))(at).run.latest.status, "succeeded")
  })

  it("by hand needs none: a person answers for it", () => {
    const byHand = OneRun.lease(OneRun.queued())
    assert.strictEqual(OneRun.finish("succeeded")(byHand).run.latest.status, "succeeded")
  })
})

describe("the plan of an attempt", () => {
  const first = leasedWith({ planApproval: "always" })
  const planned = OneRun.reportAs(holder(first), [{ type: "plan_ready", plan: "Refund by part.", size: null }])(first)

  it("is kept with the run until the next attempt", () => {
    assert.strictEqual(planned.run.plan, "Refund by part.")
    const approved = OneRun.resolve("approve_plan", "Mind the cents")(planned)
    assert.strictEqual(approved.run.plan, "Refund by part.")
    assert.isNull(through(approved, OneRun.stop, OneRun.retry()).run.plan)
    assert.isNull(OneRun.lose("it was not renewed for 60 s")(OneRun.leaseBy(one, token)(approved)).run.plan)
  })
})
