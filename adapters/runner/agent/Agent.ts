import type { Effect } from "effect"
import type { FailureClass } from "../../../domain/work/Run.ts"
import type { Ending } from "../process/Child.ts"
import type { Isolation } from "../process/Isolation.ts"
import type { Marked } from "../process/Survivors.ts"
import type { Loopback } from "./Loopback.ts"

export type Step = "plan" | "spec" | "implement" | "rework"

/** One step for an agent. */
export interface Task {
  readonly step: Step
  readonly prompt: string
  /** The working tree. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly isolation: Isolation
  /** Session to resume, as an earlier step reported it. */
  readonly session: string | null
  /** Tools of the service. */
  readonly mcp: Pick<Loopback, "url" | "isConnected">
  /** Euro cents that are left of the budget. */
  readonly budgetCents: number
  readonly on: (event: AgentEvent) => void
  readonly onStart: (marked: Marked) => void
}

/** An event of an agent at work. */
export type AgentEvent =
  | { readonly type: "output"; readonly line: string }
  | { readonly type: "progress"; readonly text: string }
  /** Cost of this step so far, and the version of the prices that it was reckoned with. */
  | { readonly type: "cost"; readonly costCents: number; readonly prices?: string }
  | { readonly type: "session"; readonly session: string }
  /** The program did not let the agent use a tool. */
  | { readonly type: "refused"; readonly tool: string }

/** Why an agent failed, as far as its program says so. */
export interface Problem {
  readonly failureClass: FailureClass
  readonly words: string
}

export type Result =
  | { readonly type: "done"; readonly text: string }
  | { readonly type: "question"; readonly question: string }
  | { readonly type: "failed"; readonly ending: Ending; readonly problem?: Problem }

/** A kind of agent. It ends all its processes, also when it is interrupted. */
export interface Agent {
  readonly name: string
  readonly version: string | null
  readonly work: (task: Task) => Effect.Effect<Result>
}
