import type { Channel } from "../../../../domain/workspace/Actor.ts"
import type { Role } from "../../../../domain/workspace/Member.ts"
import type { DecisionStatus, Kind } from "../../../../domain/work/Decision.ts"
import type { JobKind, JobView } from "../../../../domain/work/Job.ts"

/** Kinds of decisions as people know them. */
export const kinds: Readonly<Record<Kind, string>> = {
  plan_approval: "Plan approval",
  policy_exception: "Policy exception",
  clarification: "Question",
  budget_stop: "Budget used up",
  verification_failed: "Verification failed",
  gate_failure: "Gate failed",
  diff_guard: "Protected files changed",
  repeated_gate_failure: "Gate failed again",
  merge_approval: "Merge approval",
  revert_approval: "Revert approval",
  main_red_incident: "Main branch red",
  maintenance_proposal: "Maintenance proposal",
  strategy_proposal: "Strategy proposal",
  scope_change: "Scope change"
}

/** States of a decision as an icon, a tone and words. */
export const decisionStates = {
  pending: ["person", "wait", "Waits for a person"],
  resolved: ["check", "ok", "Answered"],
  expired: ["clock", "warn", "Expired"],
  cancelled: ["minus", "line", "Withdrawn"],
  superseded: ["minus", "line", "Replaced"]
} as const satisfies Record<DecisionStatus, unknown>

export const authorities: Readonly<Record<Role, string>> = {
  member: "Any member may answer",
  admin: "Admins and owners",
  owner: "Owners"
}

export const channels: Readonly<Record<Channel, string>> = {
  app: "in the app",
  slack: "in Slack",
  mcp: "through MCP",
  api: "through the API"
}

export const euros = (cents: number): string => `${(cents / 100).toFixed(2)} €`

export const firstName = (name: string): string => name.split(/\s+/)[0] ?? name

const waitsFor: Readonly<Partial<Record<JobKind, string>>> = {
  merge_pull_request: "Waiting for the code host",
  open_revert: "Waiting for the code host",
  restore_spec: "Waiting for the runner"
}

export interface StepState {
  readonly tone: "ok" | "run" | "bad"
  readonly words: string
}

/** State of a step that another system does. A job that is gone was done and deleted. */
export const stateOf = (job: JobView | undefined): StepState => {
  if (job === undefined || job.status === "done") return { tone: "ok", words: "Done" }
  if (job.status === "failed") return { tone: "bad", words: `Failed: ${job.error ?? "no reason was given"}` }
  if (job.hold !== null) return { tone: "run", words: `Held by ${job.hold.decision}` }
  if (job.kind === "tell_agent") return { tone: "run", words: "Waiting for a runner to take it" }
  if (job.status === "no_adapter") return { tone: "run", words: "Waiting: nothing is connected that does this" }
  return { tone: "run", words: waitsFor[job.kind] ?? "Waiting" }
}
