import { Struct } from "effect"
import type { ResolvedView } from "../../../application/work/Decisions.ts"
import type { DecisionView } from "../../../domain/work/Decision.ts"
import type { RunView } from "../../../domain/work/Run.ts"
import type { StoryView } from "../../../domain/work/Story.ts"
import type { TeamView } from "../../../domain/workspace/Team.ts"

const team: typeof TeamView.Encoded = {
  id: "0b5cbb1e-6ac8-4f0e-9d1c-4b7c3f3d8f11",
  slug: "payments",
  name: "Payments",
  description: "Card payments, refunds, payouts and the ledger.",
  keyPrefix: "PAY",
  paused: false,
  policy: {
    preset: "standard",
    custom: false,
    version: 2,
    executor: "claude-code",
    maxConcurrency: 3,
    budgets: { runCents: 500, dayCents: 10_000, monthCents: 100_000 },
    planApproval: "large_stories",
    mergePolicy: "small_changes",
    pausedAt: null,
    updatedAt: "2026-09-14T12:00:00.000Z"
  },
  createdAt: "2026-09-01T07:00:00.000Z",
  updatedAt: "2026-09-14T12:00:00.000Z"
}

const story: typeof StoryView.Encoded = {
  id: "5d0c1f7a-31f5-4a53-8a0e-0c8ee0a4b0d2",
  key: "PAY-12",
  title: "Refund a captured payment from the order page",
  team: "payments",
  column: { id: "in_progress", name: "In progress", role: "in_progress" },
  draft: false,
  readinessScore: 100,
  size: "s",
  complexity: "medium",
  classOfService: "standard",
  tracker: {
    platform: "github",
    key: "acme/payments#318",
    url: "https://github.com/acme/payments/issues/318"
  },
  createdAt: "2026-09-01T08:12:00.000Z",
  updatedAt: "2026-09-03T08:14:00.000Z",
  description: "A refund belongs on the order page, where the person already is.",
  acceptanceCriteria: [
    { id: "ac-1", text: "A captured payment shows a Refund button to support staff.", status: "pending" }
  ],
  runKeys: ["run-7f3k"]
}

const run: typeof RunView.Encoded = {
  key: "run-7f3k",
  team: "payments",
  story: { key: "PAY-12", title: "Refund a captured payment from the order page" },
  status: "waiting",
  stage: "planning",
  executor: "claude-code",
  attempts: 1,
  costCents: 48,
  budgetCents: 500,
  failureClass: null,
  pullRequest: null,
  startedAt: "2026-09-03T07:31:00.000Z",
  completedAt: null,
  createdAt: "2026-09-03T07:30:00.000Z",
  attemptList: [
    {
      attempt: 1,
      status: "waiting",
      stage: "planning",
      executor: "claude-code",
      costCents: 48,
      failureClass: null,
      error: null,
      verification: null,
      startedAt: "2026-09-03T07:31:00.000Z",
      completedAt: null
    }
  ],
  evidence: null,
  decisions: [{ key: "dec-4m2q", kind: "plan_approval", status: "pending" }]
}

const decision: typeof DecisionView.Encoded = {
  key: "dec-4m2q",
  kind: "plan_approval",
  authority: "member",
  title: "Plan: refund from the order page",
  body: "1. Add the button.\n2. Call the refund endpoint.\n3. Show the refund in the order's history.",
  status: "pending",
  recommendation: "approve",
  options: [
    { id: "approve", label: "Approve the plan", action: "approve_plan", recommended: true },
    { id: "change", label: "Ask for changes", action: "request_changes", recommended: false }
  ],
  team: "payments",
  story: "PAY-12",
  runKey: "run-7f3k",
  resolution: null,
  resolvedVia: null,
  resolvedAt: null,
  expiresAt: "2026-09-06T07:40:00.000Z",
  createdAt: "2026-09-03T07:40:00.000Z"
}

const resolved: typeof ResolvedView.Encoded = {
  ...decision,
  status: "resolved",
  resolution: { optionId: "approve", note: "Please keep the button out of the print view." },
  resolvedVia: "api",
  resolvedAt: "2026-09-03T08:14:00.000Z",
  effects: [
    {
      type: "plan_approved",
      status: "done",
      summary: "The plan of dec-4m2q is approved",
      ref: { type: "decision", id: "dec-4m2q" }
    },
    {
      type: "implementation_started",
      status: "done",
      summary: "run-7f3k implements the plan",
      ref: { type: "run", id: "run-7f3k" }
    }
  ]
}

const alert = {
  title: "Checkout answers 5xx",
  status: "firing",
  fingerprint: "checkout-5xx",
  severity: "critical",
  service: "checkout",
  environment: "production",
  startedAt: "2026-11-14T09:12:30Z",
  labels: { region: "eu-west-1" },
  links: [{ label: "Dashboard", url: "https://grafana.example.com/d/checkout" }]
}

/** One example of each component of requests and responses. */
export const examples: { readonly [component: string]: unknown } = {
  Team: team,
  StorySummary: Struct.omit(story, "description", "acceptanceCriteria", "runKeys"),
  Story: story,
  RunSummary: Struct.omit(run, "attemptList", "evidence", "decisions"),
  Run: run,
  Decision: decision,
  Resolution: resolved.resolution,
  ResolvedDecision: resolved,
  ResolutionStep: resolved.effects[0],
  GenericAlert: alert,
  GenericAlerts: { alerts: [alert, { title: "Disk is full", status: "resolved", id: "disk-7" }] },
  Accepted: { deliveryId: "6f0e2a53-5d1c-4a57-9f0c-3f2f6f6f1b7e", accepted: 2, duplicates: 0, rejected: [] }
}
