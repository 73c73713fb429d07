import type { Act } from "./house.ts"

/** A use case: what it puts on record when it succeeds, oldest first, and what it refuses. */
export interface Row {
  readonly act: Act
  readonly actor?: "service" | "system"
  /** Each as `event entity-type`, then its team and `run` where it has them. */
  readonly entries: ReadonlyArray<string>
  readonly refusals?: Readonly<Record<string, Act>>
  /** Whether its entries are all it leaves in the workspace. */
  readonly isRecordOnly?: true
}
