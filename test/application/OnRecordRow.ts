import type { Act } from "./house.ts"

/** A use case: the entries it records when it succeeds, oldest first, and its refusals. */
export interface Row {
  readonly act: Act
  readonly actor?: "service" | "system"
  /** Each as `event entity-type`, followed by its team and `run` if it has them. */
  readonly entries: ReadonlyArray<string>
  readonly refusals?: Readonly<Record<string, Act>>
  /** A table in which it also counts, without an entry. */
  readonly counts?: string
  /** True when its entries are all it leaves in the workspace. */
  readonly isRecordOnly?: true
}
