import type { Effect } from "effect"
import type { Ending } from "../process/Child.ts"
import type { Isolation } from "../process/Isolation.ts"
import type { Marked } from "../process/Survivors.ts"

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
  readonly on: (event: AgentEvent) => void
  readonly onStart: (marked: Marked) => void
}

/** An event of an agent at work. */
export type AgentEvent =
  | { readonly type: "output"; readonly line: string }
  | { readonly type: "progress"; readonly text: string }
  /** Cost of this step so far. */
  | { readonly type: "cost"; readonly costCents: number }
  | { readonly type: "session"; readonly session: string }

export type Result =
  | { readonly type: "done"; readonly text: string }
  | { readonly type: "question"; readonly question: string }
  | { readonly type: "failed"; readonly ending: Ending }

/** A kind of agent. It ends all its processes, also when it is interrupted. */
export interface Agent {
  readonly name: string
  readonly version: string | null
  readonly work: (task: Task) => Effect.Effect<Result>
}
