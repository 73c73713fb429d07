import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either } from "effect"
import type { LeaseId } from "../../../domain/work/Lease.ts"
import * as LeaseRun from "../../../domain/work/LeaseRun.ts"
import { Run } from "../../../domain/work/Run.ts"
import { release, withLatest } from "../../../domain/work/RunTransitions.ts"
import { refusal } from "../Outcome.ts"
import * as Sample from "../Sample.ts"
import { foreign, handedOff, holder, later, leased, one, other, question, stage, through, token } from "./LeasedRun.ts"
import * as OneRun from "./OneRun.ts"

const fresh = Sample.fresh.job as string as LeaseId
const byHand = (fence: number | null): LeaseRun.Hold => ({ by: "hand", fence, fresh })
const service = (attempt: number): LeaseRun.Hold => ({ by: "service", attempt })
const looked = (at: OneRun.OneRun, hold: LeaseRun.Hold) =>
  Either.getOrThrow(Either.flip(LeaseRun.look(hold)(OneRun.runMatter(at))))

const freed = { ...leased, run: release(leased.run) }
const queued = OneRun.queued()
const taken = OneRun.lease(queued)
const handed = OneRun.reportAs(holder(leased), [handedOff])(leased)
const lease = String(leased.run.lease?.id)
const elsewhere = "00000000-0000-4000-9000-000000000077" as LeaseId

describe("the refusal of a holder", () => {
  it.each([
    ["whose lease was given back", freed, holder(leased), lease, "it was given back or lost"],
    ["whose run is queued", queued, { ...holder(leased) }, lease, "run-aaaa is queued"],
    ["whose run is over", OneRun.stop(leased), holder(leased), lease, "run-aaaa is stopped"],
    ["who came too late", later(60)(leased), holder(leased), lease, "it was not renewed for 60 s"],
    ["with another number", leased, holder(leased, { fence: 7 }), lease, "fence must be 1; got 7"],
    ["with another lease", leased, holder(leased, { lease: elsewhere }), elsewhere, "lease 1 holds run-aaaa"],
    [
      "with the same lease and another token",
      leased,
      holder(leased, { token: foreign }),
      lease,
      "lease 1 holds run-aaaa"
    ],
    ["by hand, while a runner holds the run", leased, byHand(null), "of run-aaaa", "lease 1 holds run-aaaa"],
    [
      "by hand with a number, while nobody holds the run",
      freed,
      byHand(3),
      "3 of run-aaaa",
      "it was given back or lost"
    ],
    ["by hand after a day", later(86_400)(taken), byHand(1), "1 of run-aaaa", "it was not finished in time"],
    ["within the service, of another attempt", handed, service(2), "of run-aaaa", "it was given back or lost"]
  ] as const)("%s names the reason", (_, at, hold, name, reason) => {
    const refused = looked(at, hold)
    assert.deepStrictEqual({ ...refused }, { _tag: "LeaseLost", lease: name, reason } as never)
    assert.include(refused.message, reason)
  })

  it.each([
    ["a runner", leased, holder(leased)],
    ["a person with a lease", taken, byHand(1)],
    ["a person without a number", taken, byHand(null)],
    ["the service after a hand-off", handed, service(1)],
    ["the service at the end", { ...handed, run: withLatest(handed.run, { stage: "done" }) }, service(1)]
  ] as const)("is none for %s, who sees the run", (_, at, hold) => {
    const seen = looked(at, hold)
    assert.deepStrictEqual("progress" in seen && seen.progress, {
      raised: [],
      mergeHold: null,
      run: at.run,
      story: at.story
    })
  })
})

describe("a person who reports on a run that nobody holds", () => {
  const held = (at: OneRun.OneRun) => Either.getOrThrow(LeaseRun.held(OneRun.runMatter(at), byHand(null)))

  it("takes it for a day while it runs, and leaves it as it is otherwise", () => {
    const { lease } = held(freed)
    assert.deepInclude(Object(lease), { id: fresh, fence: 2, runner: null, token: null, credential: null })
    assert.deepStrictEqual(lease?.expiresAt, DateTime.add(leased.now, { days: 1 }))
    assert.strictEqual(held(queued).lease, null)
  })
})

describe("a lease", () => {
  const asked = OneRun.reportAs(holder(leased), [question])(leased)
  const why = (at: OneRun.OneRun, hold = holder(leased)) =>
    refusal(LeaseRun.whyOver(hold as Extract<LeaseRun.Hold, { by: "runner" }>)(OneRun.runMatter(at)))

  it.each([
    ["of a run that waits", asked, holder(leased), "Seen"],
    ["of a run that is over", OneRun.stop(leased), holder(leased), "Seen"],
    ["of a run that waits, by another token", asked, holder(leased, { token: foreign }), "LeaseLost"],
    ["that was given back", freed, holder(leased), "LeaseLost"],
    ["that was lost", OneRun.lose("it was removed")(leased), holder(leased), "LeaseLost"],
    ["that lasts", leased, holder(leased), "Seen"],
    ["that lapsed", later(60)(leased), holder(leased), "LeaseLost"],
    [
      "of a run that another one took",
      through(asked, OneRun.resolve("answer", "Euro"), OneRun.lease),
      holder(leased),
      "LeaseLost"
    ]
  ] as const)("%s ended as its holder expects, or was lost", (_, at, hold, expected) =>
    assert.strictEqual(why(at, hold), expected)
  )

  it("is recorded with its number and its runner", () => {
    assert.deepInclude(OneRun.leaseBy(one, token)(queued).entries.at(-1)?.details, { fence: 1, runner: one })
  })

  it("of a run that a person held before may be taken by any runner after an answer", () => {
    const resumed = through(taken, OneRun.report(question), OneRun.resolve("answer", "Euro"))
    assert.isNull(OneRun.leaseBy(other, token)(resumed).refusal)
    const unasked = { ...freed, run: new Run({ ...freed.run, resumedAt: null }) }
    assert.isNull(OneRun.leaseBy(other, token)(unasked).refusal)
  })
})

describe("a report", () => {
  it("that is a repetition is answered with the state of the run", () => {
    const { progress } = LeaseRun.repeated(OneRun.runMatter(leased))
    assert.deepStrictEqual(progress, { raised: [], mergeHold: null, run: leased.run, story: leased.story })
  })

  it("names the session of its agent, which stays until another one", () => {
    const sent = (seq: number, session: string | null) => OneRun.reportAs(holder(leased), [stage], { seq, session })
    const first = sent(1, "s-1")(leased)
    assert.deepStrictEqual([first.run.session, first.run.lastLease?.released], ["s-1", false])
    assert.strictEqual(sent(2, null)(first).run.session, "s-1")
    assert.strictEqual(sent(2, "s-2")(first).run.session, "s-2")
  })

  it.each([
    ["with the first report", leased.run, 0, true],
    ["before the last report", LeaseRun.counted(leased.run, { seq: 3, session: null }), 2, false],
    ["with the last report", LeaseRun.counted(leased.run, { seq: 3, session: null }), 3, true],
    ["of a run that was never leased", queued.run, 3, false]
  ])("comes with a part of the log, taken or dropped: %s", (_, run, seq, expected) =>
    assert.strictEqual(LeaseRun.takesLog(run, seq), expected)
  )

  it("on a run that was never leased is counted nowhere", () => {
    assert.strictEqual(LeaseRun.finished(queued.run), queued.run)
    assert.strictEqual(LeaseRun.counted(queued.run, { seq: 1, session: "s" }), queued.run)
    assert.isFalse(LeaseRun.isRepeated(OneRun.runMatter(queued), holder(leased), 0))
    assert.isFalse(LeaseRun.isFinished(queued.run, holder(leased)))
  })
})
