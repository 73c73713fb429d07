import { FastCheck as fc } from "effect"
import type { Channel } from "../../domain/workspace/Actor.ts"
import type { Action, Kind } from "../../domain/work/Decision.ts"
import type { Role } from "../../domain/workspace/Member.ts"
import type { Settings } from "../../domain/workspace/Policy.ts"
import type { Fact } from "../../domain/work/RunReport.ts"
import type { Stage } from "../../domain/work/Run.ts"

/** Actions that each kind may offer, as the rulings list them. */
export const offers: Readonly<Record<Kind, ReadonlyArray<Action>>> = {
  plan_approval: ["approve_plan", "request_changes", "reject", "abandon"],
  policy_exception: ["allow_once", "request_changes", "reject", "abandon"],
  clarification: ["answer", "abandon"],
  budget_stop: ["raise_budget", "abandon"],
  verification_failed: ["retry", "request_changes", "allow_once", "abandon"],
  gate_failure: ["retry", "request_changes", "allow_once", "abandon"],
  repeated_gate_failure: ["retry", "request_changes", "allow_once", "abandon"],
  diff_guard: ["revert_spec_and_retry", "allow_once", "reject", "abandon"],
  merge_approval: ["merge", "request_changes", "reject", "abandon"],
  revert_approval: ["open_revert", "decline_proposal"],
  main_red_incident: ["open_revert", "retry", "decline_proposal"],
  maintenance_proposal: ["accept_proposal", "decline_proposal"],
  strategy_proposal: ["accept_proposal", "decline_proposal"],
  scope_change: ["approve_plan", "request_changes", "reject", "abandon"]
}

export const people = ["owner", "admin", "member", "guest"] as const
export type Name = (typeof people)[number]
export type TeamName = "pay" | "web"
export type Content = { readonly description: boolean; readonly criteria: boolean; readonly demonstrate: boolean }
export type Place = { readonly run: number } | { readonly story: number } | { readonly team: TeamName }

/** Null names the lease taken by hand. */
type Fence = number | null

/** Numbers choose among the existing stories, runs or decisions. */
export type Step = { readonly as: Name } & (
  | { readonly do: "create"; readonly team: TeamName; readonly story: NewStory }
  | { readonly do: "edit"; readonly story: number; readonly title: "Renamed" | "" | null; readonly content: Content }
  | { readonly do: "approve" | "reject" | "start"; readonly story: number }
  | { readonly do: "lease"; readonly team: TeamName | null; readonly run: number | null; readonly isService: boolean }
  | { readonly do: "report"; readonly run: number; readonly facts: ReadonlyArray<Fact>; readonly fence: Fence }
  | {
      readonly do: "finish"
      readonly run: number
      readonly outcome: "succeeded" | "failed" | "timed_out" | null
      readonly fence: Fence
    }
  | { readonly do: "stop"; readonly run: number }
  | { readonly do: "retry"; readonly run: number; readonly note: string | null }
  | { readonly do: "raise"; readonly place: Place; readonly ask: Asked }
  | {
      readonly do: "answer"
      readonly decision: number
      readonly option: number
      readonly note: string | null
      readonly via: Channel
    }
  | { readonly do: "pass"; readonly hours: number }
  | { readonly do: "sweep" | "tick" }
  | { readonly do: "pause" | "resume"; readonly team: TeamName }
  | { readonly do: "delete"; readonly team: TeamName; readonly isSure: boolean }
  | {
      readonly do: "policy"
      readonly team: TeamName
      readonly preset: "trial" | "standard"
      readonly settings: Settings
    }
  | { readonly do: "add"; readonly who: Name; readonly role: Role }
  | { readonly do: "remove"; readonly who: Name }
)

export interface NewStory extends Content {
  readonly draft: boolean
  readonly column: "backlog" | "ready"
  readonly size: "s" | "xl" | null
  readonly isExpedite: boolean
}

export interface Asked {
  readonly kind: Kind
  readonly authority: Role
  readonly title: string
  readonly subject: string | null
  readonly options: ReadonlyArray<Action>
}

const among = fc.constantFrom
const fence = among(null, null, null, null, null, 1, 2)
const titles = among("Tidy up", "A new idea")
const note = among(null, "mind the edge")
const as = fc.oneof({ weight: 7, arbitrary: among("owner" as const) }, { weight: 5, arbitrary: among(...people) })
const team = fc.oneof({ weight: 3, arbitrary: among("pay" as const) }, { weight: 1, arbitrary: among("web" as const) })
const near = fc.oneof({ weight: 5, arbitrary: among(0) }, { weight: 4, arbitrary: fc.nat(3) })
const content = { description: fc.boolean(), criteria: fc.boolean(), demonstrate: fc.boolean() }
const full = fc.constant({ description: true, criteria: true, demonstrate: true })
const anyContent = fc.oneof(full, fc.record(content))

const story = fc
  .tuple(
    anyContent,
    fc.record({
      draft: fc.boolean(),
      column: among("backlog" as const, "ready" as const),
      size: among("s" as const, "xl" as const, null),
      isExpedite: fc.boolean()
    })
  )
  .map(([parts, rest]): NewStory => ({ ...parts, ...rest }))

const evidence = (lines: number): Fact => ({
  type: "evidence",
  evidence: {
    gates: [{ name: "unit", status: "passed", summary: null, url: null, completedAt: null }],
    acceptance: [{ criterionId: "ac-1", status: lines > 10 ? "failed" : "passed" }],
    demonstrate: [],
    diff: { files: 1, additions: lines, deletions: 0, commit: null }
  }
})

const fact: fc.Arbitrary<Fact> = fc.oneof(
  among<Stage>("planning", "implementing", "verifying", "handing_off", "done").map((stage): Fact => ({
    type: "stage",
    stage
  })),
  among(0, 150, 250, 600).map((costCents): Fact => ({ type: "cost", costCents })),
  among(1, 90).map(evidence),
  among<"passed" | "failed" | "skipped">("passed", "failed", "failed", "skipped").map((status): Fact => ({
    type: "verification",
    status,
    summary: ""
  })),
  among<Fact>(
    { type: "pull_request", pullRequest: { url: "https://example.test/pull/7", number: 7 } },
    { type: "merged" },
    { type: "failure", failureClass: "transient", error: "out of memory" },
    { type: "plan_ready", plan: "1. do it", size: null },
    { type: "question", question: "Which?" },
    { type: "question", question: "When?" },
    {
      type: "handed_off",
      repository: "acme/pay",
      branch: "gatehouse/PAY-1",
      head: "abc",
      base: "main",
      title: "It works",
      summary: ""
    }
  ),
  among("src/a.ts", "secrets/key", ".kanman/acceptance/a.spec.ts").map((path): Fact => ({
    type: "path_needed",
    path,
    reason: ""
  })),
  among("unit", "lint").map((gate): Fact => ({ type: "gate_failed", gate, reason: "" })),
  among<Fact>(
    { type: "spec_failed", reason: "" },
    { type: "spec_changed", reason: "" },
    { type: "main_broken", merge: "abc", reason: "" },
    { type: "main_red", reason: "" },
    { type: "scope_grew", reason: "" }
  ),
  titles.chain((title) =>
    among<Fact>({ type: "maintenance_found", title, reason: "" }, { type: "feature_idea", title, reason: "" })
  )
)

const kinds = Object.keys(offers) as ReadonlyArray<Kind>

const ask: fc.Arbitrary<Asked> = among(...kinds).chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    authority: among("member", "member", "admin", "owner"),
    title: titles,
    subject: among(null, null, "secrets/key"),
    options: fc.oneof(
      { weight: 8, arbitrary: fc.shuffledSubarray([...offers[kind]], { minLength: 2 }) },
      { weight: 1, arbitrary: fc.constant(offers[kind].slice(0, 1)) },
      { weight: 1, arbitrary: fc.constant<Array<Action>>(["answer", "merge"]) }
    )
  })
)

const settings: fc.Arbitrary<Settings> = fc.record({
  executor: among("codex"),
  maxConcurrency: among(0, 1, 2, 3),
  budgets: fc.record({ runCents: among(null, 200, 1000), dayCents: among(null, 300), monthCents: among(null, 400) }),
  planApproval: among("always", "large_stories", "never"),
  mergePolicy: among("manual", "small_changes", "verified"),
  deniedPaths: among([".kanman/acceptance/**"], [".kanman/acceptance/**", "secrets/**"]),
  acceptanceSpecRequired: among(true, true, false),
  gateFailureBudget: among(0, 1),
  mergeMaxLines: among(10),
  decisionHours: among(1, 72)
})

const place: fc.Arbitrary<Place> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ run: near }) },
  { weight: 1, arbitrary: fc.record({ story: near }) },
  { weight: 1, arbitrary: fc.record({ team }) }
)

type Of<S, Do> = S extends { readonly do: infer D } ? (Do extends D ? Omit<S, "do" | "as"> : never) : never

const way = <const Do extends Step["do"]>(
  weight: number,
  todo: Do,
  fields: { readonly [K in keyof Of<Step, Do>]: fc.Arbitrary<Of<Step, Do>[K]> }
) => ({
  weight,
  arbitrary: fc.record({ do: fc.constant(todo), as, ...fields }) as fc.Arbitrary<unknown> as fc.Arbitrary<Step>
})

const step: fc.Arbitrary<Step> = fc.oneof(
  way(4, "create", { team, story }),
  way(3, "edit", { story: near, title: among("Renamed", "", null), content: anyContent }),
  way(2, "approve", { story: near }),
  way(2, "reject", { story: near }),
  way(5, "start", { story: near }),
  way(14, "lease", { team: fc.option(team), run: among(null, null, 0, 1), isService: fc.boolean() }),
  way(28, "report", {
    run: near,
    fence,
    facts: fc.uniqueArray(fact, { minLength: 1, maxLength: 3, selector: ({ type }) => type })
  }),
  way(5, "finish", { run: near, fence, outcome: among("succeeded", "failed", "timed_out", null) }),
  way(3, "stop", { run: near }),
  way(5, "retry", { run: near, note }),
  way(12, "raise", { place, ask }),
  way(26, "answer", {
    decision: near,
    option: fc.integer({ min: -1, max: 3 }),
    note,
    via: among("app", "slack", "mcp", "api")
  }),
  way(5, "pass", { hours: among(1, 5, 30, 80) }),
  way(4, "sweep", {}),
  way(9, "tick", {}),
  way(2, "pause", { team }),
  way(3, "resume", { team }),
  way(1, "delete", { team, isSure: fc.boolean() }),
  way(5, "policy", { team, preset: among("trial", "standard"), settings }),
  way(2, "add", { who: among(...people), role: among("member", "admin", "owner") }),
  way(2, "remove", { who: among(...people) })
)

/** Most sequences begin with unfinished work. */
export const sequence: fc.Arbitrary<ReadonlyArray<Step>> = fc
  .tuple(fc.nat(4), fc.array(step, { minLength: 1, maxLength: 50, size: "max" }))
  .map(([leased, steps]) => {
    const lease: Step = { do: "lease", as: "owner", team: null, run: null, isService: true }
    const begun: ReadonlyArray<Step> = leased === 0 ? [] : [{ do: "tick", as: "owner" }]
    return [...begun, ...Array.from({ length: leased - 1 }, () => lease), ...steps]
  })
