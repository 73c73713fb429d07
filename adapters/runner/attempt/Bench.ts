import { Data, type Effect } from "effect"
import type { FailureClass } from "../../../domain/work/Run.ts"
import type { RunnerSettings } from "../../RunnerSettings.ts"
import type { Agent } from "../agent/Agent.ts"
import type { Say } from "../Output.ts"
import type { Isolation } from "../process/Isolation.ts"
import type { Places } from "../Records.ts"
import type { Service } from "../ServiceClient.ts"
import type { End, Intervals } from "./LeaseLine.ts"

/** Everything the attempts of a runner share. */
export interface Bench {
  readonly settings: RunnerSettings
  readonly service: Service
  readonly intervals: Intervals
  readonly places: Places
  readonly isolation: Isolation
  readonly agents: ReadonlyMap<string, Agent>
  readonly say: Say
  /** Values that no log may show. */
  readonly secrets: ReadonlyArray<string>
  /** Serialises changes of one repository. */
  readonly locked: (address: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Keys of the trees that are worked on. */
  readonly live: Set<string>
  /** Leases nothing more. */
  readonly drain: Effect.Effect<void>
  /** Returns when attempts must end now. */
  readonly shutdown: Effect.Effect<End>
}

/** The attempt cannot go on; the service is given the class and the error. */
export class AttemptFailed extends Data.TaggedError("AttemptFailed")<{
  readonly failureClass: FailureClass
  readonly error: string
  readonly outcome: "failed" | "timed_out"
}> {}

export const failed = (failureClass: FailureClass, error: string) =>
  new AttemptFailed({ failureClass, error, outcome: "failed" })
