import { Either, Schema } from "effect"
import { assert, describe, it } from "vitest"
import type { Decided } from "../../../domain/Change.ts"
import { Decision, type DecisionKey } from "../../../domain/work/Decision.ts"
import { finality } from "../../../domain/work/DecisionErrors.ts"
import { isHoldable, isUrgent, JobKind, JobStatus } from "../../../domain/work/Job.ts"
import * as Run from "../../../domain/work/Run.ts"
import { Fact } from "../../../domain/work/RunReport.ts"
import type { LeaseId } from "../../../domain/work/Lease.ts"
import * as LeaseRun from "../../../domain/work/LeaseRun.ts"
import type { Progress, RunContext } from "../../../domain/work/RunContext.ts"
import * as Transactions from "../../../domain/work/RunTransactions.ts"
import * as Transitions from "../../../domain/work/RunTransitions.ts"
import * as Sample from "../Sample.ts"

const at = (more: Partial<RunContext> = {}): RunContext => ({
  ...Sample.raising(),
  story: Sample.story(),
  run: Sample.run("running"),
  mergeHold: null,
  freshJob: Sample.fresh.job,
  undelivered: [],
  ...more
})
const id = "00000000-0000-4000-9000-000000000001" as LeaseId
const taker: LeaseRun.Taker = { id, runner: null, token: null, credential: null }
const hand: LeaseRun.Hold = { by: "hand", fence: null, fresh: id }
type Working = Either.Either<Decided<Progress>, unknown>
const told = (decided: Working) => Either.getOrThrow(Either.getOrThrow(decided).answer)
const changed = (decided: Working) => Either.getOrThrow(decided).change
const quiet = { raised: [], mergeHold: null }
const pullRequest = { url: "https://git.test/pull/7", number: 7 }
const hold = { decision: "dec-rrrr" as DecisionKey, status: "pending", since: Sample.before } as const
const passed = { type: "verification", status: "passed", summary: "Green" } as const

describe("the worker on a run is told the run, its story, and what was asked", () => {
  it.each<readonly [string, () => Working]>([
    ["when it leases it", () => LeaseRun.lease(Sample.ana, at({ run: Sample.run("queued", "planning") }), taker)],
    ["when it ends", () => Transactions.finish(Sample.ana, hand, "failed")(at())],
    ["when it is stopped", () => Transactions.stop(Sample.ana)(at())],
    ["when it is tried again", () => Transactions.retry(Sample.ana, null)(at({ run: Sample.run("failed") }))]
  ])("%s", (_, work) => {
    const decided = work()
    const { runs } = changed(decided).changed ?? {}
    assert.deepStrictEqual(told(decided), { run: runs?.[0], story: Sample.story(), ...quiet } as never)
    assert.isUndefined(changed(decided).changed?.stories)
  })

  it("when it asks", () => {
    const decided = Transactions.report(Sample.ana, hand, [{ type: "question", question: "Which way?" }])(at())
    const { raised, run } = told(decided)
    assert.deepStrictEqual(
      raised.map(({ key, kind }) => [key, kind]),
      [["dec-0001", "clarification"]]
    )
    assert.strictEqual(run.latest.status, "waiting")
    assert.deepStrictEqual(changed(decided).added?.decisions, raised)
  })

  it("when the same is asked already, nothing is asked again; something else is", () => {
    const question = { type: "path_needed", path: "infra/a.tf", reason: "x" } as const
    const team = Sample.team(Sample.policy({ deniedPaths: [".kanman/acceptance/**", "infra/**"] }))
    const same = Sample.decision("policy_exception", "allow_once", { subject: "infra/a.tf" })
    const other = Sample.decision("policy_exception", "allow_once", { subject: "infra/b.tf" })
    const kind = Sample.decision("diff_guard", "allow_once", { subject: "infra/a.tf" })
    for (const [pending, count] of [
      [same, 0],
      [other, 1],
      [kind, 1]
    ] as const) {
      const decided = Transactions.report(Sample.ana, hand, [question])(at({ team, pending: [pending] }))
      assert.strictEqual(told(decided).raised.length, count)
    }
  })
})

describe("a merge while the main branch is red", () => {
  const run = Sample.run("running", "verifying", { pullRequest })
  const team = (mergePolicy: "manual" | "verified") => Sample.team(Sample.policy({ mergePolicy }))

  it("is held, and the worker and the audit log are told by what", () => {
    const decided = Transactions.report(Sample.ana, hand, [passed])(
      at({ run, team: team("verified"), mergeHold: hold })
    )
    assert.deepStrictEqual<unknown>(told(decided).mergeHold, hold)
    const { added, audit } = changed(decided)
    assert.deepStrictEqual<unknown>(
      added?.jobs?.map(({ kind, payload }) => [kind, payload]),
      [["merge_pull_request", { pullRequest }]]
    )
    assert.deepInclude(audit[0].details, { mergeHold: { ...hold, since: "2026-03-01T10:00:00.000Z" } })
  })

  it("is held by a break that the same report tells of", () => {
    const facts = [passed, { type: "main_red", reason: "Tests fail" }] as const
    const decided = Transactions.report(Sample.ana, hand, [...facts])(at({ run, team: team("verified") }))
    assert.strictEqual(told(decided).mergeHold?.decision, told(decided).raised[0]?.key)
    assert.strictEqual(told(decided).raised[0]?.kind, "main_red_incident")
  })

  it("is not held by other questions of the same report", () => {
    const found = { type: "maintenance_found", title: "Upgrade", reason: "Old" } as const
    const decided = Transactions.report(Sample.ana, hand, [passed, found])(at({ run, team: team("verified") }))
    assert.deepStrictEqual([told(decided).raised.length, told(decided).mergeHold], [1, null])
    assert.strictEqual(changed(decided).added?.jobs?.length, 1)
  })

  it("is approved by somebody who reads of it", () => {
    const decided = Transactions.report(Sample.ana, hand, [passed])(at({ run, team: team("manual"), mergeHold: hold }))
    const [{ body } = { body: "" }] = told(decided).raised
    assert.match(body, /\n\nThe merge is held by dec-rrrr \(pending\) since .+ is resolved\.$/)
    const quiet = Transactions.report(Sample.ana, hand, [{ ...passed, summary: "" }])(
      at({ run, team: team("manual"), mergeHold: hold })
    )
    assert.match(told(quiet).raised[0]?.body ?? "", /^The pull request is \S+\.\n\nThe merge is held/)
    assert.isNull(told(decided).mergeHold)
    const free = Transactions.report(Sample.ana, hand, [passed])(at({ run, team: team("manual") }))
    assert.notInclude(told(free).raised[0]?.body, "The merge is")
  })

  it("is nothing that other questions tell of", () => {
    const decided = Transactions.report(Sample.ana, hand, [{ type: "question", question: "?" }])(
      at({ mergeHold: hold })
    )
    assert.notInclude(told(decided).raised[0]?.body, "The merge is")
  })
})

describe("runs", () => {
  it("that cannot end so say what they cannot report", () => {
    const refused = Transactions.finish(Sample.ana, hand, "succeeded")(at({ run: Sample.run("waiting") }))
    assert.include(Either.getOrThrow(Either.flip(refused)).message, "it cannot report that it succeeded: answer")
  })

  it("whose story is done stay so, with or without a pull request", () => {
    const done = Sample.story("done")
    const { story } = told(
      Transactions.finish(
        Sample.ana,
        hand,
        null
      )(at({ run: Sample.run("running", "done", { pullRequest }), story: done }))
    )
    assert.strictEqual(story, done)
  })

  it("take no empty note, and go on in the stage they are sent to", () => {
    const run = Sample.run("waiting", "verifying")
    assert.strictEqual(Transitions.tell(run, { decision: null, action: "retry", note: "" }), run)
    assert.strictEqual(Transitions.tell(run, { decision: null, action: "retry", note: null }), run)
    assert.strictEqual(Transitions.resume(run, Sample.now, "implementing").latest.stage, "implementing")
    assert.strictEqual(Transitions.resume(run, Sample.now).latest.stage, "verifying")
  })

  it("started when their first attempt that began did", () => {
    const started = Sample.attempt("failed", "planning", { startedAt: Sample.now, costCents: 3 })
    const stopped = Sample.attempt("stopped", "planning", { startedAt: null, costCents: 4 })
    const run = Sample.runOf([stopped, started, Sample.attempt("queued", "planning", { attempt: 3 })])
    const { attempts, costCents, startedAt } = Run.progress(run)
    assert.deepStrictEqual([attempts, costCents, startedAt], [3, 7, Sample.now])
    assert.isNull(Run.progress(Sample.run("queued")).startedAt)
    assert.strictEqual(Run.failuresOf(run, "constructor"), 0)
  })

  it.each([
    { type: "merged" },
    { type: "stage", stage: "verifying" },
    { type: "cost", costCents: 5 },
    { type: "gate_failed", gate: "lint", reason: "" }
  ])("report %j", (fact) => assert.deepStrictEqual<unknown>(Schema.decodeUnknownSync(Fact)(fact), fact))
})

describe("jobs", () => {
  it("that merge are held until they begin", () => {
    const held = JobKind.literals.flatMap((kind) =>
      JobStatus.literals.filter((status) => isHoldable({ kind, status })).map((status) => `${kind} ${status}`)
    )
    assert.deepStrictEqual(held, ["merge_pull_request queued", "merge_pull_request no_adapter"])
  })

  it("about incidents are urgent", () =>
    assert.deepStrictEqual(JobKind.literals.filter(isUrgent), [
      "follow_incident",
      "investigate_incident",
      "notify_member",
      "post_to_place",
      "update_source"
    ]))
})

describe("a decision that is refused names the field and the reason", () => {
  const valid = Schema.encodeSync(Decision)(Sample.decision("plan_approval", "approve_plan"))
  const [first, second] = valid.options
  const refused = (more: object) => {
    const found = Either.flip(Schema.decodeUnknownEither(Decision)({ ...valid, ...more }))
    return Either.getOrThrow(found).message
  }
  it.each<readonly [object, string, string]>([
    [
      { options: [first, { ...second, action: "merge" }] },
      '["options"][1]["action"]',
      "plan_approval may offer approve_plan, request_changes, reject, abandon"
    ],
    [{ options: [first, { ...second, id: first?.id }] }, '["options"]', "option ids must be unique"],
    [{ recommendation: "z" }, '["recommendation"]', "must be one of the option ids: approve_plan, request_changes"],
    [
      { options: [first, { ...second, recommended: true }] },
      '["options"]',
      "exactly the recommended option is marked recommended"
    ],
    [{ resolvedVia: "app" }, '["resolvedVia"]', "only a resolved decision has it"],
    [{ resolvedAt: "2026-03-01T10:00:00.000Z" }, '["resolvedAt"]', "only a resolved decision has it"],
    [
      { status: "resolved", resolution: { optionId: "z", note: null } },
      '["resolution"]["optionId"]',
      "must be one of the option ids: approve_plan, request_changes"
    ]
  ])("%#", (more, path, message) => {
    const text = refused(more)
    assert.include(text, path)
    assert.include(text, message)
  })

  it("as one answered before, even where the answer was not kept", () => {
    const resolved = { status: "resolved", resolvedBy: "Ana", resolvedVia: "app", resolvedAt: Sample.before } as const
    const asked = Sample.decision("plan_approval", "approve_plan", resolved)
    assert.strictEqual(
      finality(asked)?.message,
      "dec-aaaa was answered already by Ana at 2026-03-01T10:00:00.000Z via app. The first answer stands."
    )
    const kept = { ...resolved, resolution: { optionId: "request_changes", note: null } }
    assert.include(
      finality(Sample.decision("plan_approval", "approve_plan", kept))?.message,
      "with 'Do request_changes'"
    )
    assert.isNull(finality(Sample.decision("plan_approval", "approve_plan")))
  })
})
