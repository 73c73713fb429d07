import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { byService } from "../../../domain/workspace/Actor.ts"
import { type Decision, Kind } from "../../../domain/work/Decision.ts"
import type { Settings } from "../../../domain/workspace/Policy.ts"
import { raise } from "../../../domain/work/RaiseDecision.ts"
import { raisedBy, settingsOf, usual } from "../../../domain/work/DecisionTriggers.ts"
import type { Fact } from "../../../domain/work/RunReport.ts"
import type { Attempt, Run } from "../../../domain/work/Run.ts"
import { Size } from "../../../domain/work/Story.ts"
import * as Sample from "../Sample.ts"

const running = Sample.run("running")
const policyOf = (settings: Partial<Settings>) => settingsOf(Sample.policy(settings))

/** The kind of the required decision; such a decision can always be raised. */
const kindOf = (fact: Fact, settings: Partial<Settings> = {}, run: Run | null = running): Kind | null => {
  const ask = raisedBy(policyOf(settings), run, fact)
  if (ask === null) return null
  const { answer } = Either.getOrThrow(raise(byService, Sample.raising({ run }), ask))
  assert.strictEqual(Either.getOrThrow(answer).kind, ask.kind)
  return ask.kind
}

const reason = "Because."
const passed: Fact = { type: "verification", status: "passed", summary: "Green" }
const failed: Fact = { type: "verification", status: "failed", summary: "Red" }
const latest = (more: Partial<Attempt>) => Sample.runOf([Sample.attempt("running", "verifying", more)])
const verified = (status: "passed" | "failed" | "skipped") =>
  latest({ verification: { status, summary: "", completedAt: Sample.before } })
const granted = (kind: Kind, subject: string | null = null) =>
  Sample.run("running", "implementing", {
    exceptions: [{ decision: "dec-9999" as Decision["key"], kind, subject }]
  })

/** A fact that raises each kind. */
const facts: Record<Kind, readonly [Fact, Partial<Settings>, Run]> = {
  plan_approval: [{ type: "plan_ready", plan: "First this.", size: "m" }, { planApproval: "always" }, running],
  policy_exception: [{ type: "path_needed", path: ".kanman/acceptance/a.md", reason }, {}, running],
  clarification: [{ type: "question", question: "Which currency?" }, {}, running],
  budget_stop: [{ type: "cost", costCents: 500 }, {}, running],
  verification_failed: [failed, {}, verified("failed")],
  gate_failure: [{ type: "spec_failed", reason }, {}, running],
  diff_guard: [{ type: "spec_changed", reason }, {}, running],
  repeated_gate_failure: [{ type: "gate_failed", gate: "lint", reason }, { gateFailureBudget: 0 }, running],
  merge_approval: [passed, { mergePolicy: "manual" }, running],
  revert_approval: [{ type: "main_broken", merge: "abc123", reason }, {}, running],
  main_red_incident: [{ type: "main_red", reason }, {}, running],
  maintenance_proposal: [{ type: "maintenance_found", title: "Old driver", reason }, {}, running],
  strategy_proposal: [{ type: "feature_idea", title: "Wish lists", reason }, {}, running],
  scope_change: [{ type: "scope_grew", reason }, {}, running]
}

describe("people are asked", () => {
  it.each(Kind.literals)("for every kind there is a fact that raises it: %s", (kind) => {
    const [fact, settings, run] = facts[kind]
    assert.strictEqual(kindOf(fact, settings, run), kind)
  })

  it.each(Kind.literals)("with all that a decision may offer, one of it recommended: %s", (kind) => {
    const { options, recommendation } = usual(kind)
    assert.include(
      options.map(({ id }) => id),
      recommendation
    )
    assert.notStrictEqual(recommendation, "allow_once")
  })

  it.each(Kind.literals)("about a story or a team without a word of a run: %s", (kind) => {
    for (const about of ["story", "team"] as const)
      for (const { label } of usual(kind, about).options) assert.notMatch(label, /\brun\b/)
  })

  it("in words on one line, whatever an agent calls its find", () => {
    const titled = (title: string) => raisedBy(settingsOf(null), running, { type: "maintenance_found", title, reason })
    assert.strictEqual(titled("Old\ndriver \u202E")?.title, "Old driver \uFFFD")
    assert.strictEqual(titled("\u200B")?.title, "maintenance proposal")
  })

  const quiet: ReadonlyArray<Fact> = [
    { type: "stage", stage: "verifying" },
    { type: "evidence", evidence: { gates: [], acceptance: [], demonstrate: [], diff: null } },
    { type: "pull_request", pullRequest: { url: "https://git.test/pull/7", number: 7 } },
    { type: "merged" },
    { type: "failure", failureClass: "transient", error: "Boom" },
    { type: "verification", status: "skipped", summary: "" }
  ]
  it.each(quiet.map((fact) => [fact.type, fact] as const))("about nothing when told of %s", (_, fact) =>
    assert.isNull(kindOf(fact, { planApproval: "always", mergePolicy: "manual", gateFailureBudget: 0 }))
  )

  it("about everything in a team without a policy", () => {
    const plan: Fact = { type: "plan_ready", plan: "", size: "xs" }
    const small = Sample.run("running", "verifying", { evidence: diff(1, 0) })
    assert.strictEqual(raisedBy(settingsOf(null), running, plan)?.kind, "plan_approval")
    assert.strictEqual(raisedBy(settingsOf(null), small, passed)?.kind, "merge_approval")
  })
})

const diff = (additions: number, deletions: number) => ({
  gates: [],
  acceptance: [],
  demonstrate: [],
  diff: { files: 1, additions, deletions, commit: null }
})

describe("a plan", () => {
  const asked = { always: [null, ...Size.literals], large_stories: ["l", "xl"], never: [] } as const
  it.each(["always", "large_stories", "never"] as const)("is approved %s", (planApproval) => {
    for (const size of [null, ...Size.literals])
      assert.strictEqual(
        kindOf({ type: "plan_ready", plan: "", size }, { planApproval }),
        asked[planApproval].some((one) => one === size) ? "plan_approval" : null,
        `${size}`
      )
  })
})

describe("the budget", () => {
  const spent = (...costs: [number, ...Array<number>]) => {
    const [first, ...rest] = costs.map((costCents, index) =>
      Sample.attempt(index === costs.length - 1 ? "running" : "failed", "implementing", {
        attempt: index + 1,
        costCents
      })
    )
    return Sample.runOf([first ?? Sample.attempt("running", "planning"), ...rest])
  }
  it.each([
    ["one cent below", spent(0), 499, null],
    ["reached", spent(0), 500, "budget_stop"],
    ["one cent above", spent(0), 501, "budget_stop"],
    ["one cent below over three attempts", spent(200, 200, 0), 99, null],
    ["reached over three attempts", spent(200, 200, 0), 100, "budget_stop"],
    ["one cent above over three attempts", spent(200, 200, 50), 101, "budget_stop"],
    ["a report that comes twice counts once", spent(300), 300, null],
    ["a report that comes late does not lower it", spent(400, 100), 1, "budget_stop"]
  ] as const)("%s", (_, run, costCents, kind) => assert.strictEqual(kindOf({ type: "cost", costCents }, {}, run), kind))

  it("says what was spent of what", () =>
    assert.strictEqual(
      raisedBy(policyOf({}), spent(200, 200, 0), { type: "cost", costCents: 150 })?.body,
      "The run cost 550 of 500 cents so far."
    ))
})

describe("a verification that fails", () => {
  const second = Sample.runOf([
    { ...verified("failed").latest, status: "failed" },
    Sample.attempt("running", "verifying", { attempt: 2 })
  ])
  it.each([
    ["for the first time is reworked", latest({}), null],
    ["again after rework asks", verified("failed"), "verification_failed"],
    ["after one that passed is reworked", verified("passed"), null],
    ["after one that was skipped is reworked", verified("skipped"), null],
    ["for the first time in a new attempt is reworked", second, null]
  ] as const)("%s", (_, run, kind) => assert.strictEqual(kindOf(failed, {}, run), kind))
})

describe("a verification that failed, which a person allowed", () => {
  const allowed: Fact = { type: "verification", status: "failed", summary: "1 of 2 gates passed.", allowed: true }
  const gates = (["failed", "passed"] as const).map((status) => ({
    name: `${status} gate`,
    status,
    summary: null,
    url: null,
    completedAt: null
  }))
  const pullRequest = { url: "https://git.test/pull/7", number: 7 }
  const small = (kind: Kind, subject: string | null) =>
    Sample.run("running", "handing_off", {
      pullRequest,
      evidence: { ...diff(1, 0), gates },
      exceptions: [{ decision: "dec-9999" as Decision["key"], kind, subject }]
    })

  it.each([
    ["small_changes", small("verification_failed", null)],
    ["small_changes", small("repeated_gate_failure", "failed gate")],
    ["verified", small("verification_failed", null)],
    ["manual", small("verification_failed", null)]
  ] as const)("needs an approval to merge, whatever the policy: %s", (mergePolicy, run) =>
    assert.strictEqual(kindOf(allowed, { mergePolicy }, run), "merge_approval")
  )

  it("says so when no decision allowed it, whatever the runner says", () => {
    const { body, kind } = raisedBy(policyOf({ mergePolicy: "verified" }), running, allowed) ?? {}
    assert.strictEqual(kind, "merge_approval")
    assert.include(body, "No decision of the run allowed that.")
  })

  it("names the gate and the decision that allowed it", () =>
    assert.deepInclude(raisedBy(policyOf({}), small("verification_failed", null), allowed), {
      title: "Merge pull request #7 although its verification failed?",
      body: [
        "The pull request is https://git.test/pull/7.",
        "The verification did not pass: the gate failed gate failed. A person allowed the run to go on in dec-9999.",
        "1 of 2 gates passed."
      ].join("\n\n")
    }))
})

describe("a gate that fails", () => {
  const lint: Fact = { type: "gate_failed", gate: "lint", reason }
  const after = (gateFailures: Record<string, number>) => Sample.run("running", "verifying", { gateFailures })
  it.each([
    ["within its budget", { lint: 1 }, 2, null],
    ["more often than its budget", { lint: 2 }, 2, "repeated_gate_failure"],
    ["at all, with a budget of none", {}, 0, "repeated_gate_failure"],
    ["while another failed too often", { tests: 9, lint: 0 }, 2, null]
  ] as const)("%s", (_, failures, gateFailureBudget, kind) =>
    assert.strictEqual(kindOf(lint, { gateFailureBudget }, after(failures)), kind)
  )

  it.each(["constructor", "toString", "__proto__"])("is counted whatever it is called: %s", (gate) =>
    assert.strictEqual(
      raisedBy(policyOf({ gateFailureBudget: 0 }), running, { type: "gate_failed", gate, reason })?.title,
      `The gate ${gate} failed once`
    )
  )
})

describe("a decision names its subject, in title and body", () => {
  const pullRequest = { url: "https://git.test/pull/7", number: 7 }
  const proposed = Sample.run("running", "verifying", { pullRequest })
  it.each([
    ["the path", facts.policy_exception[0], running, ".kanman/acceptance/a.md", ".kanman/acceptance/a.md"],
    ["the gate", facts.repeated_gate_failure[0], running, "lint", "lint"],
    ["the merge", facts.revert_approval[0], running, "abc123", "abc123"],
    ["the pull request", passed, proposed, "#7", pullRequest.url]
  ] as const)("%s", (_, fact, run, inTitle, inBody) => {
    const ask = raisedBy(policyOf({ gateFailureBudget: 0, mergePolicy: "manual" }), run, fact)
    assert.include(ask?.title, inTitle)
    assert.include(ask?.body, inBody)
    assert.include(ask?.body, fact.type === "verification" ? "Green" : reason)
  })
})

describe("a verified change", () => {
  const of = (additions: number, deletions: number) =>
    Sample.run("running", "verifying", { evidence: diff(additions, deletions) })
  const unknown = Sample.run("running", "verifying", { evidence: { ...diff(0, 0), diff: null } })
  it.each([
    ["manual", of(0, 0), "merge_approval"],
    ["manual", unknown, "merge_approval"],
    ["small_changes", of(120, 80), null],
    ["small_changes", of(120, 81), "merge_approval"],
    ["small_changes", of(0, 201), "merge_approval"],
    ["small_changes", of(0, 0), null],
    ["small_changes", unknown, "merge_approval"],
    ["small_changes", running, "merge_approval"],
    ["verified", of(9999, 9999), null],
    ["verified", unknown, null]
  ] as const)("merges by itself as the policy says: %s", (mergePolicy, run, kind) =>
    assert.strictEqual(kindOf(passed, { mergePolicy, mergeMaxLines: 200 }, run), kind)
  )
})

describe("an exception", () => {
  it.each([
    ["policy_exception", ".kanman/acceptance/a.md"],
    ["gate_failure", null],
    ["diff_guard", null],
    ["repeated_gate_failure", "lint"]
  ] as const)("of %s holds for this run, this kind and this subject alone", (kind, subject) => {
    const [fact, settings] = facts[kind]
    const other = subject === null ? "something" : `${subject}x`
    assert.isNull(kindOf(fact, settings, granted(kind, subject)))
    assert.strictEqual(kindOf(fact, settings, granted(kind, other)), kind)
    assert.strictEqual(kindOf(fact, settings, granted("scope_change", subject)), kind)
    assert.strictEqual(kindOf(fact, settings, running), kind)
  })

  it("of a failed verification holds for this run alone", () => {
    const run = verified("failed")
    const allowed = Sample.runOf(run.attemptList, { exceptions: granted("verification_failed").exceptions })
    assert.isNull(kindOf(failed, {}, allowed))
    assert.strictEqual(kindOf(failed, {}, run), "verification_failed")
  })

  it.each(["plan_approval", "budget_stop", "merge_approval", "scope_change"] as const)("is never of %s", (kind) => {
    const [fact, settings] = facts[kind]
    assert.strictEqual(kindOf(fact, settings, granted(kind)), kind)
  })
})
