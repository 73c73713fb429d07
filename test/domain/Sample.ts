import { DateTime, Either } from "effect"
import { type By, bySystem } from "../../domain/workspace/Actor.ts"
import { answer, type DecisionContext } from "../../domain/work/ResolveDecision.ts"
import { type Action, actions, Decision, type DecisionKey, type Kind } from "../../domain/work/Decision.ts"
import { Policy, presets, type Settings } from "../../domain/workspace/Policy.ts"
import type { RaiseContext } from "../../domain/work/RaiseDecision.ts"
import { type Attempt, Run, type RunStatus, type Stage } from "../../domain/work/Run.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import { type ColumnRole, columnOf, Story, type StoryId, type StoryKey } from "../../domain/work/Story.ts"
import { type KeyPrefix, Team, type TeamId, type TeamSlug } from "../../domain/workspace/Team.ts"
import type { JobId } from "../../domain/work/Job.ts"

export const now = DateTime.unsafeMake("2026-03-02T10:00:00.000Z")
export const before = DateTime.unsafeMake("2026-03-01T10:00:00.000Z")

export const ana: By = { actor: { type: "human", name: "Ana", userId: "u-1" }, requestId: "req-1", channel: "slack" }

const uuid = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`

export const fresh = {
  job: uuid(1) as JobId,
  story: uuid(2) as StoryId,
  storyKey: "PAY-77" as StoryKey,
  run: "run-7777" as RunKey
}

export const policy = (settings: Partial<Settings> = {}): Policy =>
  new Policy({ ...presets.standard, ...settings, preset: "standard", custom: true, version: 1, updatedAt: before })

export const team = (of: Policy | null = policy(), more: Partial<Team> = {}): Team =>
  new Team({
    id: uuid(3) as TeamId,
    slug: "payments" as TeamSlug,
    name: "Payments",
    description: null,
    keyPrefix: "PAY" as KeyPrefix,
    pausedAt: null,
    policy: of,
    trackerProject: null,
    repositories: [],
    createdAt: before,
    updatedAt: null,
    deletedAt: null,
    ...more
  })

export const story = (role: ColumnRole = "in_progress", more: Partial<Story> = {}): Story =>
  new Story({
    id: uuid(4) as StoryId,
    key: "PAY-1" as StoryKey,
    title: "Refund in part",
    team: "payments" as TeamSlug,
    column: columnOf(role),
    draft: false,
    readinessScore: 100,
    size: "m",
    complexity: null,
    classOfService: "standard",
    tracker: null,
    createdAt: before,
    updatedAt: before,
    description: "Why",
    acceptanceCriteria: [],
    demonstrate: [],
    testPlan: null,
    returnNote: null,
    rejectedAt: null,
    ...more
  })

export const attempt = (status: RunStatus, stage: Stage, more: Partial<Attempt> = {}): Attempt => ({
  attempt: 1,
  status,
  stage,
  executor: "codex",
  costCents: 0,
  failureClass: null,
  error: null,
  verification: null,
  startedAt: status === "queued" ? null : before,
  completedAt: null,
  ...more
})

type RunFields = Partial<Omit<Run, "latest">>

export const runOf = (attemptList: readonly [Attempt, ...ReadonlyArray<Attempt>], more: RunFields = {}): Run =>
  new Run({
    key: "run-aaaa" as RunKey,
    team: "payments" as TeamSlug,
    story: "PAY-1" as StoryKey,
    budgetCents: 500,
    pullRequest: null,
    createdAt: before,
    attemptList,
    evidence: null,
    inputs: [],
    exceptions: [],
    gateFailures: {},
    ...more
  })

export const run = (status: RunStatus, stage: Stage = "implementing", more: RunFields = {}): Run =>
  runOf([attempt(status, stage)], more)

/** A pending decision that offers two options; the first is recommended, and its id is its action. */
export const decision = (kind: Kind, action: Action, more: Partial<Decision> = {}): Decision => {
  const other = actions[kind].find((one) => one !== action) ?? action
  return new Decision({
    key: "dec-aaaa" as DecisionKey,
    kind,
    authority: "member",
    title: "Which way?",
    body: "Because.",
    status: "pending",
    recommendation: action,
    options: [action, other].map((one) => ({ id: one, label: `Do ${one}`, action: one, recommended: one === action })),
    team: "payments" as TeamSlug,
    story: "PAY-1" as StoryKey,
    runKey: "run-aaaa" as RunKey,
    resolution: null,
    resolvedVia: null,
    resolvedAt: null,
    expiresAt: DateTime.add(now, { hours: 72 }),
    createdAt: before,
    subject: null,
    resolvedBy: null,
    ...more
  })
}

/** Another decision that the same run waits for. */
export const another = decision("clarification", "answer", { key: "dec-bbbb" as DecisionKey })

/** A run that waits for this decision and another one. */
export const matter = (asked: Decision, of: Run | null = run("waiting", "verifying")): DecisionContext => ({
  now,
  team: team(),
  story: story(),
  run: of,
  pending: [asked, another],
  mergeHold: null,
  decision: asked,
  fresh
})

/** Ana takes the recommended option. */
export const answered = (at: DecisionContext, note: string | null = null) => {
  const command = { by: ana, role: "member", channel: "slack", optionId: at.decision.recommendation, note } as const
  const { answer: told, change } = Either.getOrThrow(answer(command, bySystem)(at))
  return { change, run: change.changed?.runs?.[0], ...Either.getOrThrow(told) }
}

export const raising = (more: Partial<RaiseContext> = {}): RaiseContext => ({
  now,
  team: team(),
  story: story(),
  run: run("running"),
  pending: [],
  freshDecisions: ["dec-0001", "dec-0002", "dec-0003"] as Array<DecisionKey>,
  declined: [],
  ...more
})
